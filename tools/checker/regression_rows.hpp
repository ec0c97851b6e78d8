// The rows of a regression problem and how they are counted: section 5 of docs/proof-format.md.
// Losses are doubles. They are added up row by row, never subtracted, so that nothing cancels.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "counts.hpp"
#include "errors.hpp"
#include "problem.hpp"
#include "tests_here.hpp"

namespace checker {

// Squared error of the best constants for the rows added so far.
class SquaredLoss {
public:
    explicit SquaredLoss(const Problem& problem)
        : problem_(problem), sums_(problem.targets.size()) {}

    void clear() {
        weight_ = squares_ = 0;
        std::fill(sums_.begin(), sums_.end(), 0.0);
    }
    void add(std::size_t row) {
        const double weight = problem_.weights[row];
        weight_ += weight;
        for (std::size_t o = 0; o < sums_.size(); ++o) {
            const double target = problem_.targets[o][row];
            sums_[o] += weight * target;
            squares_ += weight * target * target;
        }
    }
    double cost() const {
        double explained = 0;
        for (const double sum : sums_) explained += sum * sum;
        return weight_ > 0 ? std::max(0.0, squares_ - explained / weight_) : 0.0;
    }
    static double error(double difference) { return difference * difference; }

private:
    const Problem& problem_;
    double weight_ = 0, squares_ = 0;
    std::vector<double> sums_;
};

// Absolute error of the best constants: the weighted median, found in a binary indexed tree of
// weights and weighted targets by rank, one for each output.
class AbsoluteLoss {
public:
    explicit AbsoluteLoss(const Problem& problem) : problem_(problem) {
        for (const auto& target : problem.targets) {
            std::vector<std::size_t> order(target.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(),
                             [&](std::size_t a, std::size_t b) { return target[a] < target[b]; });
            Output output;
            output.rank.resize(order.size());
            for (std::size_t i = 0; i < order.size(); ++i) {
                output.rank[order[i]] = i;
                output.sorted.push_back(target[order[i]]);
            }
            output.tree.resize(order.size() + 1);
            outputs_.push_back(std::move(output));
        }
    }

    void clear() {
        weight_ = 0;
        for (Output& output : outputs_) {
            output.sum = 0;
            std::fill(output.tree.begin(), output.tree.end(), Node{});
        }
    }
    void add(std::size_t row) {
        const double weight = problem_.weights[row];
        weight_ += weight;
        for (Output& output : outputs_) {
            const double moment = weight * output.sorted[output.rank[row]];
            output.sum += moment;
            for (std::size_t i = output.rank[row] + 1; i < output.tree.size(); i += i & (~i + 1)) {
                output.tree[i].weight += weight;
                output.tree[i].moment += moment;
            }
        }
    }
    double cost() const {
        double sum = 0;
        for (const Output& output : outputs_) {
            // All ranks below `at` together weigh less than half.
            std::size_t at = 0;
            Node below;
            for (std::size_t leap = std::bit_floor(output.tree.size()); leap != 0; leap /= 2) {
                if (at + leap >= output.tree.size()) continue;
                const Node& node = output.tree[at + leap];
                if (2 * (below.weight + node.weight) >= weight_) continue;
                below = {below.weight + node.weight, below.moment + node.moment};
                at += leap;
            }
            const double median = output.sorted[std::min(at, output.sorted.size() - 1)];
            const double left = median * below.weight - below.moment;
            const double right = output.sum - below.moment - median * (weight_ - below.weight);
            sum += std::max(0.0, left + right);
        }
        return sum;
    }
    static double error(double difference) { return std::abs(difference); }

private:
    struct Node {
        double weight = 0, moment = 0;
    };
    struct Output {
        std::vector<std::size_t> rank;  // of each row's target
        std::vector<double> sorted;
        std::vector<Node> tree;
        double sum = 0;
    };
    const Problem& problem_;
    std::vector<Output> outputs_;
    double weight_ = 0;
};

template <class Loss>
class RegressionRows {
public:
    using Cost = double;

    // The problem's targets are centred at their weighted means.
    explicit RegressionRows(Problem& problem)
        : problem_(problem), tests_(problem, 2), loss_((centre(), problem)) {
        for (std::size_t i = 0; i < size(); ++i) loss_.add(i);
        root_loss_ = loss_.cost();
    }

    std::size_t size() const { return problem_.n_rows(); }
    Bits all() const { return first_bits(size()); }
    double tolerance() const { return 1e-9 * root_loss_; }
    double objective(double cost) const { return root_loss_ > 0 ? cost / root_loss_ : cost; }
    double split_cost(double penalty) const {
        require(penalty >= 0, "the split penalty is negative");
        return penalty * root_loss_;
    }

    double leaf_cost(const Bits& rows, const Json& prediction) const {
        std::vector<double> values;
        if (const auto* list = prediction.get<Json::Array>()) {
            for (const Json& value : *list) values.push_back(value.real("a prediction"));
        } else {
            values.push_back(prediction.real("a prediction"));
        }
        require(values.size() == means_.size(), "a leaf does not predict a number for each target");
        double sum = 0;
        for_each_bit(rows, [&](std::size_t i) {
            for (std::size_t o = 0; o < values.size(); ++o) {
                const double difference = problem_.targets[o][i] - (values[o] - means_[o]);
                sum += problem_.weights[i] * Loss::error(difference);
            }
        });
        return sum;
    }
    std::int64_t samples(const Bits& rows) const {
        std::int64_t sum = 0;
        for (const std::uint64_t word : rows) sum += std::popcount(word);
        return sum;
    }

