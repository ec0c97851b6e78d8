#include "search/sparse/refute.hpp"

#include <algorithm>
#include <bit>

#include "core/index.hpp"

namespace treeproof::sparse {

template <class Word>
void Refuter<Word>::count(const Frame<Word>& parent, Counts& counts) {
  const std::int32_t n_classes = parent.layout->n_classes;
  counts.column.assign(index(n_classes) * index(parent.stride), 0);
  counts.total.assign(index(n_classes), 0);
  counts.weight = 0;
  for (const Block& block : parent.blocks) {
    if (block.channel >= n_classes) break;
    std::int32_t bits = 0;
    for (std::int32_t w = block.begin; w < block.end; ++w)
      bits += std::popcount(counts.mask[index(w)]);
    if (bits == 0) continue;
    C& total = counts.total[index(block.channel)];
    total = static_cast<C>(total + bits * block.multiplier);
    counts.weight += bits * block.multiplier;
    kernel_.masked_counts(parent.words.data(), parent.stride, counts.mask.data(), block.begin,
                          block.end, block.multiplier,
                          counts.column.data() + index(block.channel) * index(parent.stride));
    operations_ += std::int64_t{block.end - block.begin} * parent.stride / kernels::kLanes<Word>;
  }
  count_sides(parent, counts);
}

template <class Word>
void Refuter<Word>::count_sides(const Frame<Word>& parent, Counts& counts) {
  const std::int32_t n_classes = parent.layout->n_classes;
  counts.side_total.resize(2 * index(parent.stride));
  counts.side_most.resize(2 * index(parent.stride));
  kernel_.side_totals(counts.column.data(), counts.total.data(), n_classes, parent.stride,
                      counts.side_total.data(), counts.side_most.data());
}

template <class Word>
std::int64_t Refuter<Word>::one_split(const Frame<Word>& parent, const Counts& counts) const {
  const C* const no = counts.side_most.data();
  const C* const yes = no + parent.stride;
  std::int32_t best = 0;
  for (std::int32_t j = 0; j < parent.n_columns; ++j) best = std::max(best, no[j] + yes[j]);
  return counts.weight - best;
}

template <class Word>
Key Refuter<Word>::key_of(const Frame<Word>& parent, const Counts& counts) const {
  Key sum;
  for (std::int32_t w = 0; w < parent.n_words; ++w) sum += parent.key_of(w, counts.mask[index(w)]);
  return sum;
}

template <class Word>
void Refuter<Word>::take_child(const Frame<Word>& parent, std::int32_t child) {
  node_.mask.resize(index(parent.n_words));
  for (std::int32_t w = 0; w < parent.n_words; ++w)
    node_.mask[index(w)] = parent.child_word(child, w);
  count(parent, node_);
}

template <class Word>
void Refuter<Word>::take_all(const Frame<Word>& frame) {
  const std::size_t n_classes = index(frame.layout->n_classes);
  node_.mask.assign(frame.valid.begin(), frame.valid.end());
  node_.column.assign(
      frame.column_count.begin(),
      frame.column_count.begin() + static_cast<std::ptrdiff_t>(n_classes * index(frame.stride)));
  node_.total.assign(frame.channel_total.begin(),
                     frame.channel_total.begin() + static_cast<std::ptrdiff_t>(n_classes));
  node_.side_total = frame.side_total;
  node_.side_most = frame.side_most;
  node_.weight = 0;
  for (const C n : node_.total) node_.weight += n;
}

template <class Word>
void Refuter<Word>::take_part(const Frame<Word>& parent, const Counts& of, std::int32_t child,
                              Counts& part) {
  part.mask.resize(index(parent.n_words));
  for (std::int32_t w = 0; w < parent.n_words; ++w)
    part.mask[index(w)] = static_cast<Word>(of.mask[index(w)] & parent.child_word(child, w));
  count(parent, part);
}

// Counts only; the mask of the difference is not needed.
template <class Word>
void Refuter<Word>::take_difference(const Frame<Word>& parent, const Counts& of, const Counts& less,
                                    Counts& part) {
  part.column.resize(of.column.size());
  for (std::size_t k = 0; k < of.column.size(); ++k)
    part.column[k] = static_cast<C>(of.column[k] - less.column[k]);
  part.total.resize(of.total.size());
  for (std::size_t k = 0; k < of.total.size(); ++k)
    part.total[k] = static_cast<C>(of.total[k] - less.total[k]);
  part.weight = of.weight - less.weight;
  count_sides(parent, part);
}

template <class Word>
SmallTree Refuter<Word>::two_splits(const Frame<Word>& parent, std::int32_t child,
                                    std::int64_t one_split_error, std::int64_t cap) {
  take_child(parent, child);
  return two_splits_of(parent, node_, rest_, one_split_error, cap);
}

template <class Word>
SmallTree Refuter<Word>::two_splits(const Frame<Word>& frame, std::int64_t one_split_error,
                                    std::int64_t cap) {
  take_all(frame);
  return two_splits_of(frame, node_, rest_, one_split_error, cap);
}

template <class Word>
SmallTree Refuter<Word>::two_splits_of(const Frame<Word>& parent, const Counts& node,
                                       Counts& scratch, std::int64_t one_split_error,
                                       std::int64_t cap) {
  SmallTree best;
  best.error = cap;
  for (std::int32_t j = 0; j < parent.n_columns; ++j) {
    for (std::int32_t bit = 0; bit < 2; ++bit) {
      const std::int64_t leaf = node.side_total[index(bit * parent.stride + j)];
      const std::int64_t leaf_error = leaf - node.side_most[index(bit * parent.stride + j)];
      // One split on the remaining rows makes at least as many errors as one split on all rows,
      // minus the rows that were removed.
      if (leaf_error + std::max<std::int64_t>(0, one_split_error - leaf) >= best.error) continue;
      if (leaf == 0 || leaf == node.weight) continue;
      take_part(parent, node, 2 * j + 1 - bit, scratch);
      const std::int64_t error = leaf_error + one_split(parent, scratch);
      if (error >= best.error) continue;
      best.error = error;
      best.test = parent.test_at(j);
    }
  }
  return best;
}

template <class Word>
SmallTree Refuter<Word>::three_splits(const Frame<Word>& frame, std::int64_t two_split_error,
                                      std::int64_t cap) {
  SmallTree best;
  best.error = cap;
  if (cap <= 0) return best;
  take_all(frame);
  for (std::int32_t j = 0; j < frame.n_columns; ++j) {
    for (std::int32_t bit = 0; bit < 2; ++bit) {
      const std::int64_t leaf = node_.side_total[index(bit * frame.stride + j)];
      const std::int64_t leaf_error = leaf - node_.side_most[index(bit * frame.stride + j)];
      // The same for two splits on the remaining rows.
      if (leaf_error + std::max<std::int64_t>(0, two_split_error - leaf) >= best.error) continue;
      if (leaf == 0 || leaf == node_.weight) continue;
      take_part(frame, node_, 2 * j + 1 - bit, rest_);
      const SmallTree tree =
          two_splits_of(frame, rest_, scratch_, one_split(frame, rest_), best.error - leaf_error);
      if (tree.test < 0) continue;
      best = {leaf_error + tree.error, frame.test_at(j), key_of(frame, rest_), tree.error,
              tree.test};
    }
  }
  for (std::int32_t j = 0; j < frame.n_columns; ++j) {
    const std::int64_t yes = node_.side_total[index(frame.stride + j)];
    if (yes == 0 || yes == node_.weight) continue;
    take_part(frame, node_, 2 * j + 1, rest_);
    std::int64_t error = one_split(frame, rest_);
    if (error >= best.error) continue;
    take_difference(frame, node_, rest_, scratch_);
    error += one_split(frame, scratch_);
    if (error < best.error) best = {error, frame.test_at(j), {}, 0, -1};
  }
  return best;
}

template class Refuter<std::uint16_t>;
template class Refuter<std::uint32_t>;

}  // namespace treeproof::sparse
