#include "search/threshold/depth_two/binary_pairs.hpp"

#include <cmath>
#include <utility>

namespace treeproof::threshold {
namespace {

constexpr double kLittle = 1e-6;  // of the weight; below it, differences lose too many digits

}  // namespace

template <class Phi>
BinaryPairs<Phi>::BinaryPairs(const Context<Loss>& context, const MomentKernels& kernels)
    : context_(&context), kernels_(kernels),
      n_(static_cast<std::size_t>(context.columns->n_features())),
      n_outputs_(context.loss->n_outputs()), width_(n_outputs_ + 3),
      usable_(context.settings.use_pairs && context.columns->n_features() <= kMostColumns &&
              !context.restricted()) {
  for (std::int32_t f = 0; f < context.columns->n_features(); ++f)
    usable_ = usable_ && context.columns->kind(f) == FeatureKind::ordered &&
              context.columns->n_values(f) <= 2;
  if (!usable_) return;
  sums_.emplace(*context.columns, *context.loss);
  for (std::uint64_t row = 0; row < static_cast<std::uint64_t>(context.columns->n_rows); ++row)
    row_keys_.push_back(random_key(row));
  part_.resize(width_);
  groups_.resize_for_overwrite(n_ * width_ * 4);
  explained_.resize_for_overwrite(n_ * 4);
  pair_losses_.resize_for_overwrite(n_ * 4);
  leaves_.resize(n_);
  stumps_.resize(n_);
}

// Writes the moments of the leaves below columns f and g.
template <class Phi>
void BinaryPairs<Phi>::write_group(std::int32_t f, std::int32_t g, std::size_t group) {
  const double* const both = sums_->both(f, g);
  const double* const of_f = sums_->of_columns(f);
  const double* const of_g = sums_->of_columns(g);
  double* leaves = groups_.data() + group * width_ * 4;
  for (std::size_t c = 0; c < width_; ++c, leaves += 4) {
    leaves[0] = both[c];
    leaves[1] = of_f[c] - both[c];
    leaves[2] = of_g[c] - both[c];
    leaves[3] = (all()[c] - of_f[c]) - leaves[2];
  }
}

template <class Phi>
void BinaryPairs<Phi>::explain_groups(std::size_t n_groups) {
  const Loss& loss = *context_->loss;
  if (vectors()) {
    kernels_.explain_fours(groups_.data(), static_cast<int>(n_groups), static_cast<int>(4 * width_),
                           loss.centres()[0], explained_.data());
    return;
  }
  for (std::size_t k = 0; k < n_groups; ++k) {
    const double* const group = groups_.data() + k * width_ * 4;
    for (std::size_t leaf = 0; leaf < 4; ++leaf) {
      for (std::size_t c = 0; c < n_outputs_; ++c) part_[c] = group[4 * (1 + c) + leaf];
      const double weight = group[leaf];
      explained_[4 * k + leaf] = weight > 0.0 ? loss.explained(weight, part_.data()) : 0.0;
    }
  }
}

// The losses of the leaves of a group; infinite for those with too few rows.
template <class Phi>
std::array<double, 4> BinaryPairs<Phi>::losses(std::int32_t f, std::int32_t g, std::size_t group,
                                               const RowSubset& rows) const {
  const double* const weight = groups_.data() + group * width_ * 4;
  const double* const own = weight + 4 * (1 + n_outputs_);
  const double* const n_rows = own + 4;
  const bool smoothed = context_->loss->smoothed();
  std::array<double, 4> out{};
  for (std::size_t leaf = 0; leaf < 4; ++leaf) {
    if (n_rows[leaf] < min_leaf_) out[leaf] = kNever;
    else if (n_rows[leaf] <= 1.0 && !smoothed) out[leaf] = 0.0;
    else if ((leaf > 0 || sums_->subtracted()) && weight[leaf] < kLittle * all()[0])
      out[leaf] = direct_loss(leaf, f, g, rows);
    else out[leaf] = std::max(0.0, own[leaf] - explained_[4 * group + leaf]);
  }
  return out;
}

template <class Phi>
double BinaryPairs<Phi>::direct_loss(std::size_t leaf, std::int32_t f, std::int32_t g,
                                     const RowSubset& rows) const {
  typename Loss::Tally tally = context_->loss->tally();
  const bool rare_f = leaf <= 1, rare_g = leaf % 2 == 0;
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    const std::uint32_t row = rows.row(r);
    if (sums_->is_rare(f, row) == rare_f && sums_->is_rare(g, row) == rare_g)
      context_->loss->add(tally, row);
  }
  return context_->loss->value(tally);
}

