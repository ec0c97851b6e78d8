// The rows of a classification problem, merged and weighed in whole numbers (section 2 of
// docs/proof-format.md), and how they are counted.
//
// All numbers of the rules come from one operation, `tabulate`: the weights by class of a set of
// rows in every child of every test. It is done with bit sets and popcounts. Rows stand in the
// order of their class, those that no tree can get right (all but the heaviest class of a
// group) apart, so that a run of words belongs to one class; within a run they stand by weight, so
// that most words hold rows of one weight. Before a step is checked its rows are copied out
// side by side (`focus`), so deep steps work on few words. Columns with many thresholds would need
// too many bit sets; they are counted by one pass over the rows and a running sum.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "counts.hpp"
#include "errors.hpp"
#include "problem.hpp"
#include "tests_here.hpp"

namespace checker {

// out[j] bit i = in[i] bit j; blocks of half the size change places, down to single bits.
inline void transpose(std::array<std::uint64_t, 64>& m) {
    std::uint64_t low = 0x00000000FFFFFFFF;
    for (std::size_t half = 32; half != 0; half /= 2, low ^= low << half) {
        for (std::size_t i = 0; i < 64; i = ((i | half) + 1) & ~half) {
            const std::uint64_t t = (m[i] >> half ^ m[i | half]) & low;
            m[i] ^= t << half;
            m[i | half] ^= t;
        }
    }
}

class ClassRows {
public:
    using Cost = std::int64_t;
    static constexpr Cost kUnit = Cost{1} << 20;

    // Codes, labels and weights of the problem are replaced by those of the merged rows.
    explicit ClassRows(Problem& problem) : problem_(problem), n_classes_(problem.n_classes), tests_(problem, kLong) {
        merge();
        lay_out_bits();
    }

    std::size_t size() const { return weight_.size(); }
    Bits all() const { return first_bits(size()); }
    std::int64_t total_weight() const {
        return std::accumulate(weight_.begin(), weight_.end(), std::int64_t{0});
    }
    double tolerance() const { return 0; }
    double objective(Cost cost) const {
        return static_cast<double>(cost) / static_cast<double>(kUnit) /
               static_cast<double>(total_weight());
    }
    Cost split_cost(double penalty) const {
        const double exact = penalty * static_cast<double>(total_weight()) * kUnit;
        require(exact >= 0 && exact < 0x1p62, "the split penalty is negative or too large");
        return static_cast<Cost>(std::floor(exact + 0.5));
    }

    // What a leaf with the given prediction costs on a set of rows.
    Cost leaf_cost(const Bits& rows, const Json& prediction) const {
        const std::int64_t predicted = prediction.integer("the prediction of a leaf");
        require(predicted >= 0 && predicted < static_cast<std::int64_t>(n_classes_),
                "the tree predicts a class that does not exist");
        Cost wrong = 0;
        for_each_bit(rows, [&](std::size_t i) {
            if (label_[i] != predicted) wrong += weight_[i];
        });
        return wrong * kUnit;
    }
    std::int64_t samples(const Bits& rows) const {
        std::int64_t sum = 0;
        for_each_bit(rows, [&](std::size_t i) { sum += samples_[i]; });
        return sum;
    }

    // Keep those rows for which the test has this outcome.
    void restrict(Bits& rows, std::size_t t, std::size_t outcome) const {
        const Test& test = problem_.tests[t];
        if (first_bit_[t] == kNoBits) {
            const Column& column = problem_.columns[test.column];
            Bits kept(rows.size());
            for_each_bit(rows, [&](std::size_t i) {
                if (Problem::outcome(column, test, i) == outcome) set(kept, i);
            });
            rows = std::move(kept);
        } else {
            pick(rows, columns_.data() + first_bit_[t] * rows.size(), test.n_outcomes, outcome);
        }
    }

    // Copy out the rows of a step. `child` and `tabulate` speak of this copy.
    void focus(const Bits& rows) {
        here_.clear();
        list_.clear();
        std::int32_t run = -1;
        const auto fill_word = [&] { here_.resize((here_.size() + 63) / 64 * 64, kNoRow); };
        for_each_bit(rows, [&](std::size_t i) {
            if (run_[i] != run) fill_word();
            run = run_[i];
            here_.push_back(i);
            list_.push_back(i);
        });
        fill_word();
        tests_.restrict_to(list_);
        rank_long_columns();
        const std::size_t n_words = here_.size() / 64;
        local_.resize(n_bits_ * n_words);
        all_.assign(n_words, 0);
        stretches_.clear();
        sample_planes_.clear();
        for (std::size_t w = 0; w < n_words; ++w) {
            const std::size_t* rows_here = here_.data() + w * 64;
            for (std::size_t block = 0; block * 64 < n_bits_; ++block) {
                std::array<std::uint64_t, 64> square{};
                for (std::size_t i = 0; i < 64 && rows_here[i] != kNoRow; ++i) {
                    square[i] = row_bits_[rows_here[i] * n_blocks_ + block];
                }
                transpose(square);
                for (std::size_t b = block * 64; b < std::min(n_bits_, block * 64 + 64); ++b) {
                    local_[b * n_words + w] = square[b % 64];
                }
            }
            weigh_word(w, rows_here);
        }
    }

