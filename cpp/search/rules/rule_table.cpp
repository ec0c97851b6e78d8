#include "search/rules/rule_table.hpp"

#include <algorithm>
#include <bit>

#include "search/rules/split_loss.hpp"

namespace treeproof::rules {

RuleTable::RuleTable(const RuleStore& store, const Problem& problem, const Stop& stop)
    : rows_(problem) {
  std::vector<std::int32_t> source;
  for (const Bit& bit : rows_.bits()) source.push_back(bit.location);
  fill(
      BitMoves(std::move(source), store.n_words()), store.size(), stop,
      [&](std::size_t rule) { return store.positive(rule).data(); },
      [](std::size_t rule) { return static_cast<std::int32_t>(rule); });
}

RuleTable::RuleTable(const RuleTable& parent, const Word* mask, bool distinct, const Stop& stop)
    : rows_(parent.rows_, mask) {
  const std::vector<std::size_t> kept = splitting_rules(parent, mask, distinct, stop);
  // The rows keep their order; only the gaps between classes change.
  std::vector<std::int32_t> source(rows_.bits().size(), BitMoves::kNothing);
  std::size_t bit = 0;
  for (std::size_t w = 0; w < parent.n_words(); ++w)
    for (Word rest = mask[w]; rest != 0; rest &= rest - 1) {
      while (rows_.bits()[bit].location < 0) ++bit;
      source[bit++] = static_cast<std::int32_t>(64 * w) + std::countr_zero(rest);
    }
  fill(
      BitMoves(std::move(source), parent.n_words()), kept.size(), stop,
      [&](std::size_t k) { return parent.positive(kept[k]); },
      [&](std::size_t k) { return parent.origin(kept[k]); });
}

// Takes over rules with their bits moved; fewer than `n_rules` if it is stopped.
template <class SideOf, class OriginOf>
void RuleTable::fill(BitMoves moves, std::size_t n_rules, const Stop& stop, const SideOf& side_of,
                     const OriginOf& origin_of) {
  const std::size_t n_words = rows_.n_words();
  words_.resize(n_rules * n_words);
  origin_.reserve(n_rules);
  std::vector<const Word*> sides;
  for (std::size_t first = 0; first < n_rules; first += BitMoves::kRows) {
    sides.clear();
    for (std::size_t k = first; k < std::min(n_rules, first + BitMoves::kRows); ++k) {
      sides.push_back(side_of(k));
      origin_.push_back(origin_of(k));
    }
    moves.apply(sides, &words_[first * n_words]);
    if (stop(static_cast<std::uint32_t>(1 + n_words))) return;
  }
}

// The rules of the parent table that divide the rows of `mask`: those with rows on both sides. With
// `distinct`, only the first rule of each partition is kept. The partitions that were seen are in a
// hash table with open addressing. A partition is identified by the bits of the rows on one side;
// two rules that differ only in which side is called positive make the same partition, so the side
// without the first row is used.
std::vector<std::size_t> RuleTable::splitting_rules(const RuleTable& parent, const Word* mask,
                                                    bool distinct, const Stop& stop) {
  std::vector<std::size_t> kept;
  const std::size_t n_words = parent.n_words();
  std::size_t first = 0;
  while (first < n_words && mask[first] == 0) ++first;
  if (first == n_words) return kept;
  const Word first_bit = mask[first] & (0 - mask[first]);
  const auto make_key = [&](std::size_t rule, std::vector<Word>& out) {
    const Word* side = parent.positive(rule);
    const bool mirror = (side[first] & first_bit) != 0;
    Word any = 0, hash = 0x9e3779b97f4a7c15ULL;
    for (std::size_t w = 0; w < n_words; ++w) {
      out[w] = (mirror ? ~side[w] : side[w]) & mask[w];
      any |= out[w];
      hash = (hash ^ out[w]) * 0xff51afd7ed558ccdULL;
      hash ^= hash >> 32;
    }
    return any == 0 ? Word{0} : hash | 1;
  };
  const std::size_t n_slots = std::bit_ceil(2 * parent.n_rules() + 2);
  std::vector<std::size_t> slots(distinct ? n_slots : 0, SIZE_MAX);
  std::vector<Word> key(n_words), other(n_words);
  for (std::size_t rule = 0; rule < parent.n_rules(); ++rule) {
    if (rule % 64 == 63 && stop(static_cast<std::uint32_t>(1 + n_words / 2))) break;
    const Word hash = make_key(rule, key);
    if (hash == 0) continue;  // all rows on one side
    if (distinct) {
      std::size_t slot = static_cast<std::size_t>(hash >> 1) & (n_slots - 1);
      bool seen = false;
      while (slots[slot] != SIZE_MAX && !seen) {
        make_key(slots[slot], other);
        seen = key == other;
        if (!seen) slot = (slot + 1) & (n_slots - 1);
      }
      if (seen) continue;
      slots[slot] = rule;
    }
    kept.push_back(rule);
  }
  return kept;
}

void RuleTable::losses(const Word* mask, std::span<std::int64_t> out) const {
  with_split_loss(rows_, mask, [&](const auto& loss) {
    for (std::size_t rule = 0; rule < n_rules(); ++rule) out[rule] = loss(positive(rule));
  });
}

BestSplit RuleTable::best_split(const Word* mask, const LeafSize& least) const {
  BestSplit best;
  const LeafSize whole = rows_.size(mask);
  Mask part(n_words());
  with_split_loss(rows_, mask, [&](const auto& loss) {
    for (std::size_t rule = 0; rule < n_rules(); ++rule) {
      const Word* side = positive(rule);
      const std::int64_t value = loss(side);
      if (best.found() && value >= best.loss) continue;
      if (!least.trivial()) {
        for (std::size_t w = 0; w < n_words(); ++w) part[w] = side[w] & mask[w];
        const LeafSize leaf = rows_.size(part.data());
        if (!least.allows(leaf) || !least.allows(whole.without(leaf))) continue;
      }
      best = {value, static_cast<std::int32_t>(rule)};
    }
  });
  return best;
}

BestSplit RuleTable::best_split_below(const Word* mask, std::int64_t below,
                                      std::vector<std::int32_t>& survivors) const {
  BestSplit best;
  survivors.clear();
  with_split_loss(rows_, mask, [&](const auto& loss) {
    for (std::size_t rule = 0; rule < n_rules(); ++rule) {
      const std::int64_t value = loss(positive(rule));
      if (value < below) survivors.push_back(static_cast<std::int32_t>(rule));
      if (!best.found() || value < best.loss) best = {value, static_cast<std::int32_t>(rule)};
    }
  });
  return best;
}

BestSplit RuleTable::best_split_among(const Word* mask, std::span<const std::int32_t> rules,
                                      std::int64_t below,
                                      std::vector<std::int32_t>& survivors) const {
  BestSplit best;
  survivors.clear();
  with_split_loss(rows_, mask, [&](const auto& loss) {
    for (const std::int32_t rule : rules) {
      const std::int64_t value = loss(positive(static_cast<std::size_t>(rule)));
      if (value < below) survivors.push_back(rule);
      if (!best.found() || value < best.loss) best = {value, rule};
    }
  });
  return best;
}

}  // namespace treeproof::rules
