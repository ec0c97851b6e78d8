// Prices of rows, section 9 of docs/proof-format.md: they are read, and compared with every box
// that can be the set of rows of a leaf.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "boxes.hpp"
#include "classes.hpp"
#include "conjunctions.hpp"
#include "errors.hpp"
#include "json.hpp"
#include "problem.hpp"

namespace checker {

struct Prices {
  std::vector<std::int64_t> of_row;  // for each merged row; empty if there are no prices
  std::int64_t per_leaf = 0;
  std::int64_t depth = -1;  // for trees of at most this depth; -1 for any depth

  explicit operator bool() const { return !of_row.empty(); }
};

class PriceReader {
 public:
  PriceReader(const Problem& problem, const Classes& classes)
      : problem_(problem), classes_(classes) {}

  // Throws Rejected if the prices of a box exceed the errors of a class plus `per_leaf`, which must
  // be at most `most_per_leaf`.
  Prices read(const Json& given, std::int64_t most_per_leaf) {
    Prices prices;
    prices.per_leaf = given.at("per_leaf").integer("\"per_leaf\"");
    require(prices.per_leaf >= 0 && prices.per_leaf <= most_per_leaf,
            "\"per_leaf\" of the prices is not from 0 to what a further leaf costs");
    read_rows(given.at("of_rows").array("\"of_rows\""), prices);
    const Json* depth = given.find("depth");
    if (depth != nullptr && !depth->is_null()) {
      prices.depth = depth->integer("\"depth\" of the prices");
      require(prices.depth >= 1 && prices.depth <= 64, "\"depth\" of the prices is not 1 to 64");
    } else {
      read_axes(given.at("axes"));
    }
    compare(prices);
    return prices;
  }

 private:
  enum class Choice { kInterval, kSubset, kOne };
  struct Axis {
    Choice choice;
    std::int32_t n;
    std::vector<std::int32_t> code;  // for each merged row
  };

  void read_rows(const Json::Array& given, Prices& prices) const {
    require(given.size() == problem_.n_rows(), "there is not one price for each row");
    prices.of_row.assign(classes_.size(), 0);
    const Classes::Cost most = classes_.everything();
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::int64_t price = given[i].integer("a price");
      require(price >= 0 && price <= most - sum, "the prices are out of range");
      sum += price;
      prices.of_row[classes_.merged()[i]] += price;
    }
  }

  void read_axes(const Json& given) {
    for (const Json& axis : given.array("\"axes\"")) read_axis(axis);
    for (const Column& view : problem_.columns) {
      require(std::any_of(axes_.begin(), axes_.end(),
                          [&](const Axis& axis) { return tells(axis, view); }),
              "no axis of the prices tells what " + view.name + " tells");
    }
  }

  void read_axis(const Json& given) {
    const auto& pair = given.array("an axis");
    require(pair.size() == 2, "an axis is not [choice, codes]");
    const std::string& name = pair[0].string("the choice of an axis");
    const bool interval = name == "interval", subset = name == "subset";
    require(interval || subset || name == "one", "the choice of an axis is unknown");
    const auto& codes = pair[1].array("the codes of an axis");
    require(codes.size() == problem_.n_rows(), "an axis has not one code for each row");
    Axis axis{interval ? Choice::kInterval : subset ? Choice::kSubset : Choice::kOne, 0, {}};
    axis.code.assign(classes_.size(), -1);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const std::int64_t code = codes[i].integer("a code of an axis");
      require(code >= 0 && code < static_cast<std::int64_t>(codes.size()),
              "a code of an axis is out of range");
      std::int32_t& own = axis.code[classes_.merged()[i]];
      if (own < 0) own = static_cast<std::int32_t>(code);  // the code of the first row
      axis.n = std::max(axis.n, own + 1);
    }
    // For costs of actions: the further copies of a group follow its first one.
    for (std::size_t i = 1; i < axis.code.size(); ++i) {
      if (axis.code[i] < 0) axis.code[i] = axis.code[i - 1];
    }
    axes_.push_back(std::move(axis));
  }

  // Whether the rows that a test of the view keeps are always a choice of the axis.
  static bool tells(const Axis& axis, const Column& view) {
    std::vector<std::int32_t> told(static_cast<std::size_t>(axis.n), -1);
    for (std::size_t i = 0; i < axis.code.size(); ++i) {
      std::int32_t& known = told[static_cast<std::size_t>(axis.code[i])];
      if (known >= 0 && known != view.codes[i]) return false;
      known = view.codes[i];
    }
    std::erase(told, -1);
    std::vector<std::int32_t> distinct = told;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (axis.choice == Choice::kSubset) return true;
    if (axis.choice == Choice::kOne) {
      const bool each = view.split == Split::kMultiway || distinct.size() <= 2;
      return each && distinct.size() == told.size();
    }
    const bool sorted =
        std::is_sorted(told.begin(), told.end()) || std::is_sorted(told.rbegin(), told.rend());
    return sorted && (view.split != Split::kOneVsRest || distinct.size() <= 2);
  }

  // The axes for the search. A box of any subset of codes is one that keeps or removes each code.
  std::vector<BoxAxis> box_axes() const {
    std::vector<BoxAxis> out;
    std::size_t cells = 0;
    for (const Axis& axis : axes_) {
      const auto n = static_cast<std::size_t>(axis.n);
      cells += (axis.choice == Choice::kSubset ? n : 1) * axis.code.size();
      require(cells < std::size_t{1} << 27, "the axes of the prices are too large");
      for (std::int32_t v = 0; v < axis.n && axis.choice == Choice::kSubset; ++v) {
        out.push_back({false, false, true, 2, {}});
        for (const std::int32_t x : axis.code) out.back().code.push_back(x == v ? 1 : 0);
      }
      const bool one = axis.choice == Choice::kOne;
      if (axis.choice != Choice::kSubset) out.push_back({one, true, true, axis.n, axis.code});
    }
    return out;
  }

  void compare(const Prices& prices) const {
    const std::vector<BoxAxis> axes = box_axes();
    for (std::size_t k = 0; k < classes_.n_classes(); ++k) {
      std::vector<std::int64_t> weights = prices.of_row;
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= classes_.errors(i, k);
      const bool found = prices.depth < 0
                             ? BoxSearch(axes, weights, prices.per_leaf).finds_one(problem_.poll)
                             : ConjunctionSearch(problem_, weights, prices.per_leaf)
                                   .finds_one(prices.depth, problem_.poll);
      require(!found, "a box has higher prices than its errors and one leaf, for class " +
                          std::to_string(k));
    }
  }

  const Problem& problem_;
  const Classes& classes_;
  std::vector<Axis> axes_;
};

}  // namespace checker
