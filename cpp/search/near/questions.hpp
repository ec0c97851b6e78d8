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

// The value of a question, and the cheapest of the trees that have it.
struct Extreme {
  std::int64_t value = 0;
  Cost cost = 0;
  TreeDraft tree;
};

// Nothing if no tree passes the filter, or if a limit was reached.
std::optional<Extreme> least_sum(const Graph& graph, const Filter& filter, Sums sums,
                                 Limits& limits);
// The sum that is nearest to 0.
std::optional<Extreme> smallest_sum(const Graph& graph, const Filter& filter, Sums sums,
                                    Limits& limits);
// The least error, or the greatest, when a column is shuffled, in products of two weights: of an
// error, and of a value. `weights` are of the rows of the problem, for their values.
std::optional<Extreme> extreme_reliance(const Graph& graph, const Filter& filter,
                                        std::int32_t column,
                                        const std::vector<std::int64_t>& weights, bool greatest,
                                        Limits& limits);
// The least sum of what rows pay for the columns on their path.
std::optional<Extreme> least_asking(const Graph& graph, const Filter& filter, Prices prices,
                                    Limits& limits);

// Trees by cost, one for each set of predictions that trees of the set make.
class Listing {
 public:
  virtual ~Listing() = default;
  // Returns false if a limit was reached.
  virtual bool build(Limits& limits) = 0;
  virtual std::size_t size() const = 0;
  virtual Cost cost(std::size_t i) const = 0;
  virtual TreeDraft tree(std::size_t i) const = 0;
};

// One tree for all that predict alike on the training rows.
std::unique_ptr<Listing> list_predictions(const Graph& graph, const Filter& filter);
// One tree for all that predict alike for every combination of the columns' values.
std::unique_ptr<Listing> list_functions(const Graph& graph, const Filter& filter);

}  // namespace treeproof::near
