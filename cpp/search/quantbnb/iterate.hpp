// The iterations of Quant-BnB: everything alive is examined once, and what survives is examined
// again in the next iteration.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace treeproof::quantbnb {

// `examine(item, next)` improves `out.upper`, appends the surviving pieces of an item to `next`,
// and sets `out.stopped` at a limit; the item then stays alive. `bytes` counts the memory of
// `next`.
template <class Alive, class Outcome, class Examine>
void iterate(std::vector<Alive>& alive, Outcome& out, std::size_t& bytes, Examine examine) {
  // No tree has a negative cost, so the search ends at cost zero.
  const auto open = [&] { return decltype(out.upper){} < out.upper; };
  std::vector<Alive> next;
  while (!alive.empty() && !out.stopped && open()) {
    next.clear();
    bytes = 0;
    std::size_t k = 0;
    for (; k < alive.size() && open(); ++k) {
      examine(alive[k], next);
      if (out.stopped) break;
    }
    alive.erase(alive.begin(), alive.begin() + static_cast<std::ptrdiff_t>(k));
    std::ranges::move(next, std::back_inserter(alive));
    if (!out.stopped) out.surviving.push_back(open() ? static_cast<std::int64_t>(alive.size()) : 0);
  }
}

}  // namespace treeproof::quantbnb
