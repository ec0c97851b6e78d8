// The rows of a classification problem: equal rows are merged, and weights are integers. Section 2
// of docs/proof-format.md.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "json.hpp"
#include "problem.hpp"
#include "table.hpp"

namespace checker {

class Classes {
 public:
  using Cost = std::int64_t;
  using Number = std::int32_t;
  static constexpr bool kExact = true;
  static constexpr Cost kUnit = Cost{1} << 20;
  static constexpr Cost kMostCost = Cost{1} << 52;  // so that sums of many of these do not overflow
  using RowSums = Sums<Number>;

  // Replaces the codes of the problem by those of the merged rows.
  explicit Classes(Problem& problem) : n_classes_(problem.n_classes), gains_(problem.gains) {
    if (gains_) {
      merge_gains(problem);
    } else {
      merge(problem);
    }
    said_.assign(rows_.size(), 0);
    count_samples_ = problem.min_samples_leaf > 1;
    directed_ = problem.directed;
  }

  std::size_t size() const { return rows_.size(); }
  std::size_t n_classes() const { return n_classes_; }
  static Cost cost(std::int64_t weight) { return weight * kUnit; }
  Cost everything() const { return cost(total_); }
  // For each row of the table the merged row that contains it; for costs, the first of the copies
  // of its group.
  const std::vector<std::size_t>& merged() const { return merged_; }
  // The cost of a merged row in a leaf that predicts a class.
  Cost errors(std::size_t row, std::size_t label) const {
    return rows_[row].label == label ? 0 : cost(rows_[row].weight);
  }
  // The cost of a row if it pays one unit of cost for each unit of its weight.
  Cost weight(std::size_t row) const {
    return gains_ ? heft_[row] << (20 + gains_->exponent) : cost(rows_[row].weight);
  }
  // The same for all rows together, if it is an integer; otherwise a negative number.
  double whole_weight() const {
    if (!gains_) return exponent_ == 0 ? static_cast<double>(everything()) : -1.0;
    double sum = 0;
    for (const std::int64_t own : heft_) sum += own < 0 ? 0x1p60 : static_cast<double>(own);
    const int e = gains_->exponent;
    return sum < 0x1p30 && e >= -20 && e <= 25 ? std::ldexp(sum, 20 + e) : -1.0;
  }
  Cost tolerance() const { return 0; }
  double objective(Cost of) const {
    return static_cast<double>(of) / (static_cast<double>(kUnit) * static_cast<double>(total_));
  }
  // For costs of actions: the mean cost of a row in the tree, without penalties.
  double mean_cost() const {
    double sum = 0;
    for (std::size_t k = 0; k < paid_.size(); ++k) {
      if (!paid_[k].empty()) sum += paid_[k][static_cast<std::size_t>(said_[k])];
    }
    return sum / gains_->weight;
  }
  // For costs of actions: a lower bound on the mean cost of all trees, with penalties, rounded
  // down.
  double least_mean_cost(Cost lower) const {
    const double left = static_cast<double>(lower) / static_cast<double>(kUnit);
    const double gained = static_cast<double>(total_ - gains_->n_raised) - left;
    const double most = std::ldexp(gained, -gains_->exponent) + gains_->off;
    return (gains_->base - most) / gains_->weight;
  }
  Cost split_cost(double penalty) const {
    if (gains_) penalty = fraction(penalty);
    const double exact = penalty * static_cast<double>(total_) * kUnit;
    require(exact >= 0 && exact < 0x1p62, "the split penalty is negative or too large");
    return static_cast<Cost>(std::floor(exact + 0.5));
  }

