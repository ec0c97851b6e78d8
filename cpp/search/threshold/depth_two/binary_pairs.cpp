#include "search/threshold/depth_two/binary_pairs.hpp"

#include <utility>

namespace treeproof::threshold {

template <class Phi>
BinaryPairs<Phi>::BinaryPairs(const Context<Loss>& context)
    : context_(&context), n_(static_cast<std::size_t>(context.columns->n_features())),
      n_outputs_(context.loss->n_outputs()), width_(n_outputs_ + 3),
      usable_(context.settings.use_pairs && context.columns->n_features() <= kMostColumns &&
              !context.restricted()) {
  for (std::int32_t f = 0; f < context.columns->n_features(); ++f)
    usable_ = usable_ && context.columns->kind(f) == FeatureKind::ordered &&
              context.columns->n_values(f) <= 2;
  if (!usable_) return;
  list_rare_values();
  pairs_.resize(n_ * n_ * width_);
  all_.resize(width_);
  part_.resize(width_);
  leaves_.resize(n_);
  stumps_.resize(n_);
}

template <class Phi>
void BinaryPairs<Phi>::list_rare_values() {
  const Columns& columns = *context_->columns;
  const auto n_rows = static_cast<std::uint32_t>(columns.n_rows);
  for (std::int32_t f = 0; f < columns.n_features(); ++f) {
    const auto ones = std::ranges::count(columns.rank_of(f), std::uint32_t{1});
    rare_rank_.push_back(2 * ones <= static_cast<std::int64_t>(n_rows) ? 1 : 0);
  }
  first_rare_.push_back(0);
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    for (std::int32_t f = 0; f < columns.n_features(); ++f)
      if (is_rare(f, row)) rare_.push_back(static_cast<std::uint16_t>(f));
    first_rare_.push_back(static_cast<std::uint32_t>(rare_.size()));
  }
}

// Sums up the moments of all pairs of columns, or of single columns only. False if a limit was
// reached.
template <class Phi>
bool BinaryPairs<Phi>::add_up(const RowSubset& rows, bool all_pairs) {
  constexpr std::uint64_t kStepsPerPoll = 100'000;
  std::ranges::fill(pairs_, 0.0);
  std::ranges::fill(all_, 0.0);
  std::uint64_t steps = n_ * n_ * width_ / 8;
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    const std::uint32_t row = rows.row(r);
    const double w = context_->loss->row_weight(row);
    const double* target = context_->loss->target(row);
    part_[0] = w;
    for (std::size_t k = 0; k < n_outputs_; ++k) part_[1 + k] = w * target[k];
    part_[1 + n_outputs_] = context_->loss->own(row);
    part_[2 + n_outputs_] = 1.0;
    for (std::size_t c = 0; c < width_; ++c) all_[c] += part_[c];
    const std::uint32_t begin = first_rare_[row], end = first_rare_[row + 1];
    const double* moments = part_.data();
    for (std::uint32_t i = begin; i < end; ++i) {
      double* of_column = pairs_.data() + std::size_t{rare_[i]} * n_ * width_;
      const std::uint32_t last = all_pairs ? end : i + 1;
      if (width_ == 4) {  // one output, the common case
        for (std::uint32_t j = i; j < last; ++j) {
          double* const cell = of_column + std::size_t{rare_[j]} * 4;
          for (std::size_t c = 0; c < 4; ++c) cell[c] += moments[c];
        }
      } else {
        for (std::uint32_t j = i; j < last; ++j) {
          double* const cell = of_column + std::size_t{rare_[j]} * width_;
          for (std::size_t c = 0; c < width_; ++c) cell[c] += moments[c];
        }
      }
    }
    steps += std::uint64_t{end - begin} * (all_pairs ? end - begin : 2) * width_ / 8 + width_;
    if (steps < kStepsPerPoll) continue;
    if (context_->limits->stop(static_cast<std::uint32_t>(steps / 1000))) return false;
    steps = 0;
  }
  return !context_->limits->stop(static_cast<std::uint32_t>((steps + 40 * n_ * n_) / 1000));
}

template <class Phi>
double BinaryPairs<Phi>::loss_of(const double* moments) const {
  if (moments[2 + n_outputs_] <= 1.0 && !context_->loss->smoothed()) return 0.0;
  return std::max(0.0,
                  moments[1 + n_outputs_] - context_->loss->explained(moments[0], moments + 1));
}

// The loss of the rows on these sides of two columns (1: the rarer value).
template <class Phi>
double BinaryPairs<Phi>::loss(std::array<int, 2> sides, std::int32_t f, std::int32_t g,
                              const RowSubset& rows) {
  constexpr double kLittle = 1e-6;  // of the weight; below it, differences lose too many digits
  const double* const both = pair(f, g);
  const double* const of_f = pair(f, f);
  const double* const of_g = pair(g, g);
  for (std::size_t c = 0; c < width_; ++c) {
    if (sides[0] == 1) part_[c] = sides[1] == 1 ? both[c] : of_f[c] - both[c];
    else part_[c] = sides[1] == 1 ? of_g[c] - both[c] : (all_[c] - of_f[c]) - (of_g[c] - both[c]);
  }
  const bool is_sum = sides[0] == 1 && sides[1] == 1;
  if (part_[2 + n_outputs_] < min_leaf_) return kNever;
  if (!is_sum && part_[0] < kLittle * all_[0]) return direct_loss(sides, f, g, rows);
  return loss_of(part_.data());
}