    const Bits& whole() const { return all_; }
    const TestsHere& tests() const { return tests_; }

    void child(std::size_t t, std::size_t outcome, Bits& rows) const {
        const Test& test = problem_.tests[t];
        rows = all_;
        if (first_bit_[t] != kNoBits) {
            const auto* bits = local_.data() + first_bit_[t] * rows.size();
            return pick(rows, bits, test.n_outcomes, outcome);
        }
        const Column& column = problem_.columns[test.column];
        for (std::size_t i = 0; i < here_.size(); ++i) {
            if (here_[i] != kNoRow && Problem::outcome(column, test, here_[i]) != outcome) {
                rows[i / 64] &= ~(std::uint64_t{1} << (i % 64));
            }
        }
    }

    // Count a set of rows of the copy in every child of every test.
    void tabulate(const Bits& rows, Counts<Cost>& out) {
        out.resize(tests_.n_slots(), n_classes_);
        count(rows, all_.data(), tests_.n_slots(), out);
        for (std::size_t f = 0; f < problem_.columns.size(); ++f) {
            if (tests_.is_long(problem_.columns[f])) {
                count_long(f, rows, out);
                continue;
            }
            for (std::size_t t = tests_.first(f); t < tests_.end(f); ++t) {
                const Test& test = tests_.list()[t];
                const std::size_t bit = first_bit_[tests_.number(t)];
                for (std::size_t v = 0; v + 1 < test.n_outcomes; ++v) {
                    const auto* bits = local_.data() + (bit + v) * rows.size();
                    count(rows, bits, test.first_slot + v, out);
                }
                rest(test, out);
            }
        }
    }

private:
    static constexpr std::size_t kNoBits = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t kLong = 64;

    struct Plane {
        std::size_t word;
        std::uint64_t mask;
        std::int64_t factor;
    };
    // Words of the copy in a row: rows of one class that are all forced errors or all not (the
    // run). The weight of a subset is `each` for every row, and factor * popcount for every
    // plane of the words in which weights differ.
    struct Stretch {
        std::int32_t run;
        std::int64_t each;
        std::size_t begin, end;
        std::vector<Plane> planes;
    };

    // For the columns with many thresholds: the rank of every row of the copy among the values
    // that occur there.
    void rank_long_columns() {
        ranks_.resize(problem_.columns.size());
        for (std::size_t f = 0; f < ranks_.size(); ++f) {
            const Column& column = problem_.columns[f];
            if (!tests_.is_long(column)) continue;
            ranks_[f].assign(here_.size(), 0);
            for (std::size_t place = 0; place < here_.size(); ++place) {
                if (here_[place] == kNoRow) continue;
                const std::size_t rank = tests_.rank(f, column.codes[here_[place]]);
                ranks_[f][place] = static_cast<std::uint32_t>(rank);
            }
        }
    }

    static void pick(Bits& rows, const std::uint64_t* bits, std::size_t n_outcomes,
                     std::size_t outcome) {
        const std::size_t n = rows.size();
        for (std::size_t w = 0; w < n; ++w) {
            if (outcome + 1 < n_outcomes) {
                rows[w] &= bits[outcome * n + w];
            } else {
                for (std::size_t v = 0; v + 1 < n_outcomes; ++v) rows[w] &= ~bits[v * n + w];
            }
        }
    }

    void merge() {
        auto& columns = problem_.columns;
        const std::size_t n = problem_.n_rows();
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto compare_codes = [&](std::size_t a, std::size_t b) {
            for (const Column& column : columns) {
                if (column.codes[a] == column.codes[b]) continue;
                return column.codes[a] < column.codes[b] ? -1 : 1;
            }
            return 0;
        };
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            const int codes = compare_codes(a, b);
            return codes != 0 ? codes < 0 : problem_.labels[a] < problem_.labels[b];
        });