  // The cost of a leaf with the given prediction.
  Cost leaf_cost(const Rows& rows, const Json& prediction) {
    const std::int64_t predicted = prediction.integer("the prediction of a leaf");
    require(predicted >= 0 && predicted < static_cast<std::int64_t>(n_classes_),
            "the tree predicts a class that does not exist");
    std::int64_t wrong = 0;
    for (const std::uint32_t row : rows) {
      said_[row] = predicted;
      if (rows_[row].label != static_cast<std::size_t>(predicted)) wrong += rows_[row].weight;
    }
    return cost(wrong);
  }
  // The prediction of the tree for each row of the table.
  std::vector<std::int64_t> said() const {
    std::vector<std::int64_t> out;
    for (const std::size_t row : merged_) out.push_back(said_[row]);
    return out;
  }
  // A lower bound on the priced costs of all trees: an integer, and a number of 2^-20ths.
  std::pair<std::int64_t, std::int64_t> least_cost(Cost lower) const {
    require(gains_->exponent == 0 && !gains_->rounded && gains_->base < 0x1p52,
            "the costs were rounded");
    const Cost gained = total_ - gains_->n_raised;
    return {static_cast<std::int64_t>(gains_->base) - gained, lower};
  }
  // Whether all leaves of some rows predict a class.
  bool all_said(const Rows& rows, std::size_t label) const {
    return std::all_of(rows.begin(), rows.end(),
                       [&](std::uint32_t row) { return std::cmp_equal(said_[row], label); });
  }
  // Requires that the tree has the claimed ratio, and that no tree of at least the proved cost has
  // a higher one.
  void check(const Ratio& ratio, Cost lower, Cost split_cost, std::size_t n_rows) const {
    double wrong[2] = {0, 0};  // for each class, before rounding
    std::int64_t off = 0;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      if (std::cmp_not_equal(rows_[k].label, said_[k])) wrong[rows_[k].label] += summed_[k];
      const double more = std::ldexp(rows_[k].weight, -exponent_) - summed_[k];
      if (more > 0) off += static_cast<std::int64_t>(more);
    }
    const double all = std::accumulate(summed_.begin(), summed_.end(), 0.0);
    require(exponent_ <= 0 && all < 0x1p53, "the weights are too large");
    const auto positive = static_cast<std::size_t>(ratio.positive());
    ratio.check_tree(static_cast<std::int64_t>(wrong[positive]),
                     static_cast<std::int64_t>(wrong[1 - positive]));
    // A tree has at most as many leaves as there are rows, and errors are integers.
    const double penalties = static_cast<double>(split_cost) * static_cast<double>(n_rows - 1);
    std::int64_t least = 0;
    if (penalties < static_cast<double>(lower)) {
      const Cost left = lower - split_cost * static_cast<Cost>(n_rows - 1);
      least = (std::max<Cost>(left, 0) + kUnit - 1) / kUnit;
    }
    const double weighed = std::ldexp(static_cast<double>(least), -exponent_);
    require(weighed < 0x1p62, "the weights are too large");
    ratio.check_bound(static_cast<std::int64_t>(weighed) - off);
  }
  std::int64_t samples_of(std::size_t row) const { return rows_[row].samples; }
  std::int64_t samples(const Rows& rows) const {
    std::int64_t sum = 0;
    for (const std::uint32_t row : rows) sum += rows_[row].samples;
    return sum;
  }

  // Adds up some rows of a step: weights of classes, the number of rows if needed, and forced
  // errors, which are needed for the whole step only.
  void add_up(const Here& here, const Rows& members, bool whole, Sums<Number>& out) const {
    const std::size_t forced = n_classes_ + (count_samples_ ? 1 : 0);
    out.start(here, whole ? forced + 1 : forced);
    for (const std::uint32_t i : members) {
      const Row& row = rows_[here.rows()[i]];
      out.add(i, row.label, row.weight);
      if (count_samples_) out.add(i, n_classes_, row.samples);
      if (whole && row.forced > 0) out.add(i, forced, row.forced);
    }
    out.finish();
  }
  void tabulate(const Here& here, const Rows&, const Sums<Number>& sums, bool whole,
                Table<Number>& out) const {
    if (count_samples_) sums.both_sides(n_classes_, out.samples);
    if (whole) sums.both_sides(n_classes_ + (count_samples_ ? 1 : 0), out.forced);
    if (directed_) sums.both_sides(0, out.first);
    const std::size_t n = here.n_places();
    out.weight.assign(2 * n, 0);
    out.most.assign(2 * n, 0);
    out.leaf.resize(2 * n);
    out.whole_weight = 0;
    if (whole) out.whole_forced = sums.total(n_classes_ + (count_samples_ ? 1 : 0));
    std::int32_t heaviest = 0;
    std::int32_t *weight = out.weight.data(), *most = out.most.data();
    for (std::size_t c = 0; c < n_classes_; ++c) {
      const std::int32_t *yes = sums.yes(c), total = sums.total(c);
      for (std::size_t p = 0; p < n; ++p) {
        weight[p] += yes[p];
        most[p] = std::max(most[p], yes[p]);
        most[n + p] = std::max(most[n + p], total - yes[p]);
      }
      out.whole_weight += total;
      heaviest = std::max(heaviest, total);
    }
    for (std::size_t p = 0; p < n; ++p) {
      weight[n + p] = out.whole_weight - weight[p];
      out.leaf[p] = weight[p] - most[p];
      out.leaf[n + p] = weight[n + p] - most[n + p];
    }
    out.whole_leaf = out.whole_weight - heaviest;
  }

