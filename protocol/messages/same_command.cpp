#include "protocol/messages/same_command.h"

#include <concepts>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/messages/same_bits.h"

namespace takt::protocol {
namespace {

template <class T>
concept IsOptional = requires(const T& value) {
  value.has_value();
};
template <class T>
concept IsQuaternion = std::same_as<T, Quatf> || std::same_as<T, Quatd>;
template <class T>
concept IsVector = std::same_as<T, Vec3f> || std::same_as<T, Vec3d> || std::same_as<T, Position>;

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::floating_point<T>) {
    return same_bits(a, b);
  } else if constexpr (IsOptional<T>) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (IsVector<T>) {
    return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
  } else if constexpr (IsQuaternion<T>) {
    return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z) && same(a.w, b.w);
  } else if constexpr (std::same_as<T, Softness>) {
    return a.form == b.form && same(a.first, b.first) && same(a.second, b.second);
  } else if constexpr (std::same_as<T, JointPlace>) {
    return same(a.position, b.position) && same(a.rotation, b.rotation);
  } else if constexpr (std::same_as<T, ShapeInfo>) {
    return a.kind == b.kind && same(a.dimensions, b.dimensions) && same(a.local_position, b.local_position) &&
           same(a.local_rotation, b.local_rotation) && same(a.rounding, b.rounding) &&
           a.geometry == b.geometry;
  } else if constexpr (HasFields<T>) {
    auto const of_a = T::fields(a);
    auto const of_b = T::fields(b);
    return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      return (same(std::get<Index>(of_a).value, std::get<Index>(of_b).value) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(of_a)>>());
  } else {
    static_assert(std::integral<T> || std::same_as<T, std::vector<std::byte>>, "a type without a comparison");
    return a == b;
  }
}

}  // namespace

bool same_command(const Command& a, const Command& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& one) { return same(one, std::get<std::remove_cvref_t<decltype(one)>>(b)); }, a);
}

}  // namespace takt::protocol