        const int exponent = scale();
        struct Merged {
            std::size_t row;  // one of the rows it stands for
            std::int64_t weight, samples;
            std::int32_t run;
        };
        std::vector<Merged> merged;
        for (std::size_t i = 0; i < n;) {
            const std::size_t group = merged.size();
            const std::size_t first = order[i];
            while (i < n && compare_codes(first, order[i]) == 0) {
                const std::size_t row = order[i];
                double sum = 0;
                std::int64_t samples = 0;
                for (; i < n && compare_codes(row, order[i]) == 0 &&
                       problem_.labels[order[i]] == problem_.labels[row];
                     ++i, ++samples) {
                    sum += problem_.weights[order[i]];
                }
                const std::int64_t weight = std::llround(std::ldexp(sum, exponent));
                const std::int32_t run = 2 * problem_.labels[row] + 1;
                if (weight > 0) merged.push_back({row, weight, samples, run});
            }
            const auto begin = merged.begin() + static_cast<std::ptrdiff_t>(group);
            const auto lighter = [](const auto& a, const auto& b) { return a.weight < b.weight; };
            const auto heaviest = std::max_element(begin, merged.end(), lighter);
            if (heaviest != merged.end()) --heaviest->run;  // an even run is no forced error
        }
        std::stable_sort(merged.begin(), merged.end(), [](const Merged& a, const Merged& b) {
            return std::tie(a.run, a.weight) < std::tie(b.run, b.weight);
        });
        for (const Merged& row : merged) {
            weight_.push_back(row.weight);
            samples_.push_back(row.samples);
            run_.push_back(row.run);
            label_.push_back(row.run / 2);
        }
        require(total_weight() < std::int64_t{1} << 31, "the weights add up to too much");
        for (Column& column : columns) {
            std::vector<std::int32_t> codes;
            for (const Merged& row : merged) codes.push_back(column.codes[row.row]);
            column.codes = std::move(codes);
        }
    }

    // Weights are multiplied by two to this power and rounded.
    int scale() const {
        const auto& weights = problem_.weights;
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        const double room = 0x1p30 - static_cast<double>(weights.size()) - 1;
        require(room > 0 && std::isfinite(sum), "there are too many rows, or too large weights");
        const bool whole = std::all_of(weights.begin(), weights.end(),
                                       [](double weight) { return weight == std::floor(weight); });
        return whole && sum < room ? 0 : std::ilogb(room / sum);
    }

    void lay_out_bits() {
        for (const Test& test : problem_.tests) {
            const bool counted = !tests_.is_long(problem_.columns[test.column]);
            first_bit_.push_back(counted ? n_bits_ : kNoBits);
            if (counted) n_bits_ += test.n_outcomes - 1;
        }
        const std::size_t words = (size() + 63) / 64;
        n_blocks_ = (n_bits_ + 63) / 64;
        columns_.assign(n_bits_ * words, 0);
        row_bits_.assign(size() * n_blocks_, 0);
        for (std::size_t t = 0; t < problem_.tests.size(); ++t) {
            if (first_bit_[t] == kNoBits) continue;
            const Test& test = problem_.tests[t];
            for (std::size_t i = 0; i < size(); ++i) {
                const std::size_t v = Problem::outcome(problem_.columns[test.column], test, i);
                if (v + 1 == test.n_outcomes) continue;
                const std::size_t bit = first_bit_[t] + v;
                columns_[bit * words + i / 64] |= std::uint64_t{1} << (i % 64);
                row_bits_[i * n_blocks_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
            }
        }
    }

    static void add_planes(const std::vector<std::int64_t>& values, std::size_t w,
                           const std::size_t* rows, std::vector<Plane>& out) {
        for (int bit = 0; bit < 32; ++bit) {
            std::uint64_t mask = 0;
            for (std::size_t i = 0; i < 64 && rows[i] != kNoRow; ++i) {
                mask |= static_cast<std::uint64_t>(values[rows[i]] >> bit & 1) << i;
            }
            if (mask != 0) out.push_back({w, mask, std::int64_t{1} << bit});
        }
    }

    void weigh_word(std::size_t w, const std::size_t* rows) {
        std::int64_t each = weight_[rows[0]];
        for (std::size_t i = 0; i < 64 && rows[i] != kNoRow; ++i) {
            all_[w] |= std::uint64_t{1} << i;
            if (weight_[rows[i]] != weight_[rows[0]]) each = 0;
        }
        const std::int32_t run = run_[rows[0]];
        if (stretches_.empty() || stretches_.back().run != run || stretches_.back().each != each) {
            stretches_.push_back({run, each, w, w, {}});
        }
        stretches_.back().end = w + 1;
        if (each == 0) add_planes(weight_, w, rows, stretches_.back().planes);
        if (problem_.min_samples_leaf > 1) add_planes(samples_, w, rows, sample_planes_);
    }

    static std::int64_t sum_planes(const std::vector<Plane>& planes, const Bits& rows,
                                   const std::uint64_t* column) {
        std::int64_t sum = 0;
        for (const Plane& plane : planes) {
            sum += std::popcount(rows[plane.word] & column[plane.word] & plane.mask) * plane.factor;
        }
        return sum;
    }

    void count(const Bits& rows, const std::uint64_t* column, std::size_t slot, Counts<Cost>& out) {
        std::int64_t* by_class = out.by_class.data() + slot * n_classes_;
        for (std::size_t c = 0; c < n_classes_; ++c) by_class[c] = 0;
        std::int64_t forced = 0;
        for (const Stretch& stretch : stretches_) {
            std::int64_t weight = 0;
            if (stretch.each != 0) {
                for (std::size_t w = stretch.begin; w < stretch.end; ++w) {
                    weight += std::popcount(rows[w] & column[w]);
                }
                weight *= stretch.each;
            } else {
                weight = sum_planes(stretch.planes, rows, column);
            }
            by_class[stretch.run / 2] += weight;
            if (stretch.run % 2 == 1) forced += weight;
        }
        out.forced[slot] = forced;
        out.samples[slot] = sum_planes(sample_planes_, rows, column);
        finish(slot, out);
    }

    void finish(std::size_t slot, Counts<Cost>& out) const {
        const std::int64_t* by_class = out.by_class.data() + slot * n_classes_;
        std::int64_t sum = 0, most = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) {
            sum += by_class[c];
            most = std::max(most, by_class[c]);
        }
        out.weight[slot] = sum;
        out.most[slot] = most;
        out.leaf[slot] = (sum - most) * kUnit;
        if (problem_.min_samples_leaf == 1) out.samples[slot] = sum > 0 ? 1 : 0;
    }

    // The last outcome of a test holds what the others do not.
    void rest(const Test& test, Counts<Cost>& out) const {
        const std::size_t last = test.first_slot + test.n_outcomes - 1;
        const std::size_t whole = tests_.n_slots();
        out.forced[last] = out.forced[whole];
        out.samples[last] = out.samples[whole];
        std::int64_t* by_class = out.by_class.data();
        std::copy_n(by_class + whole * n_classes_, n_classes_, by_class + last * n_classes_);
        for (std::size_t slot = test.first_slot; slot < last; ++slot) {
            out.forced[last] -= out.forced[slot];
            out.samples[last] -= out.samples[slot];
            for (std::size_t c = 0; c < n_classes_; ++c) {
                by_class[last * n_classes_ + c] -= by_class[slot * n_classes_ + c];
            }
        }
        finish(last, out);
    }

    void count_long(std::size_t f, const Bits& rows, Counts<Cost>& out) {
        const std::size_t width = n_classes_ + 2;
        const auto& ranks = ranks_[f];
        histogram_.assign(tests_.values(f).size() * width, 0);
        for_each_bit(rows, [&](std::size_t place) {
            const std::size_t i = here_[place];
            auto* bin = histogram_.data() + ranks[place] * width;
            bin[run_[i] / 2] += weight_[i];
            if (run_[i] % 2 == 1) bin[n_classes_] += weight_[i];
            bin[n_classes_ + 1] += samples_[i];
        });
        const std::size_t n_slots = tests_.n_slots();
        const std::int64_t* whole = out.by_class.data() + n_slots * n_classes_;
        std::int64_t forced = 0, samples = 0;
        sum_.assign(n_classes_, 0);
        for (std::size_t t = tests_.first(f); t < tests_.end(f); ++t) {
            const std::int64_t* bin = histogram_.data() + (t - tests_.first(f)) * width;
            const std::size_t yes = tests_.list()[t].first_slot;
            std::int64_t* by_class = out.by_class.data() + yes * n_classes_;
            for (std::size_t k = 0; k < n_classes_; ++k) {
                sum_[k] += bin[k];
                by_class[k] = sum_[k];
                by_class[n_classes_ + k] = whole[k] - sum_[k];
            }
            forced += bin[n_classes_];
            samples += bin[n_classes_ + 1];
            out.forced[yes] = forced;
            out.samples[yes] = samples;
            out.forced[yes + 1] = out.forced[n_slots] - forced;
            out.samples[yes + 1] = out.samples[n_slots] - samples;
            finish(yes, out);
            finish(yes + 1, out);
        }
    }

    Problem& problem_;
    std::size_t n_classes_;
    std::vector<std::int64_t> weight_, samples_;
    std::vector<std::int32_t> label_, run_;

    std::vector<std::size_t> first_bit_;  // of a test, in the two layouts that follow
    std::size_t n_bits_ = 0, n_blocks_ = 0;
    std::vector<std::uint64_t> columns_;   // bit by bit: the rows with this outcome
    std::vector<std::uint64_t> row_bits_;  // row by row: the outcomes it has

    TestsHere tests_;
    std::vector<std::size_t> here_, list_;  // the copy of a step's rows; without gaps
    std::vector<std::vector<std::uint32_t>> ranks_;
    std::vector<Stretch> stretches_;
    std::vector<Plane> sample_planes_;
    Bits all_, local_;
    std::vector<std::int64_t> histogram_, sum_;
};

}  // namespace checker
