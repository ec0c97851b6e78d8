// Reads a problem from the data. Only the names in a proof's header are believed: which columns
// there are, how each of them is split, and in what order categories and classes are numbered. The
// fingerprint (section 6 of docs/proof-format.md) is computed at the same time.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "categories.hpp"
#include "cells.hpp"
#include "errors.hpp"
#include "gains.hpp"
#include "json.hpp"
#include "lifetimes.hpp"
#include "problem.hpp"
#include "sha256.hpp"

namespace checker {

class ProblemReader {
  // Of a column: how it is split, and how missing values are.
  using Kind = std::pair<std::string, std::string>;
  static constexpr std::array kSplits = {"threshold",   "order",  "multiway",
                                         "one-vs-rest", "either", "subset"};
  static constexpr std::array kMissing = {"", "best-side", "branch"};

 public:
  ProblemReader(const Json& header, const DataTable& data) : header_(header), data_(data) {}

  Problem read(const Roles& roles, std::function<void()> poll) {
    problem_.poll = std::move(poll);
    for (std::size_t c = 0; c < data_.columns.size(); ++c) n_given_ += roles.has(c) ? 0 : 1;
    read_weights(roles);
    problem_.min_samples_leaf = header_.at("min_samples_leaf").integer("\"min_samples_leaf\"");
    require(problem_.min_samples_leaf >= 1, "\"min_samples_leaf\" is below 1");
    const std::string& loss = header_.at("loss").string("\"loss\"");
    std::optional<GainsReader> gains;
    const Json* constraints = header_.find("constraints");
    if (constraints != nullptr && !constraints->is_null()) {
      require(loss == "costs" && header_.find("classes") == nullptr,
              "constraints go with costs, and no classes");
      gains.emplace(header_, data_.n_rows);
      read_limits(*constraints, roles, *gains);
    } else if (loss == "costs") {
      if (header_.find("classes") != nullptr) read_labels(roles.targets);
      gains.emplace(header_, data_.n_rows);
      // Rewards of treatments may be given as targets.
      const bool as_targets = roles.costs.empty() && header_.find("classes") == nullptr;
      read_costs(*gains, as_targets ? roles.targets : roles.costs);
    } else if (loss == "misclassification") {
      read_labels(roles.targets);
    } else {
      read_numbers_of(loss, roles);
    }
    keep_weighty_rows();
    if (gains) {
      problem_.gains = gains->read(rows_, problem_.weights);
      problem_.n_classes = problem_.gains->n_actions;
    }
    problem_.group.assign(rows_.size(), 0);
    for (const Json& feature : header_.at("features").array("\"features\"")) {
      read_column(feature);
    }
    refuse_unnamed_columns(roles);
    read_shape();
    require(
        header_.at("n_rows").integer("\"n_rows\"") == static_cast<std::int64_t>(problem_.n_rows()),
        "the data have " + std::to_string(problem_.n_rows()) +
            " rows of positive weight, not \"n_rows\"");
    require(header_.at("fingerprint").string("\"fingerprint\"") == fingerprint(),
            "the proof is about other data: the fingerprint differs");
    if (problem_.of_shares) make_shares();
    std::string what = loss + leaf_parameters(loss);
    if (gains) what = gains->words(*problem_.gains);
    if (problem_.limits) what = problem_.limits->words();
    if (problem_.ratio) what = problem_.ratio->words() + ", " + loss;
    problem_.about = statement(what);
    return std::move(problem_);
  }

