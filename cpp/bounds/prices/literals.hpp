// The conditions that a single test can put on a row, and which points satisfy them.
//
// Every condition is the outcome "yes" or "no" of a yes-or-no question about one column: "at most
// this value" or "this category". A split with a child for each category asks only for "yes".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bounds/prices/points.hpp"

namespace treeproof::prices {

// A condition is numbered twice the number of its question, plus one for the answer "no".
using Literal = std::int32_t;

class Literals {
 public:
  explicit Literals(const Points& points);

  // Whether a table has so few values and rows that a complete search over conjunctions is
  // affordable.
  static bool are_few(std::span<const Feature> features, std::int64_t n_rows);

  std::size_t n_questions() const { return n_questions_; }
  // All conditions that a test can make.
  const std::vector<Literal>& all() const { return all_; }
  bool holds(Literal literal, std::int32_t point) const {
    const auto question = static_cast<std::size_t>(literal >> 1);
    return (masks_[static_cast<std::size_t>(point) * stride_ + question] != 0) ==
           ((literal & 1) == 0);
  }

  // The sums of the positive and of the negative weights of some points: of all of them, and for
  // each question of those whose answer is "yes".
  struct Sums {
    std::vector<std::int32_t> positive, negative;
    std::int32_t all_positive = 0, all_negative = 0;

    std::int32_t positive_with(Literal literal) const {
      const std::int32_t yes = positive[static_cast<std::size_t>(literal >> 1)];
      return (literal & 1) == 0 ? yes : all_positive - yes;
    }
    std::int32_t negative_with(Literal literal) const {
      const std::int32_t yes = negative[static_cast<std::size_t>(literal >> 1)];
      return (literal & 1) == 0 ? yes : all_negative - yes;
    }
  };
  // Computes these sums. Returns the number of steps of the innermost loop.
  std::int64_t add_up(std::span<const std::int32_t> points, std::span<const std::int32_t> weights,
                      Sums& sums) const;

 private:
  std::size_t n_questions_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::int8_t> masks_;  // [point * stride + question]: -1 for "yes", 0 for "no"
  std::vector<Literal> all_;
};

}  // namespace treeproof::prices
