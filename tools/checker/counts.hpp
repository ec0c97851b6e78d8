// What the rules need to know of a set of rows: for every child of every test, its numbers.

#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace checker {

using Bits = std::vector<std::uint64_t>;

inline bool has(const Bits& bits, std::size_t i) { return bits[i / 64] >> (i % 64) & 1; }
inline void set(Bits& bits, std::size_t i) { bits[i / 64] |= std::uint64_t{1} << (i % 64); }

inline Bits first_bits(std::size_t n) {
    Bits bits((n + 63) / 64, ~std::uint64_t{0});
    if (n % 64 != 0) bits.back() >>= 64 - n % 64;
    return bits;
}

template <class Visit>
void for_each_bit(const Bits& bits, Visit&& visit) {
    for (std::size_t w = 0; w < bits.size(); ++w) {
        for (std::uint64_t word = bits[w]; word != 0; word &= word - 1) {
            visit(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
        }
    }
}

// One entry for each slot (child of a test), and a last one for the whole set. Regression uses
// `leaf` and `samples` only.
template <class Cost>
struct Counts {
    std::vector<Cost> leaf;             // cost of one leaf
    std::vector<std::int64_t> samples;  // rows of the table; 1 stands for any if no one counts
    std::vector<std::int64_t> weight;
    std::vector<std::int64_t> most;    // weight of the heaviest class
    std::vector<std::int64_t> forced;  // weight that every tree gets wrong
    std::vector<std::int64_t> by_class;  // weight of each class, n_classes entries a slot

    void resize(std::size_t slots, std::size_t n_classes) {
        leaf.resize(slots + 1);
        samples.resize(slots + 1);
        if (n_classes == 0) return;
        weight.resize(slots + 1);
        most.resize(slots + 1);
        forced.resize(slots + 1);
        by_class.resize((slots + 1) * n_classes);
    }
};

}  // namespace checker