 private:
  // Reads the targets of a regression, or the classes whose shares leaves predict.
  void read_numbers_of(const std::string& loss, const Roles& roles) {
    static const std::map<std::string, Family> kFamilies = {
        {"squared_error", Family::kSquares}, {"gini", Family::kSquares},
        {"log_loss", Family::kLogs},         {"poisson", Family::kLogs},
        {"survival", Family::kLogs},         {"absolute_error", Family::kDistances},
        {"quantile", Family::kDistances},    {"linear", Family::kLines}};
    const auto family = kFamilies.find(loss);
    if (family == kFamilies.end()) {
      throw Unreadable("the loss \"" + loss + "\" is not known to this checker");
    }
    problem_.family = family->second;
    problem_.of_shares = loss == "log_loss" || loss == "gini";
    if (roles.targets.empty()) throw Unreadable("a regression has a target column");
    if (problem_.of_shares) {
      problem_.smoothing = header_.at("smoothing").real("\"smoothing\"");
      require(problem_.smoothing >= 0, "\"smoothing\" is negative");
      read_labels(roles.targets);
      return;
    }
    for (const std::size_t column : roles.targets) {
      problem_.targets.push_back(numbers(column));
    }
    if (loss == "absolute_error") problem_.factor = 2;
    if (loss == "quantile") read_levels();
    if (loss == "linear") problem_.lines = LineColumns(header_);
    for (std::size_t i = 0; i < data_.n_rows; ++i) {
      if (problem_.weights[i] < 0) negative_weight(i);
    }
    if (loss == "survival") take_exposures(problem_.targets, problem_.weights);
    if (problem_.family != Family::kLogs) return;
    for (const auto& target : problem_.targets) {
      require(std::all_of(target.begin(), target.end(), [](double y) { return y >= 0; }),
              "a target is negative");
    }
  }
  void read_levels() {
    problem_.levels.clear();
    for (const Json& level : header_.at("quantiles").array("\"quantiles\"")) {
      problem_.levels.push_back(level.real("a quantile"));
      require(problem_.levels.back() > 0 && problem_.levels.back() < 1,
              "a quantile is not between 0 and 1");
    }
    require(!problem_.levels.empty() && problem_.levels.size() <= 1000,
            "\"quantiles\" is not a list of up to 1000 numbers");
  }
  // Makes one target for each class, which is 1 for the rows of the class. Labels are not used
  // after that.
  void make_shares() {
    problem_.targets.assign(problem_.n_classes, std::vector<double>(problem_.n_rows(), 0.0));
    for (std::size_t i = 0; i < problem_.n_rows(); ++i) {
      problem_.targets[static_cast<std::size_t>(problem_.labels[i])][i] = 1.0;
    }
  }
  std::string leaf_parameters(const std::string& loss) const {
    std::string text;
    if (loss == "quantile") {
      for (const double level : problem_.levels) {
        text += (text.empty() ? " " : ", ") + written(level);
      }
    }
    text += problem_.lines.words;
    if (problem_.smoothing > 0) text += ", smoothing " + written(problem_.smoothing);
    return text;
  }

  double number(std::size_t column, std::size_t row) const {
    const Cell& cell = data_.columns[column][row];
    const auto value = cell.number();
    if (!value || !std::isfinite(*value)) {
      throw Unreadable(name_of(column) + ", row " + std::to_string(row + 1) + ": \"" +
                       cell.shown() + "\" is no finite number");
    }
    return *value + 0.0;  // -0.0 becomes 0.0
  }
  std::string name_of(std::size_t column) const {
    if (column >= data_.names.size()) return "the target, the weights or the costs";
    return "column \"" + data_.names[column] + "\"";
  }

  void read_weights(const Roles& roles) {
    problem_.weights.assign(data_.n_rows, 1.0);
    if (roles.weight) problem_.weights = numbers(*roles.weight);
  }
  std::vector<double> numbers(std::size_t column) const {
    std::vector<double> out(data_.n_rows);
    for (std::size_t i = 0; i < data_.n_rows; ++i) out[i] = number(column, i);
    return out;
  }

  void read_labels(const std::vector<std::size_t>& targets) {
    if (targets.size() != 1) throw Unreadable("classification has one target column");
    const DataColumn& column = data_.columns[targets[0]];
    const std::vector<double> own = problem_.weights;
    const Categories classes(header_.at("classes").array("\"classes\""), "\"classes\"");
    problem_.n_classes = classes.size();
    std::vector<double> factors(problem_.n_classes, 1.0);
    const auto& list = header_.at("class_weight").array("\"class_weight\"");
    require(list.size() == factors.size(), "\"class_weight\" is not one for each class");
    for (std::size_t c = 0; c < list.size(); ++c) {
      factors[c] = list[c].real("a class weight");
      require(factors[c] >= 0, "a class weight is negative");
    }
    const std::vector<std::int32_t> codes = classes.codes(column);
    for (std::size_t i = 0; i < data_.n_rows; ++i) {
      const std::int32_t code = codes[column.place[i]];
      require(code >= 0, "row " + std::to_string(i + 1) + " has the label \"" + column[i].shown() +
                             "\", which the proof does not know");
      problem_.labels.push_back(code);
      if (problem_.weights[i] < 0) negative_weight(i);
      problem_.weights[i] *= factors[static_cast<std::size_t>(code)];
    }
    if (const Json* metric = header_.find("metric"); metric && !metric->is_null()) {
      require(header_.at("loss").string("\"loss\"") == "misclassification",
              "only misclassification has a metric");
      problem_.ratio.emplace(header_, problem_.labels, own);
    }
  }

