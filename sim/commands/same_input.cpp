#include "sim/commands/same_input.h"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/messages/same_bits.h"
#include "sim/state/byte_fields.h"

namespace takt::sim {
namespace {

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<Vec3<T>> = true;
template <class T>
inline constexpr bool kIsQuaternion = false;
template <class T>
inline constexpr bool kIsQuaternion<Quat<T>> = true;
template <class T>
inline constexpr bool kIsId = false;
template <class Tag>
inline constexpr bool kIsId<Id<Tag>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = !std::same_as<T, std::byte>;

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::floating_point<T>) {
    return protocol::same_bits(a, b);
  } else if constexpr (kIsOptional<T>) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (kIsList<T>) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return same(x, y); });
  } else if constexpr (kIsVector<T>) {
    return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
  } else if constexpr (kIsQuaternion<T>) {
    return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z) && same(a.w, b.w);
  } else if constexpr (std::same_as<T, Softness>) {
    return a.form() == b.form() && same(a.first(), b.first()) && same(a.second(), b.second());
  } else if constexpr (std::same_as<T, JointFrame>) {
    return same(a.position_m, b.position_m) && same(a.rotation, b.rotation);
  } else if constexpr (HasFields<T>) {
    auto const of_a = T::fields(a);
    auto const of_b = T::fields(b);
    return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      return (same(std::get<Index>(of_a), std::get<Index>(of_b)) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(of_a)>>());
  } else {
    static_assert(std::integral<T> || std::is_enum_v<T> || kIsId<T> || std::same_as<T, Position> ||
                      std::same_as<T, ShapeFilter> || std::same_as<T, std::string> ||
                      std::same_as<T, std::vector<std::byte>>,
                  "a type without a comparison");
    return a == b;
  }
}

}  // namespace

bool same_input(const Input& a, const Input& b) {
  if (a.tick != b.tick || a.player != b.player || a.sequence != b.sequence ||
      a.command.index() != b.command.index())
    return false;
  return std::visit(
      [&](const auto& one) { return same(one, std::get<std::remove_cvref_t<decltype(one)>>(b.command)); },
      a.command);
}

}  // namespace takt::sim
