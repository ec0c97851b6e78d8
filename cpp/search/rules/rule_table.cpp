#include "search/rules/rule_table.hpp"

#include <algorithm>
#include <bit>

#include "search/rules/split_loss.hpp"

namespace treeproof::rules {

RuleTable::RuleTable(const RuleStore& store, const Problem& problem) : rows_(problem) {
  const std::size_t n_words = rows_.n_words();
  words_.assign(store.size() * n_words, 0);
  origin_.resize(store.size());
  for (std::size_t rule = 0; rule < store.size(); ++rule) {
    const std::span<const Word> side = store.positive(rule);
    Word* out = &words_[rule * n_words];
    for (std::size_t b = 0; b < rows_.bits().size(); ++b) {
      const std::int32_t location = rows_.bits()[b].location;
      if (location < 0) continue;
      const auto point = static_cast<std::size_t>(location);
      out[b / 64] |= (side[point / 64] >> (point % 64) & 1) << (b % 64);
    }
    origin_[rule] = static_cast<std::int32_t>(rule);
  }
}

RuleTable::RuleTable(const RuleTable& parent, const Word* mask, bool distinct)
    : rows_(parent.rows_, mask) {
  const std::vector<std::size_t> kept = splitting_rules(parent, mask, distinct);
  const std::size_t n_words = rows_.n_words();
  words_.assign(kept.size() * n_words, 0);
  origin_.reserve(kept.size());
  // Bit i of the subproblem, gaps between classes aside, is the parent's bit source[i].
  std::vector<std::size_t> source, target;
  for (std::size_t b = 0; b < rows_.bits().size(); ++b)
    if (rows_.bits()[b].location >= 0) target.push_back(b);
  for (std::size_t w = 0; w < parent.n_words(); ++w)
    for (Word rest = mask[w]; rest != 0; rest &= rest - 1)
      source.push_back(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const Word* side = parent.positive(kept[k]);
    Word* out = &words_[k * n_words];
    for (std::size_t i = 0; i < source.size(); ++i)
      out[target[i] / 64] |= (side[source[i] / 64] >> (source[i] % 64) & 1)
                             << (target[i] % 64);
    origin_.push_back(parent.origin_[kept[k]]);
  }
}

// Rules of the parent with rows of `mask` on both sides; of those that make the same
// partition, the first. Open addressing on the masked words; mirror images are the same
// partition, so the key is the side without the first row.
std::vector<std::size_t> RuleTable::splitting_rules(const RuleTable& parent, const Word* mask,
                                                    bool distinct) {
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