  // The least loss of a split into leaves, without a table. It is used if tests have two children
  // and leaves may have any size. The largest number if no test divides the rows.
  Number cheapest_leaves(const Here& here, const Sums<Number>& sums) const {
    constexpr std::size_t kBlock = Sums<Number>::kBlock;
    constexpr Number kNothing = std::numeric_limits<Number>::max();
    Number least = kNothing, whole = 0;
    for (std::size_t c = 0; c < n_classes_; ++c) whole += sums.total(c);
    for (const auto& view : here.views()) {
      for (std::size_t t = view.begin; t <= view.last_test; t += kBlock) {
        Number weight[kBlock], yes_most[kBlock], no_most[kBlock];
        for (std::size_t c = 0; c < n_classes_; ++c) {
          const Number *yes = sums.yes(c) + t, total = sums.total(c);
          for (std::size_t k = 0; k < kBlock && c == 0; ++k) {
            weight[k] = yes_most[k] = yes[k];
            no_most[k] = total - yes[k];
          }
          for (std::size_t k = 0; k < kBlock && c > 0; ++k) {
            const Number y = yes[k], n = total - y;
            weight[k] += y;
            yes_most[k] = yes_most[k] < y ? y : yes_most[k];
            no_most[k] = no_most[k] < n ? n : no_most[k];
          }
        }
        const auto n_tests = static_cast<Number>(std::min(kBlock, view.last_test + 1 - t));
        for (Number k = 0; k < static_cast<Number>(kBlock); ++k) {
          const bool splits = (k < n_tests) & (weight[k] > 0) & (weight[k] < whole);
          const Number loss = splits ? whole - yes_most[k] - no_most[k] : kNothing;
          least = loss < least ? loss : least;
        }
      }
    }
    return least;
  }

 private:
  struct Row {
    std::size_t label;
    std::int32_t weight, samples;
    std::int32_t forced;  // the weight of the row, unless it is the heaviest of its group
  };

  // A penalty as a fraction of all gains, computed in doubles as docs/proof-format.md says.
  double fraction(double penalty) const {
    if (total_ == 0) return 1.0;
    const double own = std::ldexp(static_cast<double>(total_), -gains_->exponent);
    const double factor = own / gains_->weight;
    return factor > 0 ? std::min(penalty / factor, 1.0) : 1.0;
  }

  // Replaces a group of rows that no test tells apart by one row for each action with a gain, and
  // at least one row. The first of these has the number of table rows.
  void merge_gains(Problem& problem) {
    std::vector<std::vector<std::int32_t>> sums;
    std::vector<std::vector<double>> paid;
    std::vector<std::int64_t> heft;
    std::vector<std::uint32_t> first;
    std::vector<std::int32_t> samples;
    std::map<std::size_t, std::size_t> known;
    for (std::size_t i = 0; i < problem.n_rows(); ++i) {
      const auto& own = gains_->whole[i];
      const auto& costs = gains_->costs[i];
      const auto [found, fresh] = known.emplace(problem.group[i], sums.size());
      if (fresh) {
        sums.emplace_back(n_classes_, 0);
        paid.emplace_back(n_classes_, 0.0);
        first.push_back(static_cast<std::uint32_t>(i));
        samples.push_back(0);
        heft.push_back(0);
      }
      for (std::size_t a = 0; a < n_classes_; ++a) {
        sums[found->second][a] += own[a];
        paid[found->second][a] += problem.weights[i] * costs[a];
      }
      ++samples[found->second];
      const double own_weight = problem.weights[i];
      const bool whole = own_weight == std::floor(own_weight) && own_weight < 0x1p30;
      std::int64_t& sum = heft[found->second];  // -1 if it is not an integer
      sum = sum < 0 || !whole || sum > kMostHeft ? -1 : sum + static_cast<std::int64_t>(own_weight);
      merged_.push_back(found->second);
    }
    std::vector<std::uint32_t> kept;
    std::vector<std::size_t> place;  // the position of the first copy of each group
    for (std::size_t k = 0; k < sums.size(); ++k) {
      place.push_back(rows_.size());
      const auto best = std::max_element(sums[k].begin(), sums[k].end()) - sums[k].begin();
      std::int32_t counted = samples[k];
      for (std::size_t a = 0; a < n_classes_; ++a) {
        const bool most = std::cmp_equal(a, best);
        if (!most && sums[k][a] == 0) continue;
        rows_.push_back({a, sums[k][a], counted, most ? 0 : sums[k][a]});
        kept.push_back(first[k]);
        paid_.push_back(counted > 0 ? paid[k] : std::vector<double>());
        heft_.push_back(counted > 0 ? heft[k] : 0);
        counted = 0;
      }
    }
    for (std::size_t& row : merged_) row = place[row];
    total_ = gains_->total;
    keep_codes(problem, kept);
  }

