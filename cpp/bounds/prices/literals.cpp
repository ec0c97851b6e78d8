#include "bounds/prices/literals.hpp"

#include <algorithm>
#include <map>

#include "core/index.hpp"

namespace treeproof::prices {
namespace {

// The number of yes-or-no questions about a column; a column of two values needs only one.
std::int32_t questions_about(const PointColumn& column) {
  return column.choice == Choice::interval ? column.n_values - 1 : column.n_values;
}

bool is_yes(const PointColumn& column, std::size_t point, std::int32_t at) {
  const std::int32_t code = column.code[point];
  return column.choice == Choice::interval ? code <= at : code == at;
}

}  // namespace

bool Literals::are_few(std::span<const Feature> features, std::int64_t n_rows) {
  constexpr std::int64_t kMostQuestions = 400;
  constexpr std::int64_t kMostCells = 2'000'000;
  std::int64_t questions = 0;
  for (const Feature& feature : features) questions += feature.n_values;
  return questions <= kMostQuestions && questions * n_rows <= kMostCells;
}

Literals::Literals(const Points& points) {
  const std::size_t n = index(points.size());
  // Questions that have the same answer for every point share one number.
  std::map<std::vector<bool>, std::int32_t> numbers;
  std::vector<std::vector<bool>> answers;
  std::vector<bool> both;  // per question: whether a test can also ask for "no"
  std::vector<bool> own(n);
  for (const PointColumn& column : points.splits)
    for (std::int32_t at = 0; at < questions_about(column); ++at) {
      for (std::size_t i = 0; i < n; ++i) own[i] = is_yes(column, i, at);
      const auto [known, is_new] = numbers.emplace(own, static_cast<std::int32_t>(answers.size()));
      if (is_new) {
        answers.push_back(own);
        both.push_back(false);
      }
      if (column.choice != Choice::one_or_all) both[index(known->second)] = true;
    }
  constexpr std::size_t kLanes = 16;
  n_questions_ = answers.size();
  stride_ = (n_questions_ + kLanes - 1) / kLanes * kLanes;
  masks_.assign(n * stride_, 0);
  for (std::size_t question = 0; question < n_questions_; ++question) {
    for (std::size_t i = 0; i < n; ++i)
      masks_[i * stride_ + question] = answers[question][i] ? -1 : 0;
    all_.push_back(static_cast<Literal>(2 * question));
    if (both[question]) all_.push_back(static_cast<Literal>(2 * question + 1));
  }
}

std::int64_t Literals::add_up(std::span<const std::int32_t> points,
                              std::span<const std::int32_t> weights, Sums& sums) const {
  sums.positive.assign(stride_, 0);
  sums.negative.assign(stride_, 0);
  sums.all_positive = 0;
  sums.all_negative = 0;
  for (const std::int32_t i : points) {
    const std::int32_t weight = weights[index(i)];
    if (weight == 0) continue;
    std::int32_t* sum = (weight > 0 ? sums.positive : sums.negative).data();
    const std::int8_t* mask = masks_.data() + index(i) * stride_;
    for (std::size_t question = 0; question < stride_; ++question)
      sum[question] += weight & mask[question];
    (weight > 0 ? sums.all_positive : sums.all_negative) += weight;
  }
  constexpr std::size_t kPerStep = 4;  // questions that one vector instruction adds up
  return static_cast<std::int64_t>(points.size() * stride_ / kPerStep);
}

}  // namespace treeproof::prices
