// The rows of a classification problem, merged and weighed in whole numbers: section 2 of
// docs/proof-format.md.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
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
    static constexpr Cost kMostCost = Cost{1} << 52;  // sums of many of these fit
    using RowSums = Sums<Number>;

    // Codes of the problem are replaced by those of the merged rows.
    explicit Classes(Problem& problem) : n_classes_(problem.n_classes) {
        merge(problem);
        count_samples_ = problem.min_samples_leaf > 1;
    }

    std::size_t size() const { return rows_.size(); }
    std::size_t n_classes() const { return n_classes_; }
    static Cost cost(std::int64_t weight) { return weight * kUnit; }
    Cost tolerance() const { return 0; }
    double objective(Cost of) const {
        return static_cast<double>(of) / (static_cast<double>(kUnit) * static_cast<double>(total_));
    }
    Cost split_cost(double penalty) const {
        const double exact = penalty * static_cast<double>(total_) * kUnit;
        require(exact >= 0 && exact < 0x1p62, "the split penalty is negative or too large");
        return static_cast<Cost>(std::floor(exact + 0.5));
    }

    // What a leaf with the given prediction costs.
    Cost leaf_cost(const Rows& rows, const Json& prediction) const {
        const std::int64_t predicted = prediction.integer("the prediction of a leaf");
        require(predicted >= 0 && predicted < static_cast<std::int64_t>(n_classes_),
                "the tree predicts a class that does not exist");
        std::int64_t wrong = 0;
        for (const std::uint32_t row : rows) {
            if (rows_[row].label != static_cast<std::size_t>(predicted)) wrong += rows_[row].weight;
        }
        return cost(wrong);
    }
    std::int64_t samples(const Rows& rows) const {
        std::int64_t sum = 0;
        for (const std::uint32_t row : rows) sum += rows_[row].samples;
        return sum;
    }

    // Add up some rows of a step: weights by class, perhaps samples, and forced errors, which are
    // wanted for the whole step only.
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
        const std::size_t n = here.n_places();
        out.weight.assign(2 * n, 0);
        out.most.assign(2 * n, 0);
        out.leaf.resize(2 * n);
        out.whole_weight = 0;
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

    // The least loss of a split into leaves, with no table, where tests have two children and leaves
    // of one row are allowed; the largest number there is if nothing splits.
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
        std::int32_t forced;  // its weight, unless it is the heaviest of its group
    };

    // Rows with the same codes and the same label become one.
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
            sums[found->second].weight += problem.weights[i];
            ++sums[found->second].samples;
        }
        const int exponent = scale(problem.weights);
        std::map<std::size_t, std::size_t> heaviest;  // of each group
        std::vector<std::uint32_t> kept;
        for (std::size_t k = 0; k < sums.size(); ++k) {
            const std::int64_t rounded =
                std::max<std::int64_t>(std::llround(std::ldexp(sums[k].weight, exponent)), 1);
            require((total_ += rounded) < std::int64_t{1} << 31, "the weights add up to too much");
            const auto weight = static_cast<std::int32_t>(rounded);
            rows_.push_back({keys[k].second, weight, sums[k].samples, weight});
            kept.push_back(sums[k].first);
            const auto most = heaviest.emplace(keys[k].first, rows_.size() - 1).first;
            if (rows_[most->second].weight < weight) most->second = rows_.size() - 1;
        }
        for (const auto& [group, row] : heaviest) rows_[row].forced = 0;
        for (Column& column : problem.columns) {
            std::vector<std::int32_t> codes;
            for (const std::uint32_t row : kept) codes.push_back(column.codes[row]);
            column.codes = std::move(codes);
        }
    }

    // Weights are multiplied by two to this power and rounded.
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
    std::vector<Row> rows_;
    std::int64_t total_ = 0;
};

}  // namespace checker
