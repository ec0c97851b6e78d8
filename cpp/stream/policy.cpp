#include "stream/policy.hpp"

#include <cmath>

namespace treeproof::stream {
namespace {

// standard deviations that are subtracted from an expected gain
constexpr double kHesitation = 0.5;

}  // namespace

Situation::Situation(const State& s, const WorkingTree& tree, StatisticsTable& table,
                     const std::vector<State>& states, double penalty)
    : state(s), stop(tree.accuracy()), tree_(tree), table_(table), states_(states),
      penalty_(penalty) {
  for (const std::int32_t leaf : tree.leaves()) {
    const std::int32_t own = tree.nodes()[static_cast<std::size_t>(leaf)].statistics;
    if (own < 0) continue;
    BranchStatistics& statistics = table.current(own);
    statistics.refresh();
    if (statistics.n_possible() == 0) continue;
    leaves_.push_back(leaf);
    const WorkingNode& node = tree.nodes()[static_cast<std::size_t>(leaf)];
    const auto best = static_cast<std::size_t>(statistics.best_split());
    const double gain = std::max(0.0, statistics.splits()[best].mean - node.estimate.mean);
    const double deviation = std::sqrt(gain / statistics.n());
    const auto worth = [&](double deviations) {
      return node.probability * (gain - deviations * deviation) - penalty;
    };
    gain_.push_back(std::max(0.0, worth(kHesitation)));
    outlook += gain_.back();
    const auto n_splits = static_cast<double>(statistics.n_possible());
    const double sure = worth(std::sqrt(2.0 * std::log(n_splits)));
    if (sure > 0.0) {
      surely += sure;
      sure_splits_.emplace_back(leaf, table.layout().splits[best]);
    }
    n_fresh_ += statistics.n_possible();
  }
  if (s.edges.empty()) return;
  const std::size_t n_splits = table.layout().splits.size();
  tried_.assign(leaves_.size() * n_splits, false);
  for (const Edge& edge : s.edges) {
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const auto leaf = static_cast<std::size_t>(leaves_[i]);
      if (tree.nodes()[leaf].statistics != edge.leaf) continue;
      const std::size_t split = table.layout().index_of(edge.split);
      tried_[i * n_splits + split] = true;
      if (table[edge.leaf].splits()[split].mean >= 0.0) --n_fresh_;
    }
  }
}

const BranchStatistics& Situation::statistics(std::size_t leaf) const {
  return table_[tree_.nodes()[static_cast<std::size_t>(leaves_[leaf])].statistics];
}

Estimate Situation::known(std::size_t edge) const {
  const Estimate& value = states_[static_cast<std::size_t>(state.edges[edge].state)].value;
  return {value.mean - penalty_, value.variance};
}

std::int64_t Situation::visits(std::size_t edge) const {
  return states_[static_cast<std::size_t>(state.edges[edge].state)].visits;
}

// The tree with one leaf replaced by the leaf's split.
Estimate Situation::fresh(std::size_t leaf, const Estimate& split) const {
  const WorkingNode& node = tree_.nodes()[static_cast<std::size_t>(leaves_[leaf])];
  const double p = node.probability;
  return {stop.mean - penalty_ + p * (split.mean - node.estimate.mean) + outlook - gain_[leaf],
          std::max(0.0, stop.variance + p * p * (split.variance - node.estimate.variance))};
}

Move Situation::best_fresh(Estimate& best) const {
  Move move;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const BranchStatistics& statistics = this->statistics(i);
    const auto& splits = statistics.splits();
    const auto consider = [&](std::size_t s) {
      const Estimate estimate = fresh(i, splits[s]);
      if (move.kind == Move::Kind::fresh && estimate.mean <= best.mean) return;
      best = estimate;
      move = {Move::Kind::fresh, 0, leaves_[i], table_.layout().splits[s]};
    };
    const auto top = static_cast<std::size_t>(statistics.best_split());
    if (!tried(i, top)) {
      consider(top);
      continue;
    }
    for (std::size_t s = 0; s < splits.size(); ++s)
      if (splits[s].mean >= 0.0 && !tried(i, s)) consider(s);
  }
  return move;
}

Move Situation::fresh_at(std::size_t r) const {
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const auto& splits = statistics(i).splits();
    for (std::size_t s = 0; s < splits.size(); ++s) {
      if (splits[s].mean < 0.0 || tried(i, s)) continue;
      if (r-- == 0) return {Move::Kind::fresh, 0, leaves_[i], table_.layout().splits[s]};
    }
  }
  return {};
}

Estimate Policy::stop_and_fresh(const Situation& situation) const {
  return {situation.stop.mean + situation.outlook, situation.stop.variance};
}

Estimate Policy::fold(const Estimate& a, const Estimate& b) const {
  return b.mean > a.mean ? b : a;
}

}  // namespace treeproof::stream
