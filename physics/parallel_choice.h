// Which items of a list something is to be done with: looked for by several workers, found in the order of the list.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "physics/parallel_loop.h"

namespace takt {

/// What was chosen last, and memory that is reused.
template <class T>
struct Choice {
  std::vector<T> items;  ///< the first `count` of them
  std::vector<std::size_t> part_counts;
  std::size_t count = 0;

  [[nodiscard]] std::span<const T> chosen() const noexcept { return {items.data(), count}; }
};

/// For each i below `count`, in order: what choose(i, item) wrote to `item` where it returned true.
template <class T, class Choose>
void choose_items(TaskPool* pool, std::size_t count, Choice<T>& choice, Choose&& choose) {
  std::size_t const parts = (count + kChosenAPart - 1) / kChosenAPart;
  if (choice.items.size() < count) choice.items.resize(count);
  choice.part_counts.assign(parts, 0);
  // Each part writes to its own places, from the first on.
  for_parts(pool, parts, kPartsChosen, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t part = first; part < end; ++part) {
      std::size_t const begin = part * kChosenAPart;
      std::size_t const past = std::min(count, begin + kChosenAPart);
      std::size_t at = begin;
      for (std::size_t i = begin; i < past; ++i) {
        if (choose(i, choice.items[at])) ++at;
      }
      choice.part_counts[part] = at - begin;
    }
  });
  choice.count = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    auto const begin = choice.items.begin() + static_cast<std::ptrdiff_t>(part * kChosenAPart);
    if (choice.count != part * kChosenAPart) {
      std::copy(begin, begin + static_cast<std::ptrdiff_t>(choice.part_counts[part]),
                choice.items.begin() + static_cast<std::ptrdiff_t>(choice.count));
    }
    choice.count += choice.part_counts[part];
  }
}

}  // namespace takt
