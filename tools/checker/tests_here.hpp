// The tests that matter on some rows. A column with many thresholds has few different cuts of few
// rows; counting those only makes a step cost what its rows cost, not what the table does.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "problem.hpp"

namespace checker {

inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

class TestsHere {
public:
    // Columns of more than `few` thresholds are cut down to the values of these rows.
    TestsHere(const Problem& problem, std::size_t few) : problem_(problem), few_(few) {
        restrict_to(std::vector<std::size_t>());
    }

    bool is_long(const Column& column) const {
        return column.split == Split::kThreshold && column.n_values > few_;
    }

    void restrict_to(const std::vector<std::size_t>& rows) {
        const auto& columns = problem_.columns;
        const auto cut_down = [&](const Column& column) { return is_long(column); };
        if (!first_.empty() && std::none_of(columns.begin(), columns.end(), cut_down)) return;
        tests_.clear();
        number_.clear();
        first_.clear();
        n_slots_ = 0;
        values_.resize(columns.size());
        for (std::size_t f = 0; f < columns.size(); ++f) {
            const Column& column = columns[f];
            first_.push_back(tests_.size());
            if (!is_long(column)) {
                for (std::size_t t = 0; t < column.n_tests; ++t) add(column.first_test + t);
                continue;
            }
            auto& values = values_[f];
            values.clear();
            for (const std::size_t row : rows) values.push_back(column.codes[row]);
            std::sort(values.begin(), values.end());
            values.erase(std::unique(values.begin(), values.end()), values.end());
            for (std::size_t k = 0; k + 1 < values.size(); ++k) {
                add(column.first_test + static_cast<std::size_t>(values[k]));
            }
        }
        first_.push_back(tests_.size());
    }

    const std::vector<Test>& list() const { return tests_; }
    std::size_t n_slots() const { return n_slots_; }
    // Numbers of a column's tests, in this list.
    std::size_t first(std::size_t f) const { return first_[f]; }
    std::size_t end(std::size_t f) const { return first_[f + 1]; }
    // The codes that occur in a long column.
    const std::vector<std::int32_t>& values(std::size_t f) const { return values_[f]; }
    std::size_t rank(std::size_t f, std::int32_t code) const {
        const auto& values = values_[f];
        return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), code) -
                                        values.begin());
    }
    // A test of the list as the proof numbers it, and the other way round: the one that cuts
    // these rows in the same way, or kNone if all are on one side.
    std::size_t number(std::size_t t) const { return number_[t]; }
    std::size_t find(std::size_t number) const {
        const std::size_t f = problem_.tests[number].column;
        const Column& column = problem_.columns[f];
        if (!is_long(column)) return first_[f] + number - column.first_test;
        const auto& values = values_[f];
        const auto beyond = std::upper_bound(values.begin(), values.end(),
                                             problem_.tests[number].code);
        if (beyond == values.begin() || beyond == values.end()) return kNone;
        return first_[f] + static_cast<std::size_t>(beyond - values.begin()) - 1;
    }

private:
    void add(std::size_t number) {
        Test test = problem_.tests[number];
        test.first_slot = n_slots_;
        n_slots_ += test.n_outcomes;
        tests_.push_back(test);
        number_.push_back(number);
    }

    const Problem& problem_;
    std::size_t few_;
    std::vector<Test> tests_;
    std::vector<std::size_t> number_, first_;
    std::vector<std::vector<std::int32_t>> values_;
    std::size_t n_slots_ = 0;
};

}  // namespace checker