    void restrict(Bits& rows, std::size_t t, std::size_t outcome) const {
        const Test& test = problem_.tests[t];
        Bits kept(rows.size());
        for_each_bit(rows, [&](std::size_t i) {
            if (Problem::outcome(problem_.columns[test.column], test, i) == outcome) set(kept, i);
        });
        rows = std::move(kept);
    }

    // The rows of a step, in the order of every column.
    void focus(const Bits& rows) {
        here_ = rows;
        rows_.clear();
        for_each_bit(rows, [&](std::size_t i) { rows_.push_back(i); });
        tests_.restrict_to(rows_);
        sorted_.assign(problem_.columns.size(), rows_);
        for (std::size_t f = 0; f < sorted_.size(); ++f) {
            const auto& codes = problem_.columns[f].codes;
            std::stable_sort(sorted_[f].begin(), sorted_[f].end(),
                             [&](std::size_t a, std::size_t b) { return codes[a] < codes[b]; });
        }
    }
    const Bits& whole() const { return here_; }
    const TestsHere& tests() const { return tests_; }
    void child(std::size_t t, std::size_t outcome, Bits& rows) const {
        rows = here_;
        restrict(rows, t, outcome);
    }

    void tabulate(const Bits& rows, Counts<double>& out) {
        out.resize(tests_.n_slots(), 0);
        rows_.clear();
        for_each_bit(rows, [&](std::size_t i) { rows_.push_back(i); });
        count(rows_.begin(), rows_.end(), tests_.n_slots(), out);
        for (std::size_t f = 0; f < problem_.columns.size(); ++f) {
            if (tests_.first(f) == tests_.end(f)) continue;
            rows_.clear();
            for (const std::size_t i : sorted_[f]) {
                if (has(rows, i)) rows_.push_back(i);
            }
            if (problem_.columns[f].split == Split::kThreshold) {
                count_thresholds(f, out);
            } else {
                count_categories(f, out);
            }
        }
    }

private:
    using Iterator = std::vector<std::size_t>::const_iterator;

    void centre() {
        const auto& weights = problem_.weights;
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (auto& target : problem_.targets) {
            means_.push_back(
                std::inner_product(target.begin(), target.end(), weights.begin(), 0.0) / total);
            for (double& value : target) value -= means_.back();
        }
    }

    void count(Iterator begin, Iterator end, std::size_t slot, Counts<double>& out) {
        loss_.clear();
        for (auto row = begin; row != end; ++row) loss_.add(*row);
        out.leaf[slot] = loss_.cost();
        out.samples[slot] = end - begin;
    }

    // Rows stand by code: once upwards for "code <= c", once downwards for "code > c".
    void count_thresholds(std::size_t f, Counts<double>& out) {
        const auto& codes = problem_.columns[f].codes;
        loss_.clear();
        std::size_t done = 0;
        for (std::size_t t = tests_.first(f); t < tests_.end(f); ++t) {
            const Test& test = tests_.list()[t];
            for (; done < rows_.size() && codes[rows_[done]] <= test.code; ++done) {
                loss_.add(rows_[done]);
            }
            out.leaf[test.first_slot] = loss_.cost();
            out.samples[test.first_slot] = static_cast<std::int64_t>(done);
        }
        loss_.clear();
        std::size_t left = rows_.size();
        for (std::size_t t = tests_.end(f); t-- > tests_.first(f);) {
            const Test& test = tests_.list()[t];
            for (; left > 0 && codes[rows_[left - 1]] > test.code; --left) {
                loss_.add(rows_[left - 1]);
            }
            out.leaf[test.first_slot + 1] = loss_.cost();
            out.samples[test.first_slot + 1] = static_cast<std::int64_t>(rows_.size() - left);
        }
    }

    void count_categories(std::size_t f, Counts<double>& out) {
        const Column& column = problem_.columns[f];
        const Test* tests = tests_.list().data() + tests_.first(f);
        auto begin = rows_.cbegin();
        const std::size_t n = column.split == Split::kMultiway ? column.n_values : column.n_tests;
        for (std::size_t c = 0; c < n; ++c) {
            const auto end = std::find_if(begin, rows_.cend(), [&](std::size_t row) {
                return column.codes[row] > static_cast<std::int32_t>(c);
            });
            if (column.split == Split::kMultiway) {
                count(begin, end, tests[0].first_slot + c, out);
            } else {
                const std::size_t slot = tests[c].first_slot;
                count(begin, end, slot, out);
                std::vector<std::size_t> others(rows_.cbegin(), begin);
                others.insert(others.end(), end, rows_.cend());
                count(others.cbegin(), others.cend(), slot + 1, out);
            }
            begin = end;
        }
    }

    Problem& problem_;
    TestsHere tests_;
    std::vector<double> means_;
    Loss loss_;
    double root_loss_ = 0;
    Bits here_;
    std::vector<std::size_t> rows_;
    std::vector<std::vector<std::size_t>> sorted_;  // the rows of the step, by column
};

}  // namespace checker