  // Reads the costs of errors, with limited rates at their prices.
  void read_limits(const Json& given, const Roles& roles, GainsReader& gains) {
    if (roles.targets.size() != 1) throw Unreadable("classification has one target column");
    const Categories classes(header_.at("actions").array("\"actions\""), "\"actions\"");
    const auto codes_of = [&](const Categories& names, std::size_t column, const char* otherwise) {
      const DataColumn& cells = data_.columns[column];
      const std::vector<std::int32_t> codes = names.codes(cells);
      std::vector<std::int32_t> out;
      for (std::size_t i = 0; i < data_.n_rows; ++i) {
        out.push_back(codes[cells.place[i]]);
        require(out.back() >= 0, otherwise);
      }
      return out;
    };
    const auto labels =
        codes_of(classes, roles.targets[0], "the labels are not those of the proof");
    std::vector<std::int32_t> groups(data_.n_rows, 0);
    if (const Json* names = given.find("groups"); names && !names->is_null()) {
      if (!roles.groups) throw Unreadable("the groups of the rows are not given");
      const Categories known(names->array("\"groups\""), "\"groups\"");
      groups = codes_of(known, *roles.groups, "the groups are not those of the proof");
    }
    require(gains.n_columns() == classes.size(), "constraints go with plain errors");
    require(header_.at("measure").string("\"measure\"") == "cost",
            "constraints go with plain errors");
    problem_.limits.emplace(header_, labels, groups, problem_.weights, classes.size());
    gains.take_columns(problem_.limits->costs(classes.size()));
  }

  void read_costs(GainsReader& gains, const std::vector<std::size_t>& named) {
    if (gains.n_columns() == 0) {
      gains.take_matrix(problem_.labels, problem_.n_classes);
      return;
    }
    if (named.size() != gains.n_columns()) {
      throw Unreadable("there is not one column of costs for each of " +
                       std::to_string(gains.n_columns()) + " actions");
    }
    std::vector<std::vector<double>> columns;
    for (const std::size_t column : named) columns.push_back(numbers(column));
    gains.take_columns(columns);
  }

  [[noreturn]] static void negative_weight(std::size_t row) {
    throw Unreadable("row " + std::to_string(row + 1) + " has a negative or endless weight");
  }

  template <class T>
  void keep(std::vector<T>& column) const {
    if (column.empty()) return;
    for (std::size_t i = 0; i < rows_.size(); ++i) column[i] = column[rows_[i]];
    column.resize(rows_.size());
  }

  void keep_weighty_rows() {
    for (std::size_t i = 0; i < data_.n_rows; ++i) {
      const double weight = problem_.weights[i];
      if (!(weight >= 0) || !std::isfinite(weight)) negative_weight(i);
      if (weight > 0) rows_.push_back(i);
    }
    keep(problem_.labels);
    keep(problem_.weights);
    for (auto& target : problem_.targets) keep(target);
    if (rows_.empty()) throw Unreadable("the data have no row of positive weight");
  }

