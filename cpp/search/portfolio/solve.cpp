#include "search/portfolio/solve.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "loss/tolerance.hpp"
#include "search/portfolio/level_prices.hpp"
#include "search/portfolio/price_engine.hpp"
#include "search/threshold/first_tree/polish.hpp"

namespace treeproof::portfolio {
namespace {

// Units of work per microsecond, measured on real tables and on those of the papers. What matters
// is their proportion: with it, equal shares take equal time.
constexpr double kSparsePace = 0.9;
constexpr double kThresholdPace = 1.0;
constexpr double kPolishPace = 1.0;
constexpr double kPricePace = 1.3;

int max_depth_of(const TreeLimits& limits) {
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
  answer.tree = board.best(board.max_depth())->tree;
  answer.split_cost = split_cost;
  return answer;
}

// The board of a classification. Every tree is a single leaf or pays for at least one split, so the
// price of a split is a lower bound, unless the leaf costs less.
class LabelBoard : public Board<Cost> {
 public:
  LabelBoard(const Request& request, Cost penalty, Cost leaf_cost, Cost forced = 0)
      : Board(
            max_depth_of(request.tree_limits), kInfiniteCost, penalty,
            [](Cost lower, Cost upper) { return lower >= upper; }, forced) {
    found({}, leaf_cost);
    if (forced + penalty < leaf_cost) proved(max_depth(), forced + penalty);
  }
};

// The same for regression. Costs are fractions of the loss of a single leaf.
class TargetBoard : public Board<double> {
 public:
  TargetBoard(const Request& request, const threshold::Targets& targets)
      : Board(max_depth_of(request.tree_limits), 1e300, request.tree_limits.split_penalty,
              [tolerance = Tolerance::relative_to(1.0)](double lower, double upper) {
                return tolerance.closes(lower, upper);
              }) {
    found({}, 1.0);
    const auto outputs = static_cast<std::size_t>(targets.n_outputs);
    bool differ = false;  // otherwise a leaf has no loss
    for (std::size_t k = outputs; k < targets.values.size() && !differ; ++k)
      differ = targets.values[k] != targets.values[k - outputs];
    if (differ && request.tree_limits.split_penalty < 1.0)
      proved(max_depth(), request.tree_limits.split_penalty);
  }
};

// The engines that search for a classification tree, and the prices that they share.
class LabelPortfolio {
 public:
  LabelPortfolio(const LabelEngines& given, const Request& request, Cost penalty)
      : given_(given), request_(request), max_depth_(max_depth_of(request.tree_limits)),
        prices_(given, penalty, request.tree_limits.penalize), levels_(prices_) {
    // The log that belongs to a checkpoint must contain all steps.
    const bool whole_log = given.listener != nullptr && !given.sparse.checkpoint.empty();
    has_prices_ = request.prices && !whole_log && penalty > 0;
    has_level_prices_ = has_prices_ && levels_.are_worthwhile();
  }

  const PriceEngine& prices() const { return prices_; }
  const LevelPrices& level_prices() const { return levels_; }
  double promised() const { return has_prices_ ? prices_.promised() : 0.0; }

  std::vector<Engine<Cost>> engines() {
    std::vector<Engine<Cost>> out;
    if (given_.problem != nullptr) out.push_back(sparse_engine());
    if (given_.columns != nullptr) out.push_back(threshold_engine());
    if (given_.columns != nullptr && request_.polish && max_depth_ > kFlat)
      out.push_back(polish_engine());
    // If the depth is limited, the prices of that level are better than those for any depth.
    if (has_prices_ && !(has_level_prices_ && max_depth_ <= LevelPrices::kLastLevel))
      out.push_back({"prices", false, kPricePace,
                     [this](int, Limits& own, Exchange<Cost>& exchange) {
                       return prices_.run(request_.price_parts, request_.switches.n_threads, own,
                                          exchange);
                     },
                     Role::prices});
    if (has_level_prices_)
      out.push_back({"level prices", true, kPricePace,
                     [this](int level, Limits& own, Exchange<Cost>& exchange) {
                       return levels_.run(level, own, exchange);
                     },
                     Role::prices, LevelPrices::kFirstLevel, LevelPrices::kLastLevel});
    return out;
  }

 private:
  const prices::PriceBoard* board_of(int level) {
    return has_level_prices_ ? &levels_.board(level) : &prices_.board();
  }

