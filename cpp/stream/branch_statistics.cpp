#include "stream/branch_statistics.hpp"

#include <algorithm>

namespace treeproof::stream {
namespace {

// Floats count exactly up to 2^24. Long before that, the counts of a table are halved, which does
// not change the ratios for which they are used.
constexpr double kHalveAt = 4194304.0;

constexpr double kImpossible = -1.0;

float most(const float* classes, std::size_t n) {
  return n == 0 ? 0.0F : *std::max_element(classes, classes + n);
}

float sum(const float* classes, std::size_t n) {
  float total = 0.0F;
  for (std::size_t k = 0; k < n; ++k) total += classes[k];
  return total;
}

}  // namespace

Layout::Layout(const Schema& s) : schema(s), n_classes(static_cast<std::size_t>(s.n_classes)) {
  for (std::size_t c = 0; c < s.columns.size(); ++c) {
    offset.push_back(n_cells);
    n_cells += static_cast<std::size_t>(s.columns[c].n_codes);
    first_split.push_back(splits.size());
    const auto column = static_cast<std::int32_t>(c);
    if (s.columns[c].kind == ColumnKind::multiway) {
      splits.push_back({column, -1});
    } else {
      for (std::int32_t cut = 0; cut + 1 < s.columns[c].n_codes; ++cut)
        splits.push_back({column, cut});
    }
  }
}

BranchStatistics::BranchStatistics(Branch branch, std::shared_ptr<const Layout> layout,
                                   Estimator estimator)
    : branch_(std::move(branch)), layout_(std::move(layout)), estimator_(estimator),
      classes_(layout_->n_classes), cells_(layout_->n_cells * layout_->n_classes) {
  if (estimator_ == Estimator::posterior) {
    cell_hits_.resize(layout_->n_cells);
    cell_guess_.resize(layout_->n_cells);
  }
}

void BranchStatistics::observe(Row row, std::int32_t label, float weight) {
  const std::size_t n_classes = layout_->n_classes;
  const auto k = static_cast<std::size_t>(label);
  n_ += static_cast<double>(weight);
  stale_ = true;
  classes_[k] += weight;
  const std::size_t n_columns = row.size();
  const std::size_t* offset = layout_->offset.data();
  if (estimator_ == Estimator::frequency) {
    float* cells = cells_.data() + k;
    for (std::size_t c = 0; c < n_columns; ++c) cells[(offset[c] + row[c]) * n_classes] += weight;
  } else {
    // The prediction comes from the rows before this one: T^(t-1) in Eqs. 6.5 and 6.6.
    if (guess_ == label) hits_ += weight;
    if (classes_[k] > classes_[static_cast<std::size_t>(guess_)]) guess_ = label;
    for (std::size_t c = 0; c < n_columns; ++c) {
      const std::size_t cell = offset[c] + row[c];
      float* counts = cells_.data() + cell * n_classes;
      std::int16_t& guess = cell_guess_[cell];
      if (guess == label) {
        cell_hits_[cell] += weight;
        counts[k] += weight;
      } else {
        counts[k] += weight;
        if (counts[k] > counts[guess]) guess = static_cast<std::int16_t>(label);
      }
    }
  }
  if (n_ > kHalveAt) scale(0.5F);
}

void BranchStatistics::scale(float factor) {
  n_ *= static_cast<double>(factor);
  hits_ *= factor;
  for (float& x : classes_) x *= factor;
  for (float& x : cells_) x *= factor;
  for (float& x : cell_hits_) x *= factor;
  stale_ = true;
}

void BranchStatistics::adopt(const std::shared_ptr<const Layout>& layout) {
  if (layout == layout_) return;
  const Layout& from = *layout_;
  const Layout& to = *layout;
  std::vector<float> cells(to.n_cells * to.n_classes);
  // A table made before the first column has no cells, but an estimator all the same.
  std::vector<float> cell_hits(estimator_ == Estimator::posterior ? to.n_cells : 0);
  std::vector<std::int16_t> cell_guess(cell_hits.size());
  classes_.resize(to.n_classes);
  for (std::size_t c = 0; c < to.schema.columns.size(); ++c) {
    const bool known = c < from.schema.columns.size() &&
                       (to.schema.columns[c].kind == ColumnKind::multiway ||
                        to.schema.columns[c].n_codes == from.schema.columns[c].n_codes);
    if (!known) {
      // there is no cell in which to count them
      if (n_ <= 0.0 || to.schema.columns[c].missing < 0) continue;
      const std::size_t cell = to.cell(c, static_cast<std::size_t>(to.schema.columns[c].missing));
      std::copy(classes_.begin(), classes_.end(),
                cells.begin() + static_cast<std::ptrdiff_t>(cell * to.n_classes));
      if (cell_hits.empty()) continue;
      cell_hits[cell] = hits_;
      cell_guess[cell] = static_cast<std::int16_t>(guess_);
      continue;
    }
    for (std::int32_t code = 0; code < from.schema.columns[c].n_codes; ++code) {
      const std::size_t old_cell = from.cell(c, static_cast<std::size_t>(code));
      const std::size_t new_cell = to.cell(c, static_cast<std::size_t>(code));
      for (std::size_t k = 0; k < from.n_classes; ++k)
        cells[new_cell * to.n_classes + k] = cells_[old_cell * from.n_classes + k];
      if (cell_hits.empty()) continue;
      cell_hits[new_cell] = cell_hits_[old_cell];
      cell_guess[new_cell] = cell_guess_[old_cell];
    }
  }
  cells_ = std::move(cells);
  cell_hits_ = std::move(cell_hits);
  cell_guess_ = std::move(cell_guess);
  layout_ = layout;
  stale_ = true;
}

// `hits` < 0: not known for this set of rows, take the majority's share.
Estimate BranchStatistics::estimate(double total, double most_, double hits) const {
  if (estimator_ == Estimator::frequency) return {total > 0.0 ? most_ / total : 0.0, 0.0};
  // The Normal approximation of the Beta posterior, Eq. 6.7.
  if (hits < 0.0) hits = most_;
  const double alpha = 1.0 + hits;
  const double beta = 1.0 + total - hits;
  const double strength = alpha + beta;
  const double mean = alpha / strength;
  return {mean, mean * (1.0 - mean) / (1.0 + strength)};
}

Estimate BranchStatistics::leaf() const {
  return estimate(n_, static_cast<double>(most(classes_.data(), classes_.size())),
                  static_cast<double>(hits_));
}

std::vector<double> BranchStatistics::child_classes(const Literal& literal) const {
  std::vector<double> classes(layout_->n_classes);
  for (std::size_t code = literal.lo; code <= literal.hi; ++code) {
    const std::size_t cell = layout_->cell(static_cast<std::size_t>(literal.column), code);
    for (std::size_t k = 0; k < classes.size(); ++k)
      classes[k] += static_cast<double>(cells_[cell * classes.size() + k]);
  }
  return classes;
}

BranchStatistics::ChildView BranchStatistics::child(const Literal& literal) const {
  const std::vector<double> classes = child_classes(literal);
  ChildView view;
  double best = 0.0;
  for (const double w : classes) {
    view.n += w;
    best = std::max(best, w);
  }
  view.share = n_ > 0.0 ? view.n / n_ : 0.0;
  double hits = -1.0;
  if (estimator_ == Estimator::posterior && literal.lo == literal.hi)
    hits = static_cast<double>(
        cell_hits_[layout_->cell(static_cast<std::size_t>(literal.column), literal.lo)]);
  view.estimate = estimate(view.n, best, hits);
  return view;
}

void BranchStatistics::refresh() {
  if (!stale_) return;
  stale_ = false;
  const Layout& layout = *layout_;
  const std::size_t n_classes = layout.n_classes;
  splits_.assign(layout.splits.size(), {kImpossible, 0.0});
  n_possible_ = 0;
  best_split_ = -1;
  if (n_ <= 0.0) return;
  std::vector<float> left(n_classes);
  std::vector<float> right(n_classes);
  for (std::size_t s = 0; s < layout.splits.size(); ++s) {
    const Split split = layout.splits[s];
    if (!can_split(branch_, split, layout.schema)) continue;
    const auto column = static_cast<std::size_t>(split.column);
    Estimate total;
    int parts = 0;
    const auto add = [&](double n, double best, double hits) {
      if (n <= 0.0) return;
      ++parts;
      const double share = n / n_;
      const Estimate e = estimate(n, best, hits);
      total.mean += share * e.mean;
      total.variance += share * share * e.variance;
    };
    if (split.cut < 0) {
      for (std::int32_t code = 0; code < layout.schema.columns[column].n_codes; ++code) {
        const std::size_t cell = layout.cell(column, static_cast<std::size_t>(code));
        const float* counts = cells_.data() + cell * n_classes;
        add(static_cast<double>(sum(counts, n_classes)),
            static_cast<double>(most(counts, n_classes)),
            estimator_ == Estimator::posterior ? static_cast<double>(cell_hits_[cell]) : -1.0);
      }
    } else {
      const Literal range = branch_.range(split.column, layout.schema);
      std::ranges::fill(left, 0.0F);
      std::ranges::fill(right, 0.0F);
      for (std::size_t code = range.lo; code <= range.hi; ++code) {
        auto& side = static_cast<std::int32_t>(code) <= split.cut ? left : right;
        const float* counts = cells_.data() + layout.cell(column, code) * n_classes;
        for (std::size_t k = 0; k < n_classes; ++k) side[k] += counts[k];
      }
      for (const auto& side : {left, right})
        add(static_cast<double>(sum(side.data(), n_classes)),
            static_cast<double>(most(side.data(), n_classes)), -1.0);
    }
    if (parts < 2) continue;
    splits_[s] = total;
    ++n_possible_;
    if (best_split_ < 0 || total.mean > splits_[static_cast<std::size_t>(best_split_)].mean)
      best_split_ = static_cast<std::int32_t>(s);
  }
}

std::size_t BranchStatistics::bytes() const {
  return sizeof(BranchStatistics) + branch_.literals().capacity() * sizeof(Literal) +
         (classes_.capacity() + cells_.capacity() + cell_hits_.capacity()) * sizeof(float) +
         cell_guess_.capacity() * sizeof(std::int16_t) + splits_.capacity() * sizeof(Estimate);
}

}  // namespace treeproof::stream