template <class Phi>
double BinaryPairs<Phi>::direct_loss(std::array<int, 2> sides, std::int32_t f, std::int32_t g,
                                     const RowSubset& rows) const {
  typename Loss::Tally tally = context_->loss->tally();
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    const std::uint32_t row = rows.row(r);
    if (is_rare(f, row) == (sides[0] == 1) && is_rare(g, row) == (sides[1] == 1))
      context_->loss->add(tally, row);
  }
  return context_->loss->value(tally);
}

template <class Phi>
void BinaryPairs<Phi>::offer(std::int32_t column, int side, std::int32_t below, double cost) {
  Stump& best = stumps_[static_cast<std::size_t>(column)][static_cast<std::size_t>(side)];
  if (penalty() + cost < best.cost) best = {penalty() + cost, below};
}

// Finds the best stump on both sides of every column. A pair of columns has four parts, which serve
// as leaves below both columns.
template <class Phi>
void BinaryPairs<Phi>::find_stumps(const RowSubset& rows) {
  const auto n = static_cast<std::int32_t>(n_);
  for (std::size_t f = 0; f < n_; ++f)
    stumps_[f] = {Stump{leaves_[f][0], -1}, Stump{leaves_[f][1], -1}};
  for (std::int32_t f = 0; f < n; ++f) {
    for (std::int32_t g = f + 1; g < n; ++g) {
      const double l11 = loss({1, 1}, f, g, rows);
      const double l10 = loss({1, 0}, f, g, rows);
      const double l01 = loss({0, 1}, f, g, rows);
      const double l00 = loss({0, 0}, f, g, rows);
      offer(f, 1, g, l11 + l10);
      offer(f, 0, g, l01 + l00);
      offer(g, 1, f, l11 + l01);
      offer(g, 0, f, l10 + l00);
    }
  }
}

template <class Phi>
typename BinaryPairs<Phi>::Root BinaryPairs<Phi>::best_root(const Task<double>& task, bool deeper) {
  const RowSubset& rows = *task.rows;
  for (std::int32_t f = 0; f < static_cast<std::int32_t>(n_); ++f)
    leaves_[static_cast<std::size_t>(f)] = {loss({0, 0}, f, f, rows), loss({1, 1}, f, f, rows)};
  if (deeper) find_stumps(rows);
  Root best;
  for (std::size_t f = 0; f < n_; ++f) {
    const std::array<Stump, 2> leaves{Stump{leaves_[f][0], -1}, Stump{leaves_[f][1], -1}};
    const auto take = [&](const Stump& common, const Stump& rare) {
      const double cost = penalty() + common.cost + rare.cost;
      if (cost < best.cost) best = {cost, static_cast<std::int32_t>(f), {common, rare}};
    };
    if (!deeper) {
      take(leaves[0], leaves[1]);
    } else if (task.splits >= 3) {
      take(stumps_[f][0], stumps_[f][1]);
    } else {
      take(stumps_[f][0], leaves[1]);
      take(leaves[0], stumps_[f][1]);
    }
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
    const std::size_t side = is_rare(root.column, row) ? 1 : 0;
    const std::int32_t below = root.sides[side].column;
    loss.add(leaves[2 * side + (below >= 0 && is_rare(below, row) ? 1 : 0)], row);
  }
  Answer<double> out;
  out.tree = node(root.column);
  out.upper = penalty();
  for (std::size_t side = 0; side < 2; ++side) {
    const std::int32_t below = root.sides[side].column;
    const std::uint32_t rank = rare_rank_[static_cast<std::size_t>(root.column)];
    const std::size_t child = side == 1 ? rank : 1 - rank;
    if (below >= 0) out.tree.children[child] = node(below);
    out.upper += loss.value(leaves[2 * side]);
    if (below >= 0) out.upper += penalty() + loss.value(leaves[2 * side + 1]);
  }
  return out;
}

template <class Phi>
std::optional<Answer<double>> BinaryPairs<Phi>::solve(const Task<double>& task) {
  const RowSubset& rows = *task.rows;
  const Loss& loss = *context_->loss;
  min_leaf_ = std::max<std::uint32_t>(1, task.min_leaf);
  const bool deeper = task.depth == 2 && task.splits >= 2;
  if (!add_up(rows, deeper)) return std::nullopt;
  typename Loss::Tally tally = loss.tally();
  for (std::uint32_t r = 0; r < rows.size(); ++r) loss.add(tally, rows.row(r));
  const double alone = loss.value(tally);
  const Root root = best_root(task, deeper);
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
  if (deeper) ++context_->counters->depth_two_solves;
  ++context_->counters->pair_solves;
  return out;
}

template class BinaryPairs<Squares>;
template class BinaryPairs<Logs>;

}  // namespace treeproof::threshold
