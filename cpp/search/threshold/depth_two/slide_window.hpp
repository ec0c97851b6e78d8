// Moves a window over a sorted list to another place, with as few changes of its rows as possible.
#pragma once

#include <cstdint>

namespace treeproof::threshold {

// The window holds positions first .. last - 1. `add(a, b)` and `remove(a, b)` add and remove the
// rows at positions a .. b - 1.
template <class Add, class Remove>
void slide_window(std::uint32_t& first, std::uint32_t& last, std::uint32_t to_first,
                  std::uint32_t to_last, const Add& add, const Remove& remove) {
  if (to_first >= last || to_last <= first) {  // no rows in common
    remove(first, last);
    add(to_first, to_last);
  } else {
    if (to_first < first) add(to_first, first);
    if (to_first > first) remove(first, to_first);
    if (to_last > last) add(last, to_last);
    if (to_last < last) remove(to_last, last);
  }
  first = to_first;
  last = to_last;
}

}  // namespace treeproof::threshold
