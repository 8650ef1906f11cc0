// Room for one more element of a list that a world keeps: an eighth more than it has, where a vector takes as much again. Many small worlds keep that in memory.
#pragma once

#include <vector>

namespace takt {

template <class T>
void make_room(std::vector<T>& list) {
  if (list.size() == list.capacity()) list.reserve(list.size() + list.size() / 8 + 4);
}

}  // namespace takt
