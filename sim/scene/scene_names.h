// NameMatch counts the bodies, ropes or joints of a scene that have a certain name. The readers of scenes and
// input scripts refuse a reference to a name that several have, because the first of them would be a guess.
// Names without a reference may repeat.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace takt::sim {

struct NameMatch {
  std::size_t index = 0;  ///< of the first element with the name, if count > 0
  std::size_t count = 0;  ///< elements with the name

  /// Counts the element at an index; call it in ascending order.
  void note(std::size_t at) noexcept {
    if (count++ == 0) index = at;
  }
};

/// The elements of `list` whose member `name` equals `name`. An empty name matches nothing.
template <class List>
[[nodiscard]] NameMatch find_name(const List& list, std::string_view name) {
  NameMatch match;
  if (name.empty()) return match;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) match.note(i);
  return match;
}

/// The text of a fault: `count` elements, 2 or more, have the name. `kind` is "body", "rope" or "joint".
[[nodiscard]] inline std::string ambiguous_name(std::size_t count, std::string_view name,
                                                std::string_view kind) {
  return std::to_string(count) + " have the name \"" + std::string(name) + "\": expected the name of one " +
         std::string(kind) + " alone";
}

}  // namespace takt::sim
