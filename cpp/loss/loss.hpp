// The interface of an objective for the search over trees.
//
// A loss is superadditive: the best constant for a union of rows cannot do better on each
// part than that part's own best constant (Quant-BnB, Lemma B.1, for any loss that sums over
// rows). All bounds of the threshold search follow from this property. The page
// docs/about/contributors.md shows how to add an objective.
#pragma once

#include <concepts>
#include <cstdint>

namespace treeproof {

template <class L>
concept Loss = requires(const L& loss, typename L::Tally& tally, const typename L::Tally& seen,
                        std::uint32_t row, typename L::Value value) {
  // The type of costs: exact integers, or doubles with a stated tolerance.
  requires std::same_as<typename L::Value, std::int64_t> || std::same_as<typename L::Value, double>;
  // True if leaving out rows of total weight w lowers an optimal cost by at most w.
  { L::kUnitStep } -> std::convertible_to<bool>;
  { loss.tally() } -> std::same_as<typename L::Tally>;
  loss.clear(tally);
  loss.add(tally, row);
  loss.remove(tally, row);
  // The loss of the best constant on the rows tallied.
  { loss.value(seen) } -> std::same_as<typename L::Value>;
  // The impurity that a greedy search minimises instead; for labels it is strictly concave.
  { loss.impurity(seen) } -> std::same_as<double>;
  // closes(bound, best): true if the lower bound `bound` rules out a tree better than `best`.
  { loss.closes(value, value) } -> std::same_as<bool>;
  { loss.weight(row) } -> std::same_as<typename L::Value>;
  { loss.infinite() } -> std::same_as<typename L::Value>;
};

}  // namespace treeproof
