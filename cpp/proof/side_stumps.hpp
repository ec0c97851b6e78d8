// The best stumps on both sides of a cut, for labels, in one pass over every list.
//
// A prover of depth two asks for them at every cut it looks at. Partitioning the rows and
// walking each part would read everything three times; here each feature's list is walked once,
// with counts for both sides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/row_subset.hpp"
#include "loss/misclassification.hpp"

namespace treeproof::proof {

class SideStumps {
 public:
  struct Losses {
    Cost leaf = 0;
    Cost stump = 0;  // of the best split into two leaves; no more than `leaf`
  };

  SideStumps(const Columns& columns, const Misclassification& loss)
      : columns_(&columns), loss_(&loss), classes_(static_cast<std::size_t>(loss.n_classes())) {
    totals_.resize(2 * classes_);
    seen_.resize(2 * classes_);
  }

  // Only columns of thresholds and of categories one against the rest can be walked.
  static bool serves(const Columns& columns) {
    return std::ranges::all_of(columns.features, [](const Feature& f) {
      return f.kind == FeatureKind::ordered || f.n_values <= 2;
    });
  }

  // To be called before the first cut of a set of rows.
  void prepare(const RowSubset& rows) {
    const std::uint32_t n = rows.size();
    last_of_run_.resize(static_cast<std::size_t>(columns_->n_features()) * n);
    for (std::int32_t g = 0; g < columns_->n_features(); ++g) {
      const FeatureView view(*columns_, rows, g);
      std::uint8_t* last = last_of_run_.data() + static_cast<std::size_t>(g) * n;
      for (std::uint32_t k = 0; k + 1 < n; ++k) last[k] = view.boundary(k + 1) ? 1 : 0;
      last[n - 1] = 0;
    }
  }

  // The first `position` rows of feature f's list are on the left.
  void cut(const RowSubset& rows, std::int32_t f, std::uint32_t position) {
    const std::uint32_t n = rows.size();
    rows_.resize(n);
    std::ranges::fill(totals_, 0);
    const std::uint32_t* list = rows.list(f);
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t row = rows.row(list[k]);
      const std::uint32_t side = k < position ? 0 : 1;
      const auto slot = static_cast<std::uint32_t>(side * classes_) +
                        static_cast<std::uint32_t>(loss_->label(row));
      rows_[list[k]] = {slot, loss_->row_weight(row)};
      totals_[slot] += loss_->row_weight(row);
    }
    for (std::size_t s = 0; s < 2; ++s) losses_[s].leaf = losses_[s].stump = wrong(totals_, s);
    for (std::int32_t g = 0; g < columns_->n_features(); ++g) walk(rows, g);
    for (Losses& l : losses_) {
      l.leaf = cost_of(l.leaf);
      l.stump = cost_of(l.stump);
    }
  }

  const Losses& left() const { return losses_[0]; }
  const Losses& right() const { return losses_[1]; }

 private:
  std::int64_t wrong(const std::vector<std::int64_t>& counts, std::size_t s) const {
    std::int64_t sum = 0, most = 0;
    for (std::size_t c = s * classes_; c < (s + 1) * classes_; ++c) {
      sum += counts[c];
      most = std::max(most, counts[c]);
    }
    return sum - most;
  }

  void walk(const RowSubset& rows, std::int32_t g) {
    const std::uint32_t* list = rows.list(g);
    const std::uint32_t n = rows.size();
    const std::uint8_t* last = last_of_run_.data() + static_cast<std::size_t>(g) * n;
    if (classes_ == 2) {
      walk_two_classes(list, last, n);
      return;
    }
    std::ranges::fill(seen_, 0);
    bool changed[2] = {false, false};
    for (std::uint32_t k = 0; k < n; ++k) {
      const SlotWeight& row = rows_[list[k]];
      seen_[row.slot] += row.weight;
      changed[row.slot >= classes_] = true;
      if (last[k] == 0) continue;
      for (std::size_t s = 0; s < 2; ++s)
        if (changed[s]) evaluate(s);
      changed[0] = changed[1] = false;
    }
  }

  // The same without a branch that depends on the side, which nothing could predict.
  void walk_two_classes(const std::uint32_t* list, const std::uint8_t* last, std::uint32_t n) {
    std::int64_t in[4] = {0, 0, 0, 0};
    std::int64_t best[2] = {losses_[0].stump, losses_[1].stump};
    const std::int64_t* all = totals_.data();
    for (std::uint32_t k = 0; k < n; ++k) {
      const SlotWeight& row = rows_[list[k]];
      in[row.slot] += row.weight;
      if (last[k] == 0) continue;
      for (std::size_t s = 0; s < 4; s += 2) {
        const std::int64_t wrong = std::min(in[s], in[s + 1]) +
                                   std::min(all[s] - in[s], all[s + 1] - in[s + 1]);
        best[s / 2] = std::min(best[s / 2], wrong);
      }
    }
    losses_[0].stump = best[0];
    losses_[1].stump = best[1];
  }

  void evaluate(std::size_t s) {
    std::int64_t sum = 0, most_in = 0, most_out = 0;
    for (std::size_t c = s * classes_; c < (s + 1) * classes_; ++c) {
      sum += totals_[c];
      most_in = std::max(most_in, seen_[c]);
      most_out = std::max(most_out, totals_[c] - seen_[c]);
    }
    losses_[s].stump = std::min(losses_[s].stump, sum - most_in - most_out);
  }

  const Columns* columns_;
  const Misclassification* loss_;
  std::size_t classes_;
  std::vector<std::int64_t> totals_, seen_;  // by side and class
  struct SlotWeight {
    std::uint32_t slot;  // side and class
    Weight weight;
  };
  std::vector<SlotWeight> rows_;
  std::vector<std::uint8_t> last_of_run_;  // [feature][position]: the next value differs
  Losses losses_[2];
};

}  // namespace treeproof::proof