  void read_column(const Json& feature) {
    const std::string& name = feature.at("name").string("the name of a feature");
    const std::string& split = feature.at("split").string("the split of a feature");
    std::string missing;
    if (const Json* given = feature.find("missing"); given && !given->is_null()) {
      missing = given->string("the missing values of a feature");
      require(!missing.empty(), "column \"" + name + "\" has missing values of no kind");
    }
    const auto known = [](const std::string& word, const auto& list) {
      return std::find(list.begin(), list.end(), word) != list.end();
    };
    if (!known(split, kSplits) || !known(missing, kMissing)) {
      throw Unreadable("column \"" + name + "\": the split \"" + split + "\" is unknown");
    }
    require(std::find(names_.begin(), names_.end(), name) == names_.end(),
            "two features have the name \"" + name + "\"");
    names_.push_back(name);
    kinds_.emplace_back(split, missing);
    codes_.clear();
    problem_.poll();
    const std::size_t source = data_.in_order ? names_.size() - 1 : data_.find(name);
    require(source < data_.columns.size() && (!data_.in_order || source < n_given_),
            "the data have fewer columns than the proof");
    const std::size_t n = split == "threshold"
                              ? read_numbers(source, !missing.empty())
                              : read_categories(source, feature.at("values"), !missing.empty());
    for (const std::int32_t code : codes_) hash_.add_little_endian(code);
    keep_for_lines(source);
    const int direction = read_direction(feature);
    for (const View& view : views_of(split, static_cast<std::int32_t>(n), missing)) {
      Column column{name, view.split, 0, {}};
      column.direction = direction;
      column.feature = names_.size() - 1;
      require(direction == 0 || view.split == Split::kThreshold,
              "column \"" + name + "\" has a direction and is not split by thresholds");
      for (const std::int32_t c : view.code) {
        column.n_values = std::max(column.n_values, static_cast<std::size_t>(c) + 1);
      }
      for (const std::int32_t c : codes_) {
        column.codes.push_back(view.code[static_cast<std::size_t>(c)]);
      }
      problem_.add(std::move(column));
    }
    std::map<std::pair<std::size_t, std::int32_t>, std::size_t> groups;
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      const auto next = groups.emplace(std::pair(problem_.group[i], codes_[i]), groups.size());
      problem_.group[i] = next.first->second;
    }
  }

  // Keeps the numbers of a column on which lines depend.
  void keep_for_lines(std::size_t source) {
    LineColumns& lines = problem_.lines;
    const std::size_t at = lines.place_of(names_.size() - 1);
    if (at == lines.features.size()) return;
    for (const std::size_t row : rows_) lines.values[at].push_back(number(source, row));
  }

  // Reads whether predictions must not fall, or must not rise, along a column.
  int read_direction(const Json& feature) {
    const Json* given = feature.find("monotone");
    if (given == nullptr || given->is_null()) return 0;
    const std::int64_t direction = given->integer("\"monotone\"");
    require(direction >= -1 && direction <= 1, "\"monotone\" is not -1, 0 or 1");
    if (direction != 0) {
      directions_ +=
          (problem_.directed ? ", " : "") + std::string(direction > 0 ? "+" : "-") + names_.back();
      problem_.directed = true;
    }
    return static_cast<int>(direction);
  }
  void read_shape() {
    if (const Json* shape = header_.find("shape"); shape && !shape->is_null()) {
      problem_.list = shape->string("\"shape\"") == "list";
      require(problem_.list || shape->string("\"shape\"") == "tree",
              "\"shape\" is neither \"tree\" nor \"list\"");
    }
    require(!problem_.list || !problem_.multiway, "a list has tests of two outcomes");
    const bool two = problem_.n_classes == 2 && !problem_.of_shares;
    require(!problem_.directed || two, "only predictions of two classes can be monotone");
    if (problem_.list) problem_.promises += ", rule lists";
    if (problem_.directed) problem_.promises += ", monotone in " + directions_;
  }

  std::size_t read_numbers(std::size_t source, bool gaps) {
    const DataColumn& column = data_.columns[source];
    std::vector<double> values;
    for (const std::size_t row : rows_) {
      if (!gaps || !column[row].is_missing()) values.push_back(number(source, row));
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const double value : values) hash_.add_little_endian(value);
    std::vector<std::int32_t> known(column.cells.size(), -1);  // the codes of the cells
    for (const std::size_t row : rows_) {
      std::int32_t& code = known[column.place[row]];
      if (code < 0) {
        auto at = values.end();
        if (!gaps || !column[row].is_missing()) {
          at = std::lower_bound(values.begin(), values.end(), number(source, row));
        }
        code = static_cast<std::int32_t>(at - values.begin());
      }
      codes_.push_back(code);
    }
    return values.size();
  }

