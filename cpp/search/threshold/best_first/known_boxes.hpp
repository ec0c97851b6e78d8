// Lower bounds for the sets of rows that two cuts leave, whichever of the two was made first.
//
// A search that cuts at f <= p and then, on the left side, at g <= q obtains a lower bound for the
// rows of the box {f <= p, g <= q}. The bound also holds for every larger box: after a later cut f
// <= p' with p' > p, for any cut of g beyond q; and where g is cut first, for its cuts of f. So the
// sides of later cuts start with the bounds of boxes inside them, instead of with nothing.
//
// This is sound because a tree for more rows can be used for fewer rows at no higher cost. With a
// minimum leaf size that need not be so, and these boxes are not used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace treeproof::threshold {

// One side of a cut, by ranks of values, so that it means the same in every set of rows.
struct Half {
  enum Kind : std::uint8_t { below, from, equal, other };  // <, >=, ==, != rank
  std::int32_t feature;
  Kind kind;
  std::uint32_t rank;

  // Whether all rows of `part`, a half of the same kind on the same feature, lie in this half.
  bool holds(std::uint32_t part) const {
    if (kind == below) return part <= rank;
    if (kind == from) return part >= rank;
    return part == rank;
  }
};

// A half of some rows, with a lower bound on the cost of its trees.
template <class Value>
struct KnownHalf {
  Half half;
  Value least;
};

template <class Value>
class KnownBoxes {
 public:
  // Stores the lower bound `least` for the rows in both halves.
  void add(const Half& a, const Half& b, Value least) {
    if (a.feature == b.feature || !(least > Value{})) return;
    const bool in_order = before(a, b);
    const Half& first = in_order ? a : b;
    const Half& second = in_order ? b : a;
    std::vector<Entry>& list = lists_[key(first, second)];
    const auto inside = [&](const Entry& part, const Entry& whole) {
      return Half{0, first.kind, whole.first}.holds(part.first) &&
             Half{0, second.kind, whole.second}.holds(part.second);
    };
    const Entry fresh{first.rank, second.rank, least};
    for (const Entry& known : list)
      if (!(known.least < least) && inside(known, fresh)) return;
    n_entries_ -= std::erase_if(
        list, [&](const Entry& known) { return !(least < known.least) && inside(fresh, known); });
    list.push_back(fresh);
    ++n_entries_;
  }

  // Calls `use(rank, least)` for the halves of the feature for whose rows within `outer` a bound is
  // known.
  template <class Use>
  void for_each(const Half& outer, std::int32_t feature, Half::Kind kind, Use use) const {
    const Half inner{feature, kind, 0};
    const bool in_order = before(outer, inner);
    const auto found = lists_.find(in_order ? key(outer, inner) : key(inner, outer));
    if (found == lists_.end()) return;
    for (const Entry& known : found->second)
      if (outer.holds(in_order ? known.first : known.second))
        use(in_order ? known.second : known.first, known.least);
  }

  std::uint64_t bytes() const { return n_entries_ * sizeof(Entry); }

 private:
  struct Entry {
    std::uint32_t first;  // ranks
    std::uint32_t second;
    Value least;
  };
  static bool before(const Half& a, const Half& b) { return a.feature < b.feature; }
  static std::uint64_t key(const Half& a, const Half& b) {
    return ((static_cast<std::uint64_t>(a.feature) << 2 | a.kind) << 32) |
           (static_cast<std::uint64_t>(b.feature) << 2 | b.kind);
  }

  std::unordered_map<std::uint64_t, std::vector<Entry>> lists_;
  std::uint64_t n_entries_ = 0;
};

}  // namespace treeproof::threshold
