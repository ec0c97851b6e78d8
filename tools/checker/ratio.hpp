// F1, F-beta and Jaccard: what a lower bound on weighted errors proves about the ratio p TP / (p TP
// + q FN + r FP). Section 8 of docs/proof-format.md.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "errors.hpp"
#include "json.hpp"

namespace checker {

// Integers of 128 bits. An operation that would overflow throws instead.
class Wide {
  __extension__ using Int = __int128;

 public:
  Wide(std::int64_t value) : value_(value) {}  // NOLINT: a number is a number
  friend Wide operator*(Wide a, Wide b) {
    Int product = 0;
    if (__builtin_mul_overflow(a.value_, b.value_, &product)) too_large();
    return Wide(product, 0);
  }
  friend Wide operator+(Wide a, Wide b) {
    Int sum = 0;
    if (__builtin_add_overflow(a.value_, b.value_, &sum)) too_large();
    return Wide(sum, 0);
  }
  friend Wide operator-(Wide a, Wide b) {
    Int difference = 0;
    if (__builtin_sub_overflow(a.value_, b.value_, &difference)) too_large();
    return Wide(difference, 0);
  }
  friend bool operator==(Wide a, Wide b) { return a.value_ == b.value_; }
  friend bool operator<=(Wide a, Wide b) { return a.value_ <= b.value_; }

 private:
  Wide(Int value, int) : value_(value) {}
  [[noreturn]] static void too_large() {
    throw Unreadable("the fractions of the metric are too large for this program");
  }
  Int value_;
};

struct Fraction {
  std::int64_t over = 0, under = 1;
  double value() const { return static_cast<double>(over) / static_cast<double>(under); }
  double short_of_one() const {
    return static_cast<double>(under - over) / static_cast<double>(under);
  }
};

class Ratio {
 public:
  // The weights are those of the rows, before class weights.
  Ratio(const Json& header, const std::vector<std::int32_t>& labels,
        const std::vector<double>& weights) {
    const Json& metric = header.at("metric");
    const auto& classes = header.at("classes").array("\"classes\"");
    require(classes.size() == 2, "a ratio needs two classes");
    const std::string& name = metric.at("name").string("the name of the metric");
    require(name == "f1" || name == "fbeta" || name == "jaccard", "the metric is unknown");
    const Fraction beta = read(metric, "beta", 1 << 10);
    require(beta.over > 0 && (name == "fbeta" || beta.over == beta.under),
            "\"beta\" does not go with the metric");
    q_ = beta.over * beta.over;
    r_ = beta.under * beta.under;
    p_ = name == "jaccard" ? r_ : q_ + r_;
    positive_ = static_cast<std::int32_t>(metric.at("positive").integer("\"positive\""));
    require(metric.at("positive").integer("\"positive\"") == positive_ &&
                (positive_ == 0 || positive_ == 1),
            "the positive class is not one of the two");
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    mu_ = read(metric, "weighed_at", kMost);
    value_ = read(metric, "value", kMost);
    bound_ = read(metric, "bound", kMost);
    require(mu_.over > 0 && mu_.over <= mu_.under && bound_.over <= bound_.under,
            "a ratio is not from 0 to 1");
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      require(weights[i] == std::floor(weights[i]), "a proof of a ratio takes whole weights");
      sum += weights[i];
      require(sum < 0x1p53, "the weights add up to too much for a ratio");
      if (labels[i] == positive_) positives_ += static_cast<std::int64_t>(weights[i]);
    }
    require(positives_ > 0, "no row is positive");
    for (const Json& weight : header.at("class_weight").array("\"class_weight\"")) {
      const double own = weight.real("a class weight");
      require(own == std::floor(own) && own > 0 && own <= 0x1p50,
              "the class weights of a ratio are not whole numbers in range");
      weight_.push_back(static_cast<std::int64_t>(own));
    }
    // Requires that errors have the weights that the ratio gives them at the claimed bound.
    require(Wide(miss_weight()) * r_ * mu_.over == Wide(alarm_weight()) * miss(),
            "the class weights are not those of the ratio");
    words_ = std::string(name == "f1" ? "F1" : name == "fbeta" ? "F-beta" : "Jaccard index");
    name_ = words_;
    words_ += " of the class " + std::string(classes[static_cast<std::size_t>(positive_)].text);
    if (name == "fbeta") {
      words_ += " with beta " + std::to_string(beta.over) + "/" + std::to_string(beta.under);
    }
  }

  const std::string& words() const { return words_; }
  const std::string& name() const { return name_; }
  std::int32_t positive() const { return positive_; }
  Fraction value() const { return value_; }
  Fraction bound() const { return bound_; }
  bool optimal() const {
    return Wide(value_.over) * bound_.under == Wide(bound_.over) * value_.under;
  }

  // Takes the errors of the tree for each class, in weights of rows times class weights.
  void check_tree(std::int64_t missed, std::int64_t alarmed) const {
    const std::int64_t misses = missed / miss_weight(), alarms = alarmed / alarm_weight();
    const Wide hits = Wide(p_) * (positives_ - misses);
    const Wide all = hits + Wide(q_) * misses + Wide(r_) * alarms;
    require(hits * value_.under == all * value_.over, "\"value\" is not that of the tree");
  }
  // `wrong` is a lower bound on the weighted errors of all trees.
  void check_bound(std::int64_t wrong) const {
    const Wide heavy = Wide(positives_) * miss_weight();
    const Wide open = Wide(p_) * (mu_.under - mu_.over) * heavy - Wide(wrong) * miss();
    const Wide above = Wide(bound_.over) * mu_.under - Wide(mu_.over) * bound_.under;
    const bool closed = open <= 0;
    const bool enough =
        closed ? Wide(0) <= above : open * bound_.under <= above * std::min(p_, q_) * heavy;
    const bool whole = bound_.over == bound_.under;
    require(enough || whole, "\"bound\" is less than what is shown");
    require(Wide(value_.over) * bound_.under <= Wide(bound_.over) * value_.under,
            "\"bound\" is below \"value\"");
  }

 private:
  static Fraction read(const Json& metric, const char* key, std::int64_t most) {
    const auto& parts = metric.at(key).array("a fraction");
    require(parts.size() == 2, std::string("\"") + key + "\" is not two whole numbers");
    const Fraction found{parts[0].integer("a fraction"), parts[1].integer("a fraction")};
    require(found.over >= 0 && found.under > 0 && found.over <= most && found.under <= most,
            std::string("\"") + key + "\" is out of range");
    require(std::gcd(found.over, found.under) == 1,
            std::string("\"") + key + "\" is not in lowest terms");
    return found;
  }
  std::int64_t miss_weight() const { return weight_[static_cast<std::size_t>(positive_)]; }
  std::int64_t alarm_weight() const { return weight_[static_cast<std::size_t>(1 - positive_)]; }
  // (p (1 - mu) + q mu), times the denominator of mu.
  Wide miss() const { return Wide(p_) * (mu_.under - mu_.over) + Wide(q_) * mu_.over; }

  std::int64_t p_ = 0, q_ = 0, r_ = 0, positives_ = 0;
  std::int32_t positive_ = 0;
  Fraction mu_, value_, bound_;
  std::vector<std::int64_t> weight_;
  std::string name_, words_;
};

}  // namespace checker
