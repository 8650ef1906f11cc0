// Overload joins several lambdas into one visitor for std::visit. With one lambda for each alternative of the
// variant, a forgotten alternative does not compile. A lambda with an unconstrained auto parameter accepts
// every alternative and defeats this check. The concept OneOf restricts such a lambda to named alternatives.
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

/// True when T is one of `Types`. Overload{[](OneOf<A, B> auto const& value) {...}} takes A and B.
template <class T, class... Types>
concept OneOf = (std::same_as<T, Types> || ...);

}  // namespace takt
