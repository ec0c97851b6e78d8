// Limits on rates: what a lower bound on priced costs proves about trees that keep the limits.
// Section 10 of docs/proof-format.md. All numbers are integers.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "json.hpp"
#include "ratio.hpp"

namespace checker {

// A limited sum over rows: plus or minus the rate of positive predictions among some rows, perhaps
// less that among others; or amounts that depend on the prediction.
struct Rate {
  // For each class, the number that each row adds to the sum, times `whole`; empty if rows add
  // nothing.
  std::vector<std::vector<std::int64_t>> shares;
  std::int64_t whole = 1, over = 0, under = 1, price = 0;
  std::string words;
};

class Limits {
 public:
  // Takes the labels, weights and groups of all rows. Replaces the weights by those of the priced
  // problem: 1 for every row that counts.
  Limits(const Json& header, const std::vector<std::int32_t>& labels,
         const std::vector<std::int32_t>& groups, std::vector<double>& weights,
         std::size_t n_classes)
      : labels_(labels), groups_(groups), n_classes_(n_classes) {
    const Json& given = header.at("constraints");
    const auto& factors = given.at("class_weight").array("\"class_weight\"");
    require(factors.size() == n_classes, "the constraints have not one weight for each class");
    double total = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const double w = weights[i];
      require(w >= 0 && w == std::floor(w) && w < 0x1p30,
              "a proof with constraints takes whole weights");
      const auto c = static_cast<std::size_t>(labels[i]);
      const std::int64_t factor = whole(factors[c], 0, kMostWeight, "a class weight");
      weight_.push_back(static_cast<std::int64_t>(w));
      errors_.push_back(weight_.back() * factor);
      require((w > 0) == (errors_.back() > 0), "a class has no weight");
      total += static_cast<double>(errors_.back());
      weights[i] = w > 0 ? 1.0 : 0.0;
      n_rows_ += w > 0 ? 1 : 0;
    }
    require(total < 0x1p30 && n_rows_ > 0, "the weights are too large");
    double given_weight = 0;
    for (const std::int64_t w : weight_) given_weight += static_cast<double>(w);
    require(given_weight < 0x1p30, "the weights are too large");
    total_ = static_cast<std::int64_t>(total);
    positive_ =
        whole(given.at("positive"), 0, static_cast<std::int64_t>(n_classes), "the positive class");
    unit_ = whole(given.at("unit"), 1, kMostWeight, "the unit of the constraints");
    penalty_ = given.at("split_penalty").real("\"split_penalty\"");
    require(penalty_ >= 0, "\"split_penalty\" is negative");
    const double stated =
        penalty_ * total * static_cast<double>(unit_) / static_cast<double>(n_rows_);
    require(header.at("split_penalty").real("\"split_penalty\"") == stated,
            "\"split_penalty\" is not that of the constraints");
    if (const Json* names = given.find("groups"); names && !names->is_null()) {
      n_groups_ = names->array("\"groups\"").size();
      names_ = "; groups " + std::string(names->text);
    }
    const auto& list = given.at("limits").array("\"limits\"");
    require(list.size() <= 1000, "there are too many limits");
    for (const Json& limit : list) read_rate(limit);
    tree_ = &given.at("tree");
    if (const Json* listed = given.find("listed"); listed && !listed->is_null()) {
      require(listed->get<bool>() != nullptr, "\"listed\" is neither true nor false");
      listed_ = *listed->get<bool>();
    }
  }

  const Json& tree() const { return *tree_; }
  // Whether the checker shall close the gap that prices leave by a list of trees.
  bool listed() const { return listed_; }
  std::int64_t total() const { return total_; }
  double split_penalty() const { return penalty_; }
  // The weights of the rows that count, as weights of errors.
  std::vector<double> error_weights() const {
    std::vector<double> out;
    for (const std::int64_t w : errors_) {
      if (w > 0) out.push_back(static_cast<double>(w));
    }
    return out;
  }

