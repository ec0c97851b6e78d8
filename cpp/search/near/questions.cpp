#include "search/near/questions.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

#include "search/near/question_names.hpp"
#include "search/near/question_reliance.hpp"

namespace treeproof::near {
namespace {

// Of the values whose `rank` is lowest, the one that the cheapest tree has.
template <class Question, class Rank>
std::optional<Extreme> extreme(const Graph& graph, const Filter& filter, Question question,
                               const Rank& rank, Limits& limits) {
  Fronts<Question> fronts(graph, filter, std::move(question));
  if (!fronts.build(limits)) return std::nullopt;
  const auto whole = fronts.whole();
  if (whole.empty()) return std::nullopt;
  const auto best = std::ranges::min_element(
      whole, {}, [&](const auto& p) { return std::tuple(rank(p.value), p.cost); });
  return Extreme{best->value, best->cost, fronts.tree(*best)};
}

constexpr auto kItself = [](std::int64_t value) { return value; };

template <class Question>
class FrontListing final : public Listing {
 public:
  FrontListing(const Graph& graph, const Filter& filter, Question question)
      : fronts_(graph, filter, std::move(question)) {}

  bool build(Limits& limits) override {
    if (!fronts_.build(limits)) return false;
    whole_ = fronts_.whole();
    return true;
  }
  std::size_t size() const override { return whole_.size(); }
  Cost cost(std::size_t i) const override { return whole_.at(i).cost; }
  TreeDraft tree(std::size_t i) const override { return fronts_.tree(whole_.at(i)); }

 private:
  Fronts<Question> fronts_;
  typename Fronts<Question>::Front whole_;
};

}  // namespace

std::optional<Extreme> least_sum(const Graph& graph, const Filter& filter, Sums sums,
                                 Limits& limits) {
  return extreme(graph, filter, SumQuestion<false>(graph.problem(), std::move(sums)), kItself,
                 limits);
}

std::optional<Extreme> smallest_sum(const Graph& graph, const Filter& filter, Sums sums,
                                    Limits& limits) {
  const auto distance = [](std::int64_t value) { return std::abs(value); };
  return extreme(graph, filter, SumQuestion<true>(graph.problem(), std::move(sums)), distance,
                 limits);
}

std::optional<Extreme> extreme_reliance(const Graph& graph, const Filter& filter,
                                        std::int32_t column,
                                        const std::vector<std::int64_t>& weights, bool greatest,
                                        Limits& limits) {
  RelianceQuestion question(graph, column, weights, greatest ? -1 : 1);
  auto found = extreme(graph, filter, std::move(question), kItself, limits);
  if (found && greatest) found->value = -found->value;
  return found;
}

std::optional<Extreme> least_asking(const Graph& graph, const Filter& filter, ColumnPrices prices,
                                    Limits& limits) {
  return extreme(graph, filter, AskingQuestion(std::move(prices)), kItself, limits);
}

std::unique_ptr<Listing> list_predictions(const Graph& graph, const Filter& filter) {
  return std::make_unique<FrontListing<PredictionNames>>(graph, filter, PredictionNames{});
}

std::unique_ptr<Listing> list_functions(const Graph& graph, const Filter& filter) {
  return std::make_unique<FrontListing<FunctionNames>>(graph, filter, FunctionNames(graph));
}

}  // namespace treeproof::near
