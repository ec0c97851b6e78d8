// The running statistics of a branch for the Monte Carlo searches (UCDT, EGDT, TSDT).
//
// n_ijk: the weight of rows in the branch whose column i has code j and whose class is k
// (thesis, Eq. 5.11). One table answers for the branch as a leaf, for every split of it,
// and, through n_ij / n, for the share of its rows each child would get (the factors of the
// chain rule, Eq. 5.14). Tables are shared by all trees that contain the branch. Unlike the
// thesis, which feeds a branch only while it is a leaf of the simulated tree, a row here is
// entered in every branch on its way: those rows are as independent of the branch's own
// history as the others, so all estimates stay consistent and are sharper.
//
// For Thompson sampling a table also counts the rows whose class was predicted by the
// majority of the rows before them (Eqs. 6.4 to 6.6), for the branch and for each cell.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "stream/schema.hpp"

namespace treeproof::stream {

// Mean and variance of the accuracy inside a branch or of a tree.
struct Estimate {
  double mean = 0.0;
  double variance = 0.0;

  template <class Archive>
  void archive(Archive& a) {
    a(mean, variance);
  }
};

// Where the cells of each column and the splits of the schema stand in the tables.
struct Layout {
  explicit Layout(const Schema& schema);

  std::size_t cell(std::size_t column, std::size_t code) const { return offset[column] + code; }

  Schema schema;
  std::vector<std::size_t> offset;  // per column: its first cell
  std::size_t n_cells = 0;
  std::size_t n_classes = 0;
  std::vector<Split> splits;
  std::vector<std::size_t> first_split;  // per column

  std::size_t index_of(const Split& split) const {
    return first_split[static_cast<std::size_t>(split.column)] +
           static_cast<std::size_t>(split.cut < 0 ? 0 : split.cut);
  }
};

// Counts or Beta posteriors: what a leaf's accuracy is estimated from.
enum class Estimator : std::uint8_t { frequency, posterior };

class BranchStatistics {
 public:
  BranchStatistics() = default;
  BranchStatistics(Branch branch, std::shared_ptr<const Layout> layout, Estimator estimator);

  const Branch& branch() const { return branch_; }
  double n() const { return n_; }
  const std::vector<float>& classes() const { return classes_; }

  void observe(Row row, std::int32_t label, float weight);

  // Moves the tables to a larger layout; rows from before a column existed, or before its
  // numbers had bins, count as missing there.
  void adopt(const std::shared_ptr<const Layout>& layout);
  void scale(float factor);

  // The accuracy of a leaf here.
  Estimate leaf() const;
  // The accuracy of a leaf at one child, and the child's share of the rows, from this table.
  struct ChildView {
    double n = 0.0;
    double share = 0.0;
    Estimate estimate;
  };
  ChildView child(const Literal& literal) const;
  // Class weights of one child, from this table.
  std::vector<double> child_classes(const Literal& literal) const;

  // Per split of the layout, after `refresh`: the accuracy inside this branch if it were
  // split so; a mean below zero marks a split that is impossible here.
  const std::vector<Estimate>& splits() const { return splits_; }
  std::size_t n_possible() const { return n_possible_; }
  std::int32_t best_split() const { return best_split_; }  // -1: none
  void refresh();

  std::size_t bytes() const;

  template <class Archive>
  void archive(Archive& a) {
    a(branch_, estimator_, n_, hits_, guess_, classes_, cells_, cell_hits_, cell_guess_, stale_,
      splits_, n_possible_, best_split_);
  }
  void set_layout(std::shared_ptr<const Layout> layout) { layout_ = std::move(layout); }

 private:
  Estimate estimate(double total, double most, double hits) const;

  Branch branch_;
  std::shared_ptr<const Layout> layout_;
  Estimator estimator_ = Estimator::frequency;
  double n_ = 0.0;
  float hits_ = 0.0F;
  std::int32_t guess_ = 0;
  std::vector<float> classes_;            // [class]
  std::vector<float> cells_;              // [cell * n_classes + class]
  std::vector<float> cell_hits_;          // [cell]
  std::vector<std::int16_t> cell_guess_;  // [cell]: the majority so far
  bool stale_ = true;
  std::vector<Estimate> splits_;
  std::size_t n_possible_ = 0;
  std::int32_t best_split_ = -1;
};

}  // namespace treeproof::stream
