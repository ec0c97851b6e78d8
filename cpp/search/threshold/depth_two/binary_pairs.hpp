// The best tree of depth one or two on columns of two values, for losses that are a convex function
// of sums.
//
// A tree of depth two asks for two columns on the way to each leaf. So the moments of all leaves
// of all such trees follow from the moments of the rows that have the rarer value of column f and
// that of column g, for all pairs of columns: the rows with the rarer value of f only are those of
// f less those of the pair, and so on. They are summed up in one pass over the rows, which takes
// one step for each pair of rarer values of a row; moving the rows from side to side for each root
// takes one for each pair of columns. The idea is that of the depth-two solvers of MurTree and
// STreeD (Demirović et al. 2022, van der Linden et al. 2023) for counts, here for moments.
//
// The sums are in depth_two/pair_sums.hpp, and the losses of the four leaves of a pair are computed
// with vector instructions if leaves predict one number.
//
// Differences of sums lose digits where little weight is left. Rows that weigh less than a
// millionth of the set are therefore summed up directly. The tree that is returned costs what a
// sum over its rows gives. If that is not within the tolerance of the best cost found here, the
// answer is left to the solver for any columns.
//
// A set of rows occurs again below the same columns in another order, so answers are remembered.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/key.hpp"
#include "data/row_subset.hpp"
#include "loss/moment_loss.hpp"
#include "search/threshold/answer.hpp"
#include "search/threshold/depth_two/kernels.hpp"
#include "search/threshold/depth_two/lane_memory.hpp"
#include "search/threshold/depth_two/pair_sums.hpp"
#include "search/threshold/keyed_rows.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

template <class Phi>
class BinaryPairs {
 public:
  using Loss = MomentLoss<Phi>;

  BinaryPairs(const Context<Loss>& context, const MomentKernels& kernels);

  // Whether the tasks of a search without proof are solved here. Those that sums are not precise
  // enough for are rare.
  bool usable() const { return usable_; }

  // Whether these tasks can be solved here. Proofs need the cuts that were counted, which are not
  // kept here.
  bool solves(const Task<double>& task) const {
    return usable_ && task.depth <= 2 && task.counted_cuts == nullptr;
  }
  // Nothing if sums of differences were not precise enough.
  std::optional<Answer<double>> solve(const Task<double>& task);

 private:
  static constexpr std::int32_t kMostColumns = 128;  // for the memory of all pairs
  static constexpr std::size_t kMostKnown = 1 << 15;
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  // The best stump on one side of a split: its loss with the penalty, and its column.
  struct Stump {
    double cost = kNever;
    std::int32_t column = -1;  // -1: a leaf
  };
  struct Root {
    double cost = kNever;
    std::int32_t column = -1;
    std::array<Stump, 2> sides;  // of rows with the commoner value, and with the rarer one
  };

  // What a solve has found, whatever the cut-off is.
  struct Solved {
    double alone;               // loss of a single leaf
    std::array<Root, 3> roots;  // of the best trees with at most one, two and three splits
  };

  const Solved* optimum(const Task<double>& task, bool deeper);
  void find_stumps(const RowSubset& rows);
  void find_stumps_of(std::int32_t f, const RowSubset& rows);
  void offer(std::int32_t column, std::size_t side, std::int32_t below, double cost);
  void write_group(std::int32_t f, std::int32_t g, std::size_t group);
  void find_leaves(const RowSubset& rows);
  void explain_groups(std::size_t n_groups);
  std::array<double, 4> losses(std::int32_t f, std::int32_t g, std::size_t group,
                               const RowSubset& rows) const;
  double direct_loss(std::size_t leaf, std::int32_t f, std::int32_t g, const RowSubset& rows) const;
  std::array<Root, 3> best_roots(const RowSubset& rows, bool deeper);
  Answer<double> build(const Task<double>& task, const Root& root) const;
  SplitTree node(std::int32_t column) const;

  double penalty() const { return context_->settings.split_cost; }
  // The moments of all rows of the set, and its weight.
  const double* all() const { return sums_->all(); }
  // Whether the losses of all pairs are computed with vector instructions.
  bool vectors() const { return n_outputs_ == 1 && !context_->loss->smoothed(); }

  const Context<Loss>* context_;
  MomentKernels kernels_;
  std::size_t n_;  // columns
  std::size_t n_outputs_;
  std::size_t width_;  // moments: weight, sums, own terms, rows
  bool usable_;
  std::optional<PairSums<Phi>> sums_;
  std::vector<Key> row_keys_;
  std::vector<double> part_;
  // The leaves below a column and each of some others: [group, moment, leaf]. The first leaf has
  // both rarer values, the second that of the column, the third that of the other, the last none.
  AlignedArray<double> groups_;
  AlignedArray<double> explained_;             // [group, leaf]
  AlignedArray<double> pair_losses_;           // [group, side of either column]
  std::vector<std::array<double, 2>> leaves_;  // losses of the two sides of each column
  std::vector<std::array<Stump, 2>> stumps_;   // the best ones below the two sides
  std::unordered_map<Key, Solved, KeyHash> known_;
  Solved found_;  // the last one, if it is not to be remembered
  std::uint32_t min_leaf_ = 1;
};

extern template class BinaryPairs<Squares>;
extern template class BinaryPairs<Logs>;

}  // namespace treeproof::threshold
