// The decision tree of the current simulation: built split by split from the root, with the
// probability of every node by the chain rule.
//
// The probability of a leaf is the product of the shares n(child) / n(parent) of its ancestors,
// each from the table of the parent itself (thesis, Eq. 5.14). Dividing the count of a leaf by the
// count of the tree would be wrong, because branches are shared between trees and have received
// different numbers of rows (the thesis calls this weights degeneracy); a ratio within one table
// does not have this problem.
#pragma once

#include <cstdint>
#include <vector>

#include "stream/branch_statistics.hpp"
#include "stream/schema.hpp"

namespace treeproof::stream {

// All tables, found by branch.
class StatisticsTable {
 public:
  explicit StatisticsTable(Estimator estimator = Estimator::frequency) : estimator_(estimator) {}

  void set_layout(const Schema& schema);
  const Layout& layout() const { return *layout_; }

  std::int32_t find(const Branch& branch) const;
  std::int32_t find_or_add(const Branch& branch);
  BranchStatistics& operator[](std::int32_t i) { return at_[static_cast<std::size_t>(i)]; }
  const BranchStatistics& operator[](std::int32_t i) const {
    return at_[static_cast<std::size_t>(i)];
  }
  // An entry with the newest layout.
  BranchStatistics& current(std::int32_t i);
  std::size_t size() const { return at_.size(); }
  std::size_t bytes() const { return bytes_; }

  void clear();
  void scale(float factor);
  // Keeps the entries marked; returns the new number of each entry, or -1.
  std::vector<std::int32_t> keep(const std::vector<bool>& marked);

  template <class Archive>
  void archive(Archive& a) {
    for (BranchStatistics& s : at_) s.adopt(layout_);
    Schema schema = layout_ ? layout_->schema : Schema{};
    a(estimator_, schema, at_);
    layout_ = std::make_shared<const Layout>(schema);
    for (BranchStatistics& s : at_) s.set_layout(layout_);
    reindex();
  }

 private:
  void insert(std::uint64_t hash, std::int32_t entry);
  void reindex();

  Estimator estimator_;
  std::shared_ptr<const Layout> layout_;
  std::vector<BranchStatistics> at_;
  std::vector<std::int32_t> slots_;  // open addressing; -1: empty
  std::size_t bytes_ = 0;
};

struct WorkingNode {
  Branch branch;
  std::int32_t statistics = -1;  // -1: no row has been here yet
  Split split;                   // none: a leaf
  Literal literal;               // from its parent
  std::int32_t first_child = 0;
  std::int32_t n_children = 0;
  double probability = 1.0;
  double rows_in_parent = 0.0;  // weight of its rows in the table of the parent
  Estimate estimate;            // of the accuracy inside

  bool leaf() const { return !split.exists(); }
};

class WorkingTree {
 public:
  void reset(StatisticsTable& table);
  // Splits a leaf.
  void apply(StatisticsTable& table, std::int32_t node, const Split& split);

  const std::vector<WorkingNode>& nodes() const { return nodes_; }
  const std::vector<std::int32_t>& leaves() const { return leaves_; }
  std::int32_t leaf_with(std::int32_t statistics) const;  // -1: none
  std::uint64_t hash() const { return hash_; }

  // The accuracy of the whole tree, Eq. 5.15 and Eq. 6.8.
  Estimate accuracy() const;

  // Enters a row in every table on its way.
  void observe(StatisticsTable& table, Row row, std::int32_t label, float weight);

 private:
  void look_up(StatisticsTable& table, WorkingNode& node) const;

  std::vector<WorkingNode> nodes_;
  std::vector<std::int32_t> leaves_;
  std::uint64_t hash_ = 0;
  std::vector<Literal> outcomes_;
};

}  // namespace treeproof::stream