  // The cost of each class for each row, by class.
  std::vector<std::vector<double>> costs(std::size_t n_classes) const {
    std::vector<std::vector<std::int64_t>> sums(n_classes,
                                                std::vector<std::int64_t>(labels_.size()));
    for (std::size_t c = 0; c < n_classes; ++c) {
      for (std::size_t i = 0; i < labels_.size(); ++i) {
        sums[c][i] = std::cmp_equal(labels_[i], c) ? 0 : errors_[i] * unit_;
      }
    }
    for (const Rate& rate : rates_) {
      const std::int64_t each = rate.price / rate.whole;
      for (std::size_t c = 0; c < n_classes; ++c) {
        for (std::size_t i = 0; i < rate.shares[c].size(); ++i) {
          const std::int64_t share = rate.shares[c][i];
          const double paid = static_cast<double>(each) * static_cast<double>(share);
          require(std::abs(paid) < 0x1p52, "the prices are too large");
          sums[c][i] += each * share;
          require(std::abs(sums[c][i]) < std::int64_t{1} << 52, "the prices are too large");
        }
      }
    }
    std::vector<std::vector<double>> out(n_classes);
    for (std::size_t c = 0; c < n_classes; ++c) {
      for (const std::int64_t cost : sums[c]) out[c].push_back(static_cast<double>(cost));
    }
    return out;
  }

  // Requires that a tree keeps every limit; returns its errors. `says` is the prediction for each
  // row that counts.
  std::int64_t check_tree(const std::vector<std::int64_t>& says) const {
    std::int64_t wrong = 0;
    std::vector<std::int64_t> sums(rates_.size(), 0);
    for (std::size_t i = 0, at = 0; i < labels_.size(); ++i) {
      if (errors_[i] == 0) continue;
      const std::int64_t said = says[at++];
      if (said != labels_[i]) wrong += errors_[i];
      for (std::size_t j = 0; j < rates_.size(); ++j) {
        const auto& own = rates_[j].shares[static_cast<std::size_t>(said)];
        if (!own.empty()) sums[j] += own[i];
      }
    }
    for (std::size_t j = 0; j < rates_.size(); ++j) {
      require(allows(j, sums[j]), "the tree does not keep the limit: " + rates_[j].words);
    }
    return wrong;
  }

  // A lower bound on the errors and penalties of trees that keep the limits, if all priced costs
  // are at least `least` and `parts` 2^-20ths. Errors are integers; each penalty was rounded by
  // less than 2^-20; and a tree has fewer splits than rows.
  std::pair<std::int64_t, std::int64_t> bound(std::int64_t least, std::int64_t parts) const {
    // The sum of prices times bounds does not fit into integers as a fraction with a common
    // denominator, so each term is rounded up to a multiple of 2^-20.
    std::int64_t low = parts - static_cast<std::int64_t>(n_rows_);
    for (const Rate& rate : rates_) low -= paid(rate);
    const double whole = static_cast<double>(least) + std::ldexp(static_cast<double>(low), -20);
    const double slack = std::abs(whole) * 0x1p-50 + 0x1p-20;
    const double errors = (whole - slack) / static_cast<double>(unit_);
    const double each = penalty_ * static_cast<double>(total_);
    const auto up = [](double value) {
      return static_cast<std::int64_t>(std::max(0.0, std::ceil(value - 1e-9)));
    };
    std::pair<std::int64_t, std::int64_t> best{up(errors), 0};
    for (std::size_t k = 1; k <= n_rows_ && each > 0; ++k) {
      const double own = each * static_cast<double>(k);
      const auto penalties = static_cast<std::int64_t>(k);
      const std::int64_t wrong = up(errors - own);
      if (cheaper(wrong, penalties, best.first, best.second)) best = {wrong, penalties};
      if (own > errors) break;
    }
    return best;
  }
  double cost(std::int64_t wrong, std::int64_t n_penalties) const {
    return static_cast<double>(wrong) +
           static_cast<double>(n_penalties) * (penalty_ * static_cast<double>(total_));
  }