  Engine<Cost> sparse_engine() {
    const bool same_rows =
        given_.columns == nullptr || given_.columns->n_rows == given_.problem->n_rows();
    return {"sparse", true, kSparsePace,
            [this, same_rows](int level, Limits& own, Exchange<Cost>& exchange) {
              sparse::Options options = given_.sparse;
              if (has_prices_ && same_rows) options.prices = board_of(level);
              options.exchange = &exchange;
              if (level != max_depth_) {
                options.checkpoint.clear();
                options.resumed = nullptr;
              }
              return sparse::solve(*given_.problem, at_level(request_.tree_limits, level), options,
                                   own, {}, level == max_depth_ ? given_.listener : nullptr)
                  .statistics;
            }};
  }

  Engine<Cost> threshold_engine() {
    return {"threshold", true, kThresholdPace,
            [this](int level, Limits& own, Exchange<Cost>& exchange) {
              threshold::Switches switches = request_.switches;
              if (has_prices_) switches.prices = board_of(level);
              ShiftedExchange<Cost> shifted(exchange, given_.labels.forced());
              return threshold::solve_labels(*given_.columns, given_.labels,
                                             at_level(request_.tree_limits, level), switches, own,
                                             {}, nullptr, &shifted)
                  .statistics;
            }};
  }

  Engine<Cost> polish_engine() {
    return {"polish", false, kPolishPace, [this](int level, Limits& own, Exchange<Cost>& exchange) {
              ShiftedExchange<Cost> shifted(exchange, given_.labels.forced());
              return threshold::polish_labels(*given_.columns, given_.labels,
                                              at_level(request_.tree_limits, level),
                                              request_.switches, own, shifted);
            }};
  }

  const LabelEngines& given_;
  const Request& request_;
  const int max_depth_;
  PriceEngine prices_;
  LevelPrices levels_;
  bool has_prices_;
  bool has_level_prices_;
};

}  // namespace

Answer<Cost> leaf_of_labels(const Request& request, std::int64_t total_weight, Cost leaf_cost,
                            Limits& limits, const News<Cost>& news) {
  const Cost penalty = split_cost(request.tree_limits.split_penalty, total_weight);
  LabelBoard board(request, penalty, leaf_cost);
  return climb(board, {}, request, penalty, limits, news);
}

Answer<double> leaf_of_targets(const threshold::Targets& targets, const Request& request,
                               Limits& limits, const News<double>& news) {
  TargetBoard board(request, targets);
  return climb(board, {}, request, request.tree_limits.split_penalty, limits, news);
}

Answer<Cost> solve_labels(const LabelEngines& given, const Request& request,
                          std::int64_t total_weight, Cost leaf_cost, Limits& limits,
                          const News<Cost>& news) {
  const Cost penalty = split_cost(request.tree_limits.split_penalty, total_weight);
  LabelBoard board(request, penalty, leaf_cost, given.labels.forced());
  board.tolerate(request.absolute_tolerance * static_cast<double>(cost_of(total_weight)),
                 request.relative_tolerance);
  LabelPortfolio searches(given, request, penalty);
  Answer<Cost> answer = climb(board, searches.engines(), request, penalty, limits, news,
                              [&] { return searches.promised(); });
  answer.prices = searches.prices().best();
  answer.level_prices = searches.level_prices().best();
  answer.cost_per_leaf = searches.prices().cost_per_leaf();
  return answer;
}

Answer<double> solve_targets(const Columns& columns, const threshold::Targets& targets,
                             Criterion criterion, const Request& request, Limits& limits,
                             const News<double>& news) {
  TargetBoard board(request, targets);
  board.tolerate(request.absolute_tolerance, request.relative_tolerance);
  std::vector<Engine<double>> engines;
  engines.push_back(
      {"threshold", true, kThresholdPace, [&](int level, Limits& own, Exchange<double>& exchange) {
         return threshold::solve_targets(criterion, columns, targets,
                                         at_level(request.tree_limits, level), request.switches,
                                         own, {}, nullptr, &exchange)
             .statistics;
       }});
  if (request.polish && board.max_depth() > kFlat)
    engines.push_back(
        {"polish", false, kPolishPace, [&](int level, Limits& own, Exchange<double>& exchange) {
           return threshold::polish_targets(criterion, columns, targets,
                                            at_level(request.tree_limits, level), request.switches,
                                            own, exchange);
         }});
  return climb(board, engines, request, request.tree_limits.split_penalty, limits, news);
}

}  // namespace treeproof::portfolio