template <class Phi>
void BinaryPairs<Phi>::offer(std::int32_t column, std::size_t side, std::int32_t below,
                             double cost) {
  Stump& best = stumps_[static_cast<std::size_t>(column)][side];
  if (penalty() + cost < best.cost) best = {penalty() + cost, below};
}

template <class Phi>
void BinaryPairs<Phi>::find_leaves(const RowSubset& rows) {
  const auto n = static_cast<std::int32_t>(n_);
  for (std::int32_t f = 0; f < n; ++f) write_group(f, f, static_cast<std::size_t>(f));
  explain_groups(n_);
  for (std::int32_t f = 0; f < n; ++f) {
    const auto at = static_cast<std::size_t>(f);
    const std::array<double, 4> found = losses(f, f, at, rows);
    leaves_[at] = {found[3], found[0]};
  }
}

// Offers stumps on column f below the later ones, and the reverse. A pair of columns has four
// parts, which serve as leaves below both columns.
template <class Phi>
void BinaryPairs<Phi>::find_stumps_of(std::int32_t f, const RowSubset& rows) {
  const auto n = static_cast<std::int32_t>(n_);
  kernels_.lose_pairs(
      {sums_->both(f, f + 1), sums_->of_columns(f + 1), sums_->of_columns(f), all(), n - f - 1,
       context_->loss->centres()[0], static_cast<double>(min_leaf_), kLittle * all()[0]},
      pair_losses_.data());
  for (std::int32_t g = f + 1; g < n; ++g) {
    const double* const loss = pair_losses_.data() + 4 * static_cast<std::size_t>(g - f - 1);
    std::array<double, 4> sides{loss[0], loss[1], loss[2], loss[3]};
    if (std::isnan(sides[0] + sides[1])) {  // every leaf is in one of these
      write_group(f, g, 0);
      explain_groups(1);
      const auto [both, only_f, only_g, none] = losses(f, g, 0, rows);
      sides = {both + only_f, only_g + none, both + only_g, only_f + none};
    }
    offer(f, 1, g, sides[0]);
    offer(f, 0, g, sides[1]);
    offer(g, 1, f, sides[2]);
    offer(g, 0, f, sides[3]);
  }
}

// Finds the best stump on both sides of every column.
template <class Phi>
void BinaryPairs<Phi>::find_stumps(const RowSubset& rows) {
  const auto n = static_cast<std::int32_t>(n_);
  for (std::size_t f = 0; f < n_; ++f)
    stumps_[f] = {Stump{leaves_[f][0], -1}, Stump{leaves_[f][1], -1}};
  for (std::int32_t f = 0; f + 1 < n; ++f) {
    if (vectors()) {
      find_stumps_of(f, rows);
      continue;
    }
    for (std::int32_t g = f + 1; g < n; ++g) write_group(f, g, static_cast<std::size_t>(g - f - 1));
    explain_groups(static_cast<std::size_t>(n - f - 1));
    for (std::int32_t g = f + 1; g < n; ++g) {
      const auto [both, only_f, only_g, none] =
          losses(f, g, static_cast<std::size_t>(g - f - 1), rows);
      offer(f, 1, g, both + only_f);
      offer(f, 0, g, only_g + none);
      offer(g, 1, f, both + only_g);
      offer(g, 0, f, only_f + none);
    }
  }
}

// Without `deeper`, the stumps below the roots are not known, and all three have one split.
template <class Phi>
auto BinaryPairs<Phi>::best_roots(const RowSubset& rows, bool deeper) -> std::array<Root, 3> {
  find_leaves(rows);
  if (deeper) find_stumps(rows);
  std::array<Root, 3> best;
  for (std::size_t f = 0; f < n_; ++f) {
    const std::array<Stump, 2> leaves{Stump{leaves_[f][0], -1}, Stump{leaves_[f][1], -1}};
    const auto take = [&](std::size_t splits, const Stump& common, const Stump& rare) {
      const double cost = penalty() + common.cost + rare.cost;
      Root& root = best[splits - 1];
      if (cost < root.cost) root = {cost, static_cast<std::int32_t>(f), {common, rare}};
    };
    take(1, leaves[0], leaves[1]);
    if (!deeper) continue;
    take(2, stumps_[f][0], leaves[1]);
    take(2, leaves[0], stumps_[f][1]);
    take(3, stumps_[f][0], stumps_[f][1]);
  }
  return best;
}