  std::size_t read_categories(std::size_t source, const Json& values, bool gaps) {
    const DataColumn& column = data_.columns[source];
    const std::string& name = names_.back();
    const auto& list = values.array("the values of a feature");
    const Categories categories(list, "column \"" + name + "\"");
    hash_.add(values.text);
    std::vector<std::int32_t> known = categories.codes(column);
    for (std::size_t k = 0; k < known.size() && gaps; ++k) {
      const Cell& cell = column.cells[k];
      const bool empty = known[k] < 0 || cell.kind != Cell::Kind::kWritten;
      if (empty && cell.is_missing()) known[k] = static_cast<std::int32_t>(list.size());
    }
    for (const std::size_t row : rows_) {
      const std::int32_t code = known[column.place[row]];
      require(code >= 0, "column \"" + name + "\", row " + std::to_string(row + 1) +
                             ": the proof knows no \"" + column[row].shown() + "\"");
      codes_.push_back(code);
    }
    return list.size();
  }

  // Throws if the data have columns that the proof does not mention: it would be about another
  // problem.
  void refuse_unnamed_columns(const Roles& roles) const {
    require(!data_.in_order || names_.size() == n_given_,
            "the data have more columns than the proof");
    for (std::size_t column = 0; column < data_.names.size(); ++column) {
      const std::string& name = data_.names[column];
      const bool named = std::find(names_.begin(), names_.end(), name) != names_.end();
      require(named || roles.has(column),
              "the proof does not speak of the column \"" + name + "\" of the data");
    }
  }

  // Describes the problem: the loss, the rows and their weights, the kinds of columns.
  std::string statement(const std::string& what) const {
    const auto weights = problem_.limits ? problem_.limits->error_weights() : problem_.weights;
    const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
    std::string text = what + ", " + std::to_string(rows_.size()) + " rows";
    if (const std::size_t n = data_.n_rows - rows_.size(); n > 0) {
      text += ", " + std::to_string(n) + " more of weight 0 left out";
    }
    text += *least == 1 && *most == 1
                ? ", weights all 1"
                : ", weights from " + written(*least) + " to " + written(*most);
    if (!problem_.labels.empty()) text += class_weights();
    std::string kinds;
    for (const char* split : kSplits) {
      for (const char* missing : kMissing) {
        const auto n = std::count(kinds_.begin(), kinds_.end(), Kind(split, missing));
        if (n == 0) continue;
        kinds += (kinds.empty() ? "" : ", ") + std::to_string(n) + " " + split;
        if (*missing != '\0') kinds += std::string(" with ") + missing;
      }
    }
    return text + ", " + std::to_string(names_.size()) + " columns (" +
           (kinds.empty() ? "none" : kinds) + ")";
  }
  std::string class_weights() const {
    const auto& classes = header_.at("classes").array("\"classes\"");
    const auto& weights = header_.at("class_weight").array("\"class_weight\"");
    std::string each;
    bool all_one = true;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const double weight = weights[c].real("a class weight");
      all_one = all_one && weight == 1;
      each += (c == 0 ? "" : ", ") + std::string(classes[c].text) + ": " + written(weight);
    }
    return all_one ? "" : ", class weights {" + each + "}";
  }

  // Returns the fingerprint; the columns have been hashed before.
  std::string fingerprint() {
    for (const std::int32_t label : problem_.labels) hash_.add_little_endian(label);
    if (problem_.gains) hash_.add(header_.at("actions").text);
    for (std::size_t i = 0; i < problem_.n_rows(); ++i) {
      for (const auto& target : problem_.targets) hash_.add_little_endian(target[i]);
      if (!problem_.gains) continue;
      for (const double cost : problem_.gains->costs[i]) hash_.add_little_endian(cost);
    }
    for (const double weight : problem_.weights) hash_.add_little_endian(weight);
    return "sha256:" + hash_.hex();
  }

  const Json& header_;
  const DataTable& data_;
  std::vector<std::size_t> rows_;
  std::vector<std::string> names_;   // the names of the columns
  std::vector<Kind> kinds_;          // the kinds of the columns
  std::vector<std::int32_t> codes_;  // the codes of one column
  std::string directions_;           // the directions of columns, in words
  std::size_t n_given_ = 0;          // the number of columns that may be features
  Sha256 hash_;
  Problem problem_;
};

}  // namespace checker
