#include "search/portfolio/solve.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "loss/tolerance.hpp"
#include "search/portfolio/price_engine.hpp"
#include "search/threshold/polish.hpp"

namespace treeproof::portfolio {
namespace {

// Units of work per microsecond, measured on real tables.
constexpr double kSparsePace = 1.0;
constexpr double kThresholdPace = 8.0;
constexpr double kPolishPace = 4.0;
constexpr double kPricePace = 1.0;

int question_of(const TreeLimits& limits) {
  return limits.max_depth < 0 ? kAnyDepth : std::min(limits.max_depth, kAnyDepth);
}

TreeLimits at_level(TreeLimits limits, int level) {
  limits.max_depth = level == kAnyDepth ? -1 : level;
  return limits;
}

template <class Value>
Answer<Value> climb(Board<Value>& board, const std::vector<Engine<Value>>& engines,
                    const Request& request, Value split_cost, Limits& limits,
                    const News<Value>& news, std::function<double()> promised = {}) {
  Answer<Value> answer;
  Climb<Value> climb(board, engines, limits, request.levels_first, news);
  climb.set_promised(std::move(promised));
  answer.outcome = climb.run(request.climb);
  answer.tree = board.best(board.question())->tree;
  answer.split_cost = split_cost;
  return answer;
}

}  // namespace

Answer<Cost> solve_labels(const LabelEngines& given, const Request& request,
                          std::int64_t total_weight, Cost leaf_cost, Limits& limits,
                          const News<Cost>& news) {
  const Cost penalty = split_cost(request.tree_limits.split_penalty, total_weight);
  const int question = question_of(request.tree_limits);
  const Cost forced = given.labels.forced();
  Board<Cost> board(question, kInfiniteCost, penalty,
                    [](Cost lower, Cost upper) { return lower >= upper; }, forced);
  board.found({}, leaf_cost);
  std::vector<Engine<Cost>> engines;
  // Steps of a proof cannot cite prices.
  const bool prices = request.prices && given.listener == nullptr && penalty > 0;
  PriceEngine maker(given, penalty, request.tree_limits.penalize);
  const bool same_rows = given.columns == nullptr || given.problem == nullptr ||
                         given.columns->n_rows == given.problem->n_rows();
  if (given.problem != nullptr)
    engines.push_back({"sparse", true, kSparsePace,
                       [&](int level, Limits& own, Exchange<Cost>& exchange) {
      sparse::Options options = given.sparse;
      if (prices && same_rows) options.prices = &maker.board();
      options.exchange = &exchange;
      if (level != question) {
        options.checkpoint.clear();
        options.resumed = nullptr;
      }
      return sparse::solve(*given.problem, at_level(request.tree_limits, level), options, own, {},
                           level == question ? given.listener : nullptr)
          .statistics;
    }});
  if (given.columns != nullptr) {
    engines.push_back({"threshold", true, kThresholdPace,
                       [&](int level, Limits& own, Exchange<Cost>& exchange) {
      threshold::Switches switches = request.switches;
      if (prices) switches.prices = &maker.board();
      ShiftedExchange<Cost> shifted(exchange, forced);
      return threshold::solve_labels(*given.columns, given.labels,
                                     at_level(request.tree_limits, level), switches, own, {},
                                     nullptr, &shifted)
          .statistics;
    }});
    if (request.polish && question > kFlat)
      engines.push_back({"polish", false, kPolishPace,
                         [&](int level, Limits& own, Exchange<Cost>& exchange) {
        ShiftedExchange<Cost> shifted(exchange, forced);
        return threshold::polish_labels(*given.columns, given.labels,
                                        at_level(request.tree_limits, level), request.switches,
                                        own, shifted);
      }});
  }
  if (prices)
    engines.push_back({"prices", false, kPricePace,
                       [&](int, Limits& own, Exchange<Cost>& exchange) {
                         return maker.run(own, exchange);
                       },
                       Role::prices});
  return climb(board, engines, request, penalty, limits, news,
               [&] { return prices ? maker.promised() : 0.0; });
}

Answer<double> solve_targets(const Columns& columns, const threshold::Targets& targets,
                             Criterion criterion, const Request& request, Limits& limits,
                             const News<double>& news) {
  const Tolerance tolerance = Tolerance::relative_to(1.0);  // a single leaf loses 1
  Board<double> board(question_of(request.tree_limits), 1e300,
                      request.tree_limits.split_penalty,
                      [tolerance](double lower, double upper) {
                        return tolerance.closes(lower, upper);
                      });
  board.found({}, 1.0);
  const bool squared = criterion == Criterion::squared_error;
  const auto solve = squared ? threshold::solve_squared : threshold::solve_absolute;
  const auto polish = squared ? threshold::polish_squared : threshold::polish_absolute;
  std::vector<Engine<double>> engines;
  engines.push_back({"threshold", true, kThresholdPace,
                     [&](int level, Limits& own, Exchange<double>& exchange) {
    return solve(columns, targets, at_level(request.tree_limits, level), request.switches, own, {},
                 nullptr, &exchange)
        .statistics;
  }});
  if (request.polish && board.question() > kFlat)
    engines.push_back({"polish", false, kPolishPace,
                       [&](int level, Limits& own, Exchange<double>& exchange) {
      return polish(columns, targets, at_level(request.tree_limits, level), request.switches, own,
                    exchange);
    }});
  return climb(board, engines, request, request.tree_limits.split_penalty, limits, news);
}

}  // namespace treeproof::portfolio