  static void keep_codes(Problem& problem, const std::vector<std::uint32_t>& kept) {
    for (Column& column : problem.columns) {
      std::vector<std::int32_t> codes;
      for (const std::uint32_t row : kept) codes.push_back(column.codes[row]);
      column.codes = std::move(codes);
    }
  }

  // Merges rows with the same codes and the same label.
  void merge(Problem& problem) {
    struct Sum {
      std::uint32_t first;
      double weight;
      std::int32_t samples;
    };
    std::vector<Sum> sums;
    std::vector<std::pair<std::size_t, std::size_t>> keys;  // group and label
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
    for (std::size_t i = 0; i < problem.n_rows(); ++i) {
      const std::pair key{problem.group[i], static_cast<std::size_t>(problem.labels[i])};
      const auto [found, fresh] = known.emplace(key, sums.size());
      if (fresh) {
        keys.push_back(key);
        sums.push_back({static_cast<std::uint32_t>(i), 0.0, 0});
      }
      merged_.push_back(found->second);
      sums[found->second].weight += problem.weights[i];
      ++sums[found->second].samples;
    }
    exponent_ = scale(problem.weights);
    std::map<std::size_t, std::size_t> heaviest;  // the heaviest row of each group
    std::vector<std::uint32_t> kept;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const std::int64_t rounded =
          std::max<std::int64_t>(std::llround(std::ldexp(sums[k].weight, exponent_)), 1);
      require((total_ += rounded) < std::int64_t{1} << 31, "the weights add up to too much");
      const auto weight = static_cast<std::int32_t>(rounded);
      rows_.push_back({keys[k].second, weight, sums[k].samples, weight});
      kept.push_back(sums[k].first);
      summed_.push_back(sums[k].weight);
      const auto most = heaviest.emplace(keys[k].first, rows_.size() - 1).first;
      if (rows_[most->second].weight < weight) most->second = rows_.size() - 1;
    }
    for (const auto& [group, row] : heaviest) rows_[row].forced = 0;
    keep_codes(problem, kept);
  }

  // Returns an exponent: weights are multiplied by two to this power and rounded.
  static int scale(const std::vector<double>& weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double room = 0x1p30 - static_cast<double>(weights.size()) - 1;
    require(room > 0 && std::isfinite(sum), "there are too many rows, or too large weights");
    const bool whole = std::all_of(weights.begin(), weights.end(),
                                   [](double weight) { return weight == std::floor(weight); });
    return whole && sum < room ? 0 : std::ilogb(std::min(room / sum, 0x1p1000));
  }

  std::size_t n_classes_;
  bool count_samples_ = false;
  bool directed_ = false;  // whether a column has a direction
  std::vector<Row> rows_;
  std::vector<std::size_t> merged_;
  std::int64_t total_ = 0;
  std::optional<Gains> gains_;
  std::vector<std::int64_t> said_;  // the prediction of the tree for each row
  std::vector<double> summed_;      // the weights of rows before rounding
  int exponent_ = 0;
  static constexpr std::int64_t kMostHeft = std::int64_t{1} << 50;
  std::vector<std::int64_t> heft_;  // for costs: the weight of each group, at its first row
  // For costs: those of each group by action, at its first row.
  std::vector<std::vector<double>> paid_;
};

}  // namespace checker