template <class Phi>
SplitTree BinaryPairs<Phi>::node(std::int32_t column) const {
  SplitTree tree;
  tree.feature = column;
  tree.code = 0;
  tree.next_code = 1;
  tree.outcomes = {0, 1};
  tree.children.resize(2);
  return tree;
}

// The tree, and its cost as a sum over the rows of each leaf.
template <class Phi>
Answer<double> BinaryPairs<Phi>::build(const Task<double>& task, const Root& root) const {
  const RowSubset& rows = *task.rows;
  const Loss& loss = *context_->loss;
  std::array<typename Loss::Tally, 4> leaves;
  leaves.fill(loss.tally());
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    const std::uint32_t row = rows.row(r);
    const std::size_t side = sums_->is_rare(root.column, row) ? 1 : 0;
    const std::int32_t below = root.sides[side].column;
    loss.add(leaves[2 * side + (below >= 0 && sums_->is_rare(below, row) ? 1 : 0)], row);
  }
  Answer<double> out;
  out.tree = node(root.column);
  out.upper = penalty();
  for (std::size_t side = 0; side < 2; ++side) {
    const std::int32_t below = root.sides[side].column;
    const std::uint32_t rank = sums_->rare_rank(root.column);
    const std::size_t child = side == 1 ? rank : 1 - rank;
    if (below >= 0) out.tree.children[child] = node(below);
    out.upper += loss.value(leaves[2 * side]);
    if (below >= 0) out.upper += penalty() + loss.value(leaves[2 * side + 1]);
  }
  return out;
}

// Null if a limit was reached.
template <class Phi>
auto BinaryPairs<Phi>::optimum(const Task<double>& task, bool deeper) -> const Solved* {
  const RowSubset& rows = *task.rows;
  Key of_rows;
  for (std::uint32_t r = 0; r < rows.size(); ++r) of_rows += row_keys_[rows.row(r)];
  Key key = of_rows;
  key += random_key((std::uint64_t{1} << 40) + min_leaf_);  // beyond the keys of all rows
  if (const auto known = known_.find(key); known != known_.end()) return &known->second;
  if (!sums_->add_up(rows, of_rows, deeper, task.around, *context_->limits, *context_->counters))
    return nullptr;
  typename Loss::Tally tally = context_->loss->tally();
  for (std::uint32_t r = 0; r < rows.size(); ++r) context_->loss->add(tally, rows.row(r));
  found_ = {context_->loss->value(tally), best_roots(rows, deeper)};
  if (!deeper) return &found_;
  if (known_.size() >= kMostKnown) known_.clear();
  return &known_.emplace(key, found_).first->second;
}

template <class Phi>
std::optional<Answer<double>> BinaryPairs<Phi>::solve(const Task<double>& task) {
  const Loss& loss = *context_->loss;
  const int splits = task.depth == 1 ? 1 : std::min(task.splits, 3);
  min_leaf_ = std::max<std::uint32_t>(1, task.min_leaf);
  const Solved* const best = optimum(task, splits > 1);
  if (best == nullptr) return std::nullopt;
  const double alone = best->alone;
  const Root& root = best->roots[static_cast<std::size_t>(splits - 1)];
  Answer<double> out;
  out.upper = alone;
  if (root.cost < std::min(alone, task.cutoff)) out = build(task, root);
  out.lower = std::min(alone, root.cost);
  if (alone <= out.upper) {
    out.tree = {};
    out.upper = alone;
  }
  out.found = out.upper < task.cutoff;
  if (!out.found) {
    out.tree = {};
    out.upper = task.cutoff;
  }
  if (!loss.closes(out.lower, out.upper)) return std::nullopt;
  out.lower = out.found ? out.upper : std::max(out.lower, out.upper);
  std::ranges::fill(task.lower_out, 0.0);  // nothing is known about supersets of the rows
  if (splits > 1) ++context_->counters->depth_two_solves;
  ++context_->counters->pair_solves;
  return out;
}

template class BinaryPairs<Squares>;
template class BinaryPairs<Logs>;

}  // namespace treeproof::threshold
