// Questions about all trees within a budget, answered exactly without listing them (fronts.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "search/near/filter.hpp"
#include "search/near/graph.hpp"
#include "search/near/question_sums.hpp"
#include "tree/tree.hpp"

namespace treeproof::near {

// The value that answers a question, and the cheapest tree that has this value.
struct Extreme {
  std::int64_t value = 0;
  Cost cost = 0;
  TreeDraft tree;
};

// Returns nothing if no tree passes the filter, or if a limit was reached.
std::optional<Extreme> least_sum(const Graph& graph, const Filter& filter, Sums sums,
                                 Limits& limits);
// The sum that is nearest to 0.
std::optional<Extreme> smallest_sum(const Graph& graph, const Filter& filter, Sums sums,
                                    Limits& limits);
// The least or the greatest error if the values of a column are shuffled, as a product of two
// weights: that of an error and that of a value. `weights` are those of the rows of the problem, as
// weights of values.
std::optional<Extreme> extreme_reliance(const Graph& graph, const Filter& filter,
                                        std::int32_t column,
                                        const std::vector<std::int64_t>& weights, bool greatest,
                                        Limits& limits);
// The least total price of the columns that are tested on the rows' paths.
std::optional<Extreme> least_asking(const Graph& graph, const Filter& filter, ColumnPrices prices,
                                    Limits& limits);

// One tree for each set of trees that predict the same, sorted by cost.
class Listing {
 public:
  virtual ~Listing() = default;
  // Returns false if a limit was reached.
  virtual bool build(Limits& limits) = 0;
  virtual std::size_t size() const = 0;
  virtual Cost cost(std::size_t i) const = 0;
  virtual TreeDraft tree(std::size_t i) const = 0;
};

// One tree for each of the predictions on the training rows that occur.
std::unique_ptr<Listing> list_predictions(const Graph& graph, const Filter& filter);
// One tree for each of the functions of the columns' values that occur.
std::unique_ptr<Listing> list_functions(const Graph& graph, const Filter& filter);

}  // namespace treeproof::near
