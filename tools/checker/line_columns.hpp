// The columns on which lines in leaves may depend, and the penalty of slopes, as the header states
// them.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "errors.hpp"
#include "json.hpp"

namespace checker {

struct LineColumns {
  std::vector<std::size_t> features;        // the numbers of the columns
  std::vector<std::vector<double>> values;  // the values of all rows, in the same order
  double ridge = 0;
  std::string words;

  LineColumns() = default;
  explicit LineColumns(const Json& header) {
    const auto& all = header.at("features").array("\"features\"");
    const Json& lines = header.at("lines");
    std::string names;
    for (const Json& column : lines.at("columns").array("the columns of lines")) {
      const std::int64_t number = column.integer("a column of lines");
      require(number >= 0 && number < static_cast<std::int64_t>(all.size()),
              "there is no column " + std::to_string(number) + " for lines");
      const auto f = static_cast<std::size_t>(number);
      require(place_of(f) == features.size(), "a column of lines is named twice");
      features.push_back(f);
      const Json& feature = all[f];
      const std::string& name = feature.at("name").string("the name of a feature");
      const Json* missing = feature.find("missing");
      require(feature.at("split").string("the split of a feature") == "threshold" &&
                  (missing == nullptr || missing->is_null()),
              "the column \"" + name + "\" of lines is not one of numbers");
      names += (names.empty() ? "" : ", ") + name;
    }
    require(!features.empty(), "lines have no columns");
    values.resize(features.size());
    ridge = lines.at("ridge").real("the ridge of lines");
    require(ridge > 0 && ridge <= 1e9, "the ridge of lines is not from 0 to 1e9");
    words = " in " + names + " with ridge " + written(ridge);
  }

  // The position of a column in these lists; their size if it is not one of these columns.
  std::size_t place_of(std::size_t feature) const {
    const auto at = std::find(features.begin(), features.end(), feature);
    return static_cast<std::size_t>(at - features.begin());
  }
};

}  // namespace checker
