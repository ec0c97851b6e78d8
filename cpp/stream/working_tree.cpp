#include "stream/working_tree.hpp"

#include <algorithm>

namespace treeproof::stream {

void StatisticsTable::set_layout(const Schema& schema) {
  layout_ = std::make_shared<const Layout>(schema);
}

std::int32_t StatisticsTable::find(const Branch& branch) const {
  if (slots_.empty()) return -1;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t s = branch.hash() & mask; slots_[s] >= 0; s = (s + 1) & mask)
    if ((*this)[slots_[s]].branch() == branch) return slots_[s];
  return -1;
}

std::int32_t StatisticsTable::find_or_add(const Branch& branch) {
  const std::int32_t found = find(branch);
  if (found >= 0) return found;
  at_.emplace_back(branch, layout_, estimator_);
  bytes_ += at_.back().bytes() + layout_->splits.size() * sizeof(Estimate);
  if (at_.size() * 2 > slots_.size()) {
    reindex();
  } else {
    insert(branch.hash(), static_cast<std::int32_t>(at_.size()) - 1);
  }
  return static_cast<std::int32_t>(at_.size()) - 1;
}

BranchStatistics& StatisticsTable::current(std::int32_t i) {
  BranchStatistics& s = (*this)[i];
  s.adopt(layout_);
  return s;
}

void StatisticsTable::clear() {
  at_.clear();
  slots_.clear();
  bytes_ = 0;
}

void StatisticsTable::scale(float factor) {
  for (BranchStatistics& s : at_) s.scale(factor);
}

std::vector<std::int32_t> StatisticsTable::keep(const std::vector<bool>& marked) {
  std::vector<std::int32_t> renumbered(at_.size(), -1);
  std::vector<BranchStatistics> kept;
  for (std::size_t i = 0; i < at_.size(); ++i) {
    if (!marked[i]) continue;
    renumbered[i] = static_cast<std::int32_t>(kept.size());
    kept.push_back(std::move(at_[i]));
  }
  at_ = std::move(kept);
  reindex();
  return renumbered;
}

void StatisticsTable::insert(std::uint64_t hash, std::int32_t entry) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t s = hash & mask;
  while (slots_[s] >= 0) s = (s + 1) & mask;
  slots_[s] = entry;
}

void StatisticsTable::reindex() {
  std::size_t n_slots = 64;
  while (n_slots < at_.size() * 4) n_slots *= 2;
  slots_.assign(n_slots, -1);
  bytes_ = 0;
  for (std::size_t i = 0; i < at_.size(); ++i) {
    insert(at_[i].branch().hash(), static_cast<std::int32_t>(i));
    bytes_ += at_[i].bytes();
  }
}

void WorkingTree::reset(StatisticsTable& table) {
  nodes_.clear();
  nodes_.emplace_back();
  leaves_.assign(1, 0);
  hash_ = 0;
  look_up(table, nodes_[0]);
}

// The table of a node itself, or its part of the table of the parent while that table has seen more
// rows.
void WorkingTree::look_up(StatisticsTable& table, WorkingNode& node) const {
  node.statistics = table.find(node.branch);
  if (node.statistics < 0) return;
  const BranchStatistics& own = table.current(node.statistics);
  if (own.n() > 0.0 && own.n() >= node.rows_in_parent) node.estimate = own.leaf();
}

void WorkingTree::apply(StatisticsTable& table, std::int32_t at, const Split& split) {
  hash_ += hash_of(nodes_[static_cast<std::size_t>(at)].branch, split);
  const auto first = static_cast<std::int32_t>(nodes_.size());
  {
    WorkingNode& node = nodes_[static_cast<std::size_t>(at)];
    node.split = split;
    node.first_child = first;
    outcomes_of(node.branch, split, table.layout().schema, outcomes_);
    node.n_children = static_cast<std::int32_t>(outcomes_.size());
  }
  std::erase(leaves_, at);
  for (const Literal& literal : outcomes_) {
    WorkingNode child;
    const WorkingNode& parent = nodes_[static_cast<std::size_t>(at)];
    child.branch = parent.branch.with(literal);
    child.literal = literal;
    child.probability = 0.0;
    child.estimate = parent.estimate;
    if (parent.statistics >= 0) {
      const auto view = table.current(parent.statistics).child(literal);
      child.probability = parent.probability * view.share;
      child.rows_in_parent = view.n;
      if (view.n > 0.0) child.estimate = view.estimate;
    }
    look_up(table, child);
    leaves_.push_back(static_cast<std::int32_t>(nodes_.size()));
    nodes_.push_back(std::move(child));
  }
}

std::int32_t WorkingTree::leaf_with(std::int32_t statistics) const {
  for (const std::int32_t leaf : leaves_)
    if (nodes_[static_cast<std::size_t>(leaf)].statistics == statistics) return leaf;
  return -1;
}

Estimate WorkingTree::accuracy() const {
  Estimate total;
  for (const std::int32_t leaf : leaves_) {
    const WorkingNode& node = nodes_[static_cast<std::size_t>(leaf)];
    total.mean += node.probability * node.estimate.mean;
    total.variance += node.probability * node.probability * node.estimate.variance;
  }
  return total;
}

void WorkingTree::observe(StatisticsTable& table, Row row, std::int32_t label, float weight) {
  std::int32_t at = 0;
  while (at >= 0) {
    WorkingNode& node = nodes_[static_cast<std::size_t>(at)];
    if (node.statistics < 0) node.statistics = table.find_or_add(node.branch);
    table.current(node.statistics).observe(row, label, weight);
    if (node.leaf()) return;
    const Code code = row[static_cast<std::size_t>(node.split.column)];
    std::int32_t next = -1;
    for (std::int32_t k = 0; k < node.n_children && next < 0; ++k)
      if (nodes_[static_cast<std::size_t>(node.first_child + k)].literal.holds(code))
        next = node.first_child + k;
    at = next;  // a code that is newer than this tree; the row stops here
  }
}

}  // namespace treeproof::stream
