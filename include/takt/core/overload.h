// Overload makes one visitor for std::variant from one lambda for each alternative. A forgotten alternative
// does not compile. A lambda that takes any type would defeat this; OneOf names several alternatives instead.
#pragma once

#include <concepts>

namespace takt {

/// Calls the lambda that takes the alternative:
/// std::visit(Overload{[](const A&) {...}, [](const B&) {...}}, value).
template <class... Lambdas>
struct Overload : Lambdas... {
  using Lambdas::operator()...;
};
template <class... Lambdas>
Overload(Lambdas...) -> Overload<Lambdas...>;

/// True when T is one of the types named: one lambda may take several alternatives by name.
template <class T, class... Types>
concept OneOf = (std::same_as<T, Types> || ...);

}  // namespace takt
