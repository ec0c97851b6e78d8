#include "search/sparse/layout.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/memory.hpp"

namespace treeproof::sparse {
namespace {

constexpr std::size_t kMaxWeightsPerClass = 6;

struct Amount {
  std::int32_t row;
  std::int64_t amount;
};

// Appends the blocks of one channel for rows with the given amounts.
void add_channel(Layout& layout, std::int32_t channel, const std::vector<Amount>& amounts,
                 bool carries_keys) {
  std::map<std::int64_t, std::vector<std::int32_t>> by_multiplier;
  std::set<std::int64_t> distinct;
  for (const Amount& a : amounts) distinct.insert(a.amount);
  for (const auto& [row, amount] : amounts) {
    if (distinct.size() <= kMaxWeightsPerClass) {
      by_multiplier[amount].push_back(row);
      continue;
    }
    // A row of no weight still needs a slot: sets of rows are known by the keys in them.
    if (amount == 0) by_multiplier[0].push_back(row);
    for (int bit = 0; bit < 31; ++bit)
      if (amount >> bit & 1) by_multiplier[std::int64_t{1} << bit].push_back(row);
  }
  std::vector<bool> has_key;
  if (by_multiplier.size() > 1) has_key.resize(static_cast<std::size_t>(layout.problem->n_rows()));
  for (auto& [multiplier, rows] : by_multiplier) {
    const auto first = static_cast<std::int32_t>(layout.slot_row.size());
    layout.blocks.push_back({channel, static_cast<std::int32_t>(multiplier), first,
                             first + static_cast<std::int32_t>(rows.size())});
    for (const std::int32_t row : rows) {
      const auto r = static_cast<std::size_t>(row);
      const bool first_slot = carries_keys && (has_key.empty() || !has_key[r]);
      layout.slot_row.push_back(first_slot ? row : ~row);
      if (!has_key.empty()) has_key[r] = true;
    }
  }
}

bool counts_samples(const Problem& problem, std::int64_t min_samples_leaf) {
  return min_samples_leaf > 1 && !problem.weights_are_samples;
}

// In each group of rows with equal codes, the weight outside its majority class is misclassified by
// every tree; it is recorded at the first row of the group.
std::vector<Amount> forced_errors(const Problem& problem) {
  struct Tally {
    std::int32_t first = -1;
    std::int64_t total = 0, most = 0;
  };
  std::vector<Tally> tally(static_cast<std::size_t>(problem.n_groups));
  for (std::int32_t r = 0; r < problem.n_rows(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    Tally& t = tally[static_cast<std::size_t>(problem.group[row])];
    if (t.first < 0) t.first = r;
    t.total += problem.weight[row];
    t.most = std::max<std::int64_t>(t.most, problem.weight[row]);
  }
  std::vector<Amount> amounts;
  for (const Tally& t : tally)
    if (t.total > t.most) amounts.push_back({t.first, t.total - t.most});
  return amounts;
}

}  // namespace

std::uint64_t Layout::bytes() const {
  return capacity_bytes(columns, blocks, slot_row, stored_keys);
}

bool fits_narrow(const Problem& problem, std::int64_t min_samples_leaf) {
  constexpr std::int64_t kMostCounts = (1 << 15) - 1, kMostSlots = (1 << 16) - 2;
  std::int64_t n_samples = 0;
  for (const std::int64_t s : problem.samples) n_samples += s;
  if (std::max(problem.total_weight, n_samples) > kMostCounts) return false;
  // A row has at most as many slots in a channel as its weight.
  std::int64_t slots = problem.total_weight + std::ranges::count(problem.weight, Weight{0});
  if (counts_samples(problem, min_samples_leaf)) slots += n_samples;
  for (const Amount& a : forced_errors(problem)) slots += a.amount;
  return slots <= kMostSlots;
}

Layout make_layout(const Problem& problem, std::int64_t min_samples_leaf, std::uint64_t allowance) {
  Layout layout;
  layout.problem = &problem;
  layout.n_classes = problem.n_classes;
  const std::int32_t n = problem.n_rows();
  std::vector<Amount> amounts;
  const auto gather = [&](const auto& amount_of) -> const std::vector<Amount>& {
    amounts.clear();
    for (std::int32_t r = 0; r < n; ++r)
      if (const std::int64_t a = amount_of(static_cast<std::size_t>(r)); a >= 0)
        amounts.push_back({r, a});
    return amounts;
  };
  std::int32_t channel = 0;
  for (; channel < problem.n_classes; ++channel) {
    const auto weight = [&](std::size_t r) {
      return problem.label[r] == channel ? std::int64_t{problem.weight[r]} : -1;
    };
    add_channel(layout, channel, gather(weight), true);
  }
  layout.has_samples = counts_samples(problem, min_samples_leaf);
  if (layout.has_samples)
    add_channel(layout, channel++, gather([&](std::size_t r) { return problem.samples[r]; }),
                false);
  const std::vector<Amount> forced = forced_errors(problem);
  layout.has_equivalent = !forced.empty();
  layout.equivalent_channel = channel;
  if (layout.has_equivalent) add_channel(layout, channel++, forced, false);
  layout.n_channels = channel;
  layout.slot_row.shrink_to_fit();
  layout.several_slots = std::ranges::any_of(layout.slot_row, [](auto row) { return row < 0; });
  if (allowance == 0 || layout.slot_row.size() * sizeof(Key) <= allowance / 16) {
    std::vector<Key> keys(layout.slot_row.size());
    for (std::size_t s = 0; s < keys.size(); ++s) keys[s] = layout.slot_key(s);
    layout.stored_keys = std::move(keys);
  }

  for (const bool two_way : {true, false}) {
    for (std::size_t t = 0; t < problem.tests.size(); ++t) {
      const std::int32_t n_outcomes = problem.tests[t].n_outcomes;
      if ((n_outcomes == 2) != two_way) continue;
      for (std::int32_t v = 0; v < (two_way ? 1 : n_outcomes); ++v)
        layout.columns.push_back({static_cast<std::int32_t>(t), v});
    }
    if (two_way) layout.n_two_way = static_cast<std::int32_t>(layout.columns.size());
  }
  layout.has_multiway = layout.n_two_way < static_cast<std::int32_t>(layout.columns.size());
  return layout;
}

}  // namespace treeproof::sparse