  // The input of the list of trees: labels and errors of the rows that count; and for each limit
  // (`size` is their number) and class, the integer that each of these rows adds to the sum.
  std::vector<std::int32_t> labels_that_count() const { return counting(labels_); }
  std::vector<std::int64_t> errors_that_count() const { return counting(errors_); }
  std::size_t size() const { return rates_.size(); }
  std::vector<std::int64_t> shares(std::size_t limit, std::size_t label) const {
    const auto& own = rates_[limit].shares[label];
    return counting(own.empty() ? std::vector<std::int64_t>(labels_.size(), 0) : own);
  }
  // Whether a limit allows a sum of such numbers.
  bool allows(std::size_t limit, std::int64_t sum) const {
    const Rate& rate = rates_[limit];
    return Wide(sum) * Wide(rate.under) <= Wide(rate.over) * Wide(rate.whole);
  }
  // Whether the first of two trees costs less, by its errors and penalties.
  bool cheaper(std::int64_t errors, std::int64_t penalties, std::int64_t than_errors,
               std::int64_t than_penalties) const {
    // errors - than_errors < (than_penalties - penalties) * mantissa * total * 2^exponent
    int exponent = 0;
    const double part = std::frexp(penalty_, &exponent);
    Wide left = errors - than_errors;
    Wide right = Wide(than_penalties - penalties) *
                 Wide(static_cast<std::int64_t>(std::ldexp(part, 53))) * Wide(total_);
    exponent -= 53;
    // The other factors are below 2^30, 2^53 and 2^30. Beyond 2^114, the signs decide.
    if (penalty_ == 0) return !(Wide(0) <= left);
    if (exponent < -114 && !(left == 0)) return !(Wide(0) <= left);
    if (exponent > 30 && !(right == 0)) return !(right <= Wide(0));
    for (; exponent < 0 && !(left == 0); ++exponent) {
      if (!small(left)) return !(Wide(0) <= left);  // it is larger than the right side can be
      left = left * 2;
    }
    for (; exponent > 0 && !(right == 0); --exponent) {
      if (!small(right)) return !(right <= Wide(0));
      right = right * 2;
    }
    return !(right <= left);
  }
  // The cost of a tree in units of 2^-20, with penalties rounded as in the steps.
  Wide rounded_cost(std::int64_t errors, std::int64_t penalties, std::int64_t split_cost) const {
    return Wide(errors) * Wide(unit_) * Wide(1 << 20) + Wide(penalties) * Wide(split_cost);
  }
  // An upper bound on the cost in the steps of all trees that keep the limits and cost less than
  // this one, if priced costs exceed the costs in the steps by this integer. Rounded up.
  double budget(std::int64_t errors, std::int64_t penalties, std::int64_t split_cost,
                std::int64_t base) const {
    const double own = std::ldexp(static_cast<double>(errors) * static_cast<double>(unit_), 20);
    const double splits = static_cast<double>(penalties) * static_cast<double>(split_cost);
    const double less = std::ldexp(static_cast<double>(base), 20);
    double parts = 0, size = own + splits + std::abs(less);
    for (const Rate& rate : rates_) {
      parts += static_cast<double>(paid(rate));
      size += std::abs(static_cast<double>(paid(rate)));
    }
    return std::ceil(own + splits - less + parts + size * 0x1p-40) + 1;
  }

  std::string words() const {
    std::string text;
    for (const Rate& rate : rates_) text += (text.empty() ? "" : ", ") + rate.words;
    return "misclassification with limits (" + text + names_ + ")";
  }

 private:
  static constexpr std::int64_t kMostWeight = std::int64_t{1} << 30;
  static constexpr std::int64_t kMostPart = std::int64_t{1} << 60;

  static std::int64_t whole(const Json& value, std::int64_t least, std::int64_t end,
                            const char* what) {
    const std::int64_t number = value.integer(what);
    require(number >= least && number < end, std::string(what) + " is out of range");
    return number;
  }
  // Whether a number is below 2^116, so that it can be doubled.
  static bool small(Wide number) {
    const Wide most = Wide(std::int64_t{1} << 58) * Wide(std::int64_t{1} << 58);
    return number <= most && Wide(0) - most <= number;
  }
  // Selects the entries of the rows that count.
  template <class T>
  std::vector<T> counting(const std::vector<T>& of_all) const {
    std::vector<T> out;
    for (std::size_t i = 0; i < of_all.size(); ++i) {
      if (errors_[i] > 0) out.push_back(of_all[i]);
    }
    return out;
  }
  std::int64_t sum(const std::vector<std::size_t>& rows) const {
    std::int64_t out = 0;
    for (const std::size_t i : rows) out += weight_[i];
    return out;
  }
  // The highest possible price of a limit times its bound, in units of 2^-20, rounded up.
  static std::int64_t paid(const Rate& rate) {
    const double exact = static_cast<double>(rate.price) * static_cast<double>(rate.over) /
                         static_cast<double>(rate.under);
    // The sum of a thousand of these does not overflow.
    require(std::abs(exact) < 0x1p32, "the prices are too large");
    const double parts = std::ldexp(exact, 20);
    return static_cast<std::int64_t>(std::ceil(parts + std::abs(parts) * 0x1p-50)) + 1;
  }

