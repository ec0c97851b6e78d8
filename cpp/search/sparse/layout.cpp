#include "search/sparse/layout.hpp"

#include <algorithm>
#include <map>

#include "core/memory.hpp"

namespace treeproof::sparse {
namespace {

constexpr std::size_t kMaxWeightsPerClass = 6;

// Appends the blocks of one channel for rows with the given amounts.
void add_channel(Layout& layout, std::int32_t channel,
                 const std::vector<std::pair<std::int32_t, std::int64_t>>& amounts,
                 bool carries_keys) {
  std::map<std::int64_t, std::vector<std::int32_t>> by_multiplier;
  std::map<std::int64_t, int> distinct;
  for (const auto& [row, amount] : amounts) distinct[amount] = 1;
  for (const auto& [row, amount] : amounts) {
    if (distinct.size() <= kMaxWeightsPerClass) {
      by_multiplier[amount].push_back(row);
      continue;
    }
    for (int bit = 0; bit < 31; ++bit)
      if (amount >> bit & 1) by_multiplier[std::int64_t{1} << bit].push_back(row);
  }
  std::vector<bool> has_key(layout.row_key.size(), !carries_keys);
  for (const auto& [multiplier, rows] : by_multiplier) {
    SlotBlock block{channel, static_cast<std::int32_t>(multiplier), {}};
    for (const std::int32_t row : rows) {
      const auto r = static_cast<std::size_t>(row);
      block.slots.push_back(static_cast<std::int32_t>(layout.slot_row.size()));
      layout.slot_row.push_back(row);
      layout.slot_key.push_back(has_key[r] ? Key{} : layout.row_key[r]);
      has_key[r] = true;
    }
    layout.blocks.push_back(std::move(block));
  }
}

// For each group of rows with equal codes, the weight outside its majority class is wrong
// in every tree; it is booked on the group's first row.
std::vector<std::pair<std::int32_t, std::int64_t>> forced_errors(const Problem& problem) {
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
  std::vector<std::pair<std::int32_t, std::int64_t>> amounts;
  for (const Tally& t : tally)
    if (t.total > t.most) amounts.emplace_back(t.first, t.total - t.most);
  return amounts;
}

}  // namespace

std::uint64_t Layout::bytes() const {
  std::uint64_t sum = capacity_bytes(columns, blocks, slot_row, slot_key, row_key);
  for (const SlotBlock& block : blocks) sum += capacity_bytes(block.slots);
  return sum;
}

Layout make_layout(const Problem& problem, std::int64_t min_samples_leaf) {
  Layout layout;
  layout.problem = &problem;
  layout.n_classes = problem.n_classes;
  const std::int32_t n = problem.n_rows();
  for (std::int32_t r = 0; r < n; ++r)
    layout.row_key.push_back(random_key(static_cast<std::uint64_t>(r)));

  std::vector<std::vector<std::pair<std::int32_t, std::int64_t>>> by_class(
      static_cast<std::size_t>(problem.n_classes));
  std::vector<std::pair<std::int32_t, std::int64_t>> samples;
  for (std::int32_t r = 0; r < n; ++r) {
    const auto row = static_cast<std::size_t>(r);
    by_class[static_cast<std::size_t>(problem.label[row])].emplace_back(
        r, problem.weight[row]);
    samples.emplace_back(r, problem.samples[row]);
  }
  std::int32_t channel = 0;
  for (const auto& rows : by_class) add_channel(layout, channel++, rows, true);
  layout.has_samples = min_samples_leaf > 1 && !problem.weights_are_samples;
  if (layout.has_samples) add_channel(layout, channel++, samples, false);
  const auto forced = forced_errors(problem);
  layout.has_equivalent = !forced.empty();
  layout.equivalent_channel = channel;
  if (layout.has_equivalent) add_channel(layout, channel++, forced, false);
  layout.n_channels = channel;

  for (const bool two_way : {true, false}) {
    for (std::size_t t = 0; t < problem.tests.size(); ++t) {
      const std::int32_t n_outcomes = problem.tests[t].n_outcomes;
      if ((n_outcomes == 2) != two_way) continue;
      for (std::int32_t v = 0; v < (two_way ? 1 : n_outcomes); ++v)
        layout.columns.push_back({static_cast<std::int32_t>(t), v});
    }
    if (two_way) layout.n_two_way = static_cast<std::int32_t>(layout.columns.size());
  }
  layout.has_multiway =
      layout.n_two_way < static_cast<std::int32_t>(layout.columns.size());
  return layout;
}

}  // namespace treeproof::sparse
