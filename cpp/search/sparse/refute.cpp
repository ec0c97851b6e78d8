#include "search/sparse/refute.hpp"

#include <algorithm>
#include <bit>

namespace treeproof::sparse {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

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
SmallTree Refuter<Word>::two_splits(const Frame<Word>& parent, std::int32_t child,
                                    std::int64_t one_split_error, std::int64_t cap) {
  SmallTree best{cap, -1};
  if (cap <= 0) return best;
  node_.mask.resize(index(parent.n_words));
  rest_.mask.resize(index(parent.n_words));
  for (std::int32_t w = 0; w < parent.n_words; ++w)
    node_.mask[index(w)] = parent.child_word(child, w);
  count(parent, node_);
  for (std::int32_t j = 0; j < parent.n_columns; ++j) {
    if (parent.column[index(j)] < 0) continue;
    for (std::int32_t bit = 0; bit < 2; ++bit) {
      const std::int64_t leaf = node_.side_total[index(bit * parent.stride + j)];
      if (leaf == 0 || leaf == node_.weight) continue;
      const std::int64_t leaf_error = leaf - node_.side_most[index(bit * parent.stride + j)];
      // One split on the rest errs at least as often as one split on everything, less the
      // rows that have gone.
      if (leaf_error + std::max<std::int64_t>(0, one_split_error - leaf) >= best.error)
        continue;
      const std::int32_t other = 2 * j + 1 - bit;
      for (std::int32_t w = 0; w < parent.n_words; ++w)
        rest_.mask[index(w)] =
            static_cast<Word>(node_.mask[index(w)] & parent.child_word(other, w));
      count(parent, rest_);
      const std::int64_t error = leaf_error + one_split(parent, rest_);
      if (error < best.error)
        best = {error,
                parent.layout->columns[index(parent.column[index(j)])].test};
    }
  }
  return best;
}

template class Refuter<std::uint16_t>;
template class Refuter<std::uint32_t>;

}  // namespace treeproof::sparse
