// A table without the columns and categories on which no split pays (bounds/idle_columns.hpp).
//
// A multiway column on which no split pays becomes constant. A column that is split by "one
// category against the rest" becomes constant, too, if most of its categories are too light for a
// split; each of the others gets a column of two values at the end of the table. A tree of the
// reduced table is translated back by `restore`.
//
// This matters most for prices of rows, which have to hold for every box: with a name for each
// row, a box may leave out any row, and no price is above zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/options.hpp"
#include "data/problem.hpp"
#include "tree/split_tree.hpp"

namespace treeproof::portfolio {

class ReducedTable {
 public:
  // `codes` is column-major and must outlive this object. Nothing is left out yet.
  ReducedTable(std::vector<Feature> features, std::span<const std::int32_t> codes)
      : features_(std::move(features)), codes_(codes), n_given_(features_.size()) {}

  // Leaves out what cannot be in a tree of least cost within these limits.
  void reduce(std::span<const double> weights, std::int32_t n_classes, const TreeLimits& limits);

  const std::vector<Feature>& features() const { return features_; }
  std::span<const std::int32_t> codes() const { return changed_.empty() ? codes_ : changed_; }
  std::size_t n_idle() const { return n_idle_; }  // columns and categories that were left out

  // Names the columns of the given table in a tree of the reduced one.
  SplitTree restore(SplitTree tree) const;

 private:
  struct Category {
    std::int32_t feature;
    std::int32_t code;
  };

  void make_constant(std::size_t feature, std::size_t n_rows);
  void separate_heavy(std::size_t feature, std::span<const double> weights, double split_cost,
                      bool single_rows);

  std::vector<Feature> features_;
  std::span<const std::int32_t> codes_;
  std::size_t n_given_;
  std::vector<std::int32_t> changed_;  // the codes, once something was left out
  std::vector<Category> appended_;     // the categories that the columns at the end stand for
  std::size_t n_idle_ = 0;
};

}  // namespace treeproof::portfolio