  void read_rate(const Json& given) {
    Rate rate;
    rate.shares.resize(n_classes_);
    const auto& parts = given.at("at_most").array("\"at_most\"");
    require(parts.size() == 2, "a limit has no bound that is a fraction");
    rate.over = whole(parts[0], -kMostPart, kMostPart + 1, "a bound");
    rate.under = whole(parts[1], 1, kMostPart + 1, "a bound");
    rate.price = whole(given.at("price"), 0, kMostWeight << 20, "the price of a limit");
    if (const Json* amounts = given.find("amounts"); amounts && !amounts->is_null()) {
      read_amounts(*amounts, rate);
    } else {
      read_shares(given, rate);
    }
    rate.words +=
        " at most " + written(static_cast<double>(rate.over) / static_cast<double>(rate.under));
    rates_.push_back(std::move(rate));
  }
  // Reads a rate of positive predictions, or a difference of two rates.
  void read_shares(const Json& given, Rate& rate) const {
    const std::string& among = given.at("among").string("\"among\"");
    require(among == "all" || among == "positives" || among == "negatives",
            "a limit is of no known kind");
    const std::int64_t sign = given.at("sign").integer("\"sign\"");
    require(sign == 1 || sign == -1, "a limit is of no known kind");
    std::string about;
    const auto rows = rows_of(given, "group", among, about);
    const Json* other = given.find("minus");
    std::vector<std::size_t> minus;
    if (other != nullptr && !other->is_null()) minus = rows_of(given, "minus", among, about);
    rate.words = std::string(sign < 0 ? "-" : "") + "positive rate among " + among + about;
    const std::int64_t m = sum(rows), n = minus.empty() ? 1 : sum(minus);
    rate.whole = m / std::gcd(m, n) * n;
    auto& own = rate.shares[static_cast<std::size_t>(positive_)];
    own.assign(labels_.size(), 0);
    for (const std::size_t i : rows) own[i] += sign * weight_[i] * (rate.whole / m);
    for (const std::size_t i : minus) own[i] -= sign * weight_[i] * (rate.whole / n);
  }
  // Reads amounts, one for each class or a list of them for each row that counts, and multiplies
  // them by weights.
  void read_amounts(const Json& given, Rate& rate) const {
    const auto& list = given.array("\"amounts\"");
    const bool each = !list.empty() && list[0].get<Json::Array>() != nullptr;
    require(list.size() == (each ? n_rows_ : n_classes_),
            "a limit has not one amount for each class, or a list for each row");
    for (auto& own : rate.shares) own.assign(labels_.size(), 0);
    double size = 0;
    for (std::size_t i = 0, at = 0; i < labels_.size(); ++i) {
      if (errors_[i] == 0) continue;
      const auto& row = each ? list[at++].array("a row of \"amounts\"") : list;
      require(row.size() == n_classes_, "a limit has not one amount for each class");
      for (std::size_t c = 0; c < n_classes_; ++c) {
        const std::int64_t amount = whole(row[c], -kMostWeight, kMostWeight, "an amount");
        rate.shares[c][i] = amount * weight_[i];
        size += std::abs(static_cast<double>(rate.shares[c][i]));
      }
    }
    require(size < 0x1p58, "the amounts of a limit are too large");
    rate.words = each ? "amounts of each row in the file" : "amounts " + std::string(given.text);
  }
  std::vector<std::size_t> rows_of(const Json& limit, const char* key, const std::string& among,
                                   std::string& about) const {
    std::optional<std::int64_t> group;
    if (const Json* name = limit.find(key); name && !name->is_null()) {
      group = whole(*name, 0, static_cast<std::int64_t>(n_groups_), "the group of a limit");
      about +=
          (about.empty() ? "" : " minus that") + std::string(" in group ") + std::to_string(*group);
    }
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const bool asked = among == "all" || (labels_[i] == positive_) == (among == "positives");
      if (errors_[i] > 0 && asked && (!group || groups_[i] == *group)) rows.push_back(i);
    }
    require(!rows.empty(), "a limit is about no rows");
    const std::int64_t price = limit.at("price").integer("the price of a limit");
    require(price % sum(rows) == 0, "the price of a limit is not a multiple of its rows' weight");
    return rows;
  }

  std::vector<std::int32_t> labels_, groups_;
  std::vector<std::int64_t> weight_, errors_;          // as given, and multiplied by class weights
  std::size_t n_classes_, n_rows_ = 0, n_groups_ = 0;  // `n_rows_`: the rows that count
  std::int64_t total_ = 0, positive_ = 0, unit_ = 1;
  double penalty_ = 0;
  bool listed_ = false;
  std::string names_;  // the names of the groups
  std::vector<Rate> rates_;
  const Json* tree_ = nullptr;
};

}  // namespace checker
