// Limits on rates: what a bound on priced costs says about trees that keep them. Section 10 of
// docs/proof-format.md. Everything is a whole number.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "json.hpp"
#include "ratio.hpp"

namespace checker {

// A sign times the rate of positive predictions among some rows, perhaps less that of others.
struct Rate {
  std::vector<std::size_t> rows, minus;
  std::int64_t sign = 1, over = 0, under = 1, price = 0;
  std::string words;
};

class Limits {
 public:
  // Labels, weights and groups are those of all rows; the weights become those of the priced
  // problem, 1 for every row that counts.
  Limits(const Json& header, const std::vector<std::int32_t>& labels,
         const std::vector<std::int32_t>& groups, std::vector<double>& weights,
         std::size_t n_classes)
      : labels_(labels), groups_(groups) {
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
  }

  const Json& tree() const { return *tree_; }
  std::int64_t total() const { return total_; }
  double split_penalty() const { return penalty_; }
  // The weights of rows that count, as errors count them.
  std::vector<double> error_weights() const {
    std::vector<double> out;
    for (const std::int64_t w : errors_) {
      if (w > 0) out.push_back(static_cast<double>(w));
    }
    return out;
  }

  // What each class costs for each row, by class.
  std::vector<std::vector<double>> costs(std::size_t n_classes) const {
    std::vector<std::vector<std::int64_t>> sums(n_classes,
                                                std::vector<std::int64_t>(labels_.size()));
    for (std::size_t c = 0; c < n_classes; ++c) {
      for (std::size_t i = 0; i < labels_.size(); ++i) {
        sums[c][i] = std::cmp_equal(labels_[i], c) ? 0 : errors_[i] * unit_;
      }
    }
    auto& yes = sums[static_cast<std::size_t>(positive_)];
    for (const Rate& rate : rates_) {
      for (const bool other : {false, true}) {
        const auto& rows = other ? rate.minus : rate.rows;
        if (rows.empty()) continue;
        const std::int64_t each = (other ? -rate.sign : rate.sign) * (rate.price / sum(rows));
        for (const std::size_t i : rows) {
          yes[i] += each * weight_[i];
          require(std::abs(yes[i]) < std::int64_t{1} << 52, "the prices are too large");
        }
      }
    }
    std::vector<std::vector<double>> out(n_classes);
    for (std::size_t c = 0; c < n_classes; ++c) {
      for (const std::int64_t cost : sums[c]) out[c].push_back(static_cast<double>(cost));
    }
    return out;
  }

  // See that a tree keeps every limit; its errors. `says` has the class of each row that counts.
  std::int64_t check_tree(const std::vector<std::int64_t>& says) const {
    std::vector<char> yes(labels_.size(), 0);
    std::int64_t wrong = 0;
    for (std::size_t i = 0, at = 0; i < labels_.size(); ++i) {
      if (errors_[i] == 0) continue;
      const std::int64_t said = says[at++];
      yes[i] = said == positive_;
      if (said != labels_[i]) wrong += errors_[i];
    }
    for (const Rate& rate : rates_) {
      const auto positives = [&](const std::vector<std::size_t>& rows) {
        std::int64_t out = 0;
        for (const std::size_t i : rows) out += yes[i] != 0 ? weight_[i] : 0;
        return out;
      };
      // sign (a / m - b / n) <= over / under, all denominators positive.
      const Wide a = positives(rate.rows), m = sum(rate.rows);
      const Wide b = rate.minus.empty() ? 0 : positives(rate.minus);
      const Wide n = rate.minus.empty() ? 1 : sum(rate.minus);
      const bool kept =
          Wide(rate.sign) * (a * n - b * m) * Wide(rate.under) <= Wide(rate.over) * m * n;
      require(kept, "the tree does not keep the limit: " + rate.words);
    }
    return wrong;
  }

  // What trees that keep the limits cost at least, in the unit of errors, rounded down to a double,
  // if priced costs are `least` and `parts` 2^20ths at least. Errors are whole numbers, penalties
  // were rounded by less than a 2^20th each, and a tree has fewer splits than rows.
  double bound(std::int64_t least, std::int64_t parts) const {
    // What is paid for limits, as a fraction of a common denominator, does not fit; each share is
    // rounded up to a 2^20th.
    std::int64_t low = parts - static_cast<std::int64_t>(n_rows_);
    for (const Rate& rate : rates_) low -= paid(rate);
    const double whole = static_cast<double>(least) + std::ldexp(static_cast<double>(low), -20);
    const double slack = std::abs(whole) * 0x1p-50 + 0x1p-20;
    const double errors = (whole - slack) / static_cast<double>(unit_);
    const double each = penalty_ * static_cast<double>(total_);
    const auto up = [](double value) { return std::max(0.0, std::ceil(value - 1e-9)); };
    if (!(each > 0)) return up(errors);
    double best = up(errors);
    for (std::size_t k = 1; k <= n_rows_; ++k) {
      const double own = each * static_cast<double>(k);
      best = std::min(best, own + up(errors - own));
      if (own > errors) break;
    }
    return best;
  }
  double cost(std::int64_t wrong, std::int64_t n_penalties) const {
    return static_cast<double>(wrong) +
           static_cast<double>(n_penalties) * (penalty_ * static_cast<double>(total_));
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
  std::int64_t sum(const std::vector<std::size_t>& rows) const {
    std::int64_t out = 0;
    for (const std::size_t i : rows) out += weight_[i];
    return out;
  }
  // What a limit is paid for at most, in 2^20ths, rounded up.
  static std::int64_t paid(const Rate& rate) {
    const double exact = static_cast<double>(rate.price) * static_cast<double>(rate.over) /
                         static_cast<double>(rate.under);
    require(std::abs(exact) < 0x1p32, "the prices are too large");  // a thousand of these fit
    const double parts = std::ldexp(exact, 20);
    return static_cast<std::int64_t>(std::ceil(parts + std::abs(parts) * 0x1p-50)) + 1;
  }

  void read_rate(const Json& given) {
    Rate rate;
    const std::string& among = given.at("among").string("\"among\"");
    require(among == "all" || among == "positives" || among == "negatives",
            "a limit is of no known kind");
    rate.sign = given.at("sign").integer("\"sign\"");
    require(rate.sign == 1 || rate.sign == -1, "a limit is of no known kind");
    const auto& parts = given.at("at_most").array("\"at_most\"");
    require(parts.size() == 2, "a limit has no bound that is a fraction");
    rate.over = whole(parts[0], -kMostPart, kMostPart + 1, "a bound");
    rate.under = whole(parts[1], 1, kMostPart + 1, "a bound");
    rate.price = whole(given.at("price"), 0, kMostWeight << 20, "the price of a limit");
    std::string about;
    rate.rows = rows_of(given, "group", among, about);
    const Json* minus = given.find("minus");
    if (minus != nullptr && !minus->is_null()) rate.minus = rows_of(given, "minus", among, about);
    rate.words = std::string(rate.sign < 0 ? "-" : "") + "positive rate among " + among + about +
                 " at most " +
                 written(static_cast<double>(rate.over) / static_cast<double>(rate.under));
    rates_.push_back(std::move(rate));
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
  std::vector<std::int64_t> weight_, errors_;  // as given; times class weights
  std::size_t n_rows_ = 0, n_groups_ = 0;      // rows that count
  std::int64_t total_ = 0, positive_ = 0, unit_ = 1;
  double penalty_ = 0;
  std::string names_;  // of groups
  std::vector<Rate> rates_;
  const Json* tree_ = nullptr;
};

}  // namespace checker
