#include "bounds/prices/price_maker.hpp"

#include <algorithm>
#include <cmath>

#include "core/index.hpp"

namespace treeproof::prices {
namespace {

constexpr int kLeastRounds = 4;
constexpr int kMostRounds = 60;
constexpr int kSteps = 150;
constexpr int kStarts = 50;
constexpr std::size_t kBoxesPerClass = 60;
constexpr std::size_t kMostBoxes = 3000;
constexpr std::int64_t kSlice = 1 << 23;

// Returns the shift by which costs are divided, so that the weights of all boxes stay below 2^28.
int shift_for(std::int64_t total_weight) {
  int shift = 0;
  while (cost_of(total_weight) >> shift >= (Cost{1} << 27)) ++shift;
  return shift;
}

}  // namespace

std::vector<Cost> prices_of_rows(const Points& points, const Prices& prices,
                                 std::span<const Weight> weights) {
  std::vector<Cost> rest = prices.of_point;
  std::vector<std::int64_t> weight = points.weight;
  std::vector<Cost> of_row(weights.size());
  for (std::size_t row = 0; row < weights.size(); ++row) {
    const std::size_t point = index(points.point_of[row]);
    // The row gets the share of the remaining price that it has of the remaining weight, so that
    // rounding never hands out more than the price of the point.
    const Cost price = static_cast<Cost>(
        std::llround(static_cast<double>(rest[point]) * weights[row] /
                     static_cast<double>(std::max<std::int64_t>(1, weight[point]))));
    weight[point] -= weights[row];
    of_row[row] = weight[point] <= 0 ? rest[point] : std::min(price, rest[point]);
    rest[point] -= of_row[row];
  }
  return of_row;
}

std::shared_ptr<const RowPrices> row_prices(const Points& points, const Prices& prices,
                                            std::span<const Weight> weights, Cost split_cost) {
  return std::make_shared<RowPrices>(
      RowPrices{prices_of_rows(points, prices, weights), split_cost, prices.total});
}

Cost cost_per_leaf(Cost split_cost, std::span<const Feature> features, Penalize penalize) {
  std::int32_t most = 2;
  for (const Feature& feature : features)
    if (feature.kind == FeatureKind::multiway) most = std::max(most, feature.n_values);
  return penalize == Penalize::leaves ? split_cost : split_cost / (most - 1);
}

PriceMaker::PriceMaker(const Points& points, Cost split_cost, std::unique_ptr<Pricer> pricer)
    : points_(points), split_cost_(split_cost), pricer_(std::move(pricer)),
      shift_(shift_for(points.total_weight)),
      split_(static_cast<std::int32_t>(std::min<Cost>(split_cost, cost_of(points.total_weight)) >>
                                       shift_)),
      programme_(points, static_cast<double>(split_cost) / static_cast<double>(kUnitCost)),
      rounds_left_(kMostRounds) {
  auto none = std::make_shared<Prices>();
  none->of_point.assign(index(points.size()), 0);
  best_ = none;
  if (split_ == 0 || points.columns.empty()) stage_ = Stage::done;
}

void PriceMaker::start_from(const PriceMaker& larger, std::span<const std::int32_t> members) {
  auto known = std::make_shared<Prices>();
  for (const std::int32_t i : members) {
    known->of_point.push_back(larger.best_->of_point[index(i)]);
    known->total += known->of_point.back();
  }
  best_ = std::move(known);
  programme_.start_from(larger.programme_, members);
  factor_ = std::max(factor_, larger.certified_factor_);
}

bool PriceMaker::run(std::int64_t work, Limits& limits) {
  const std::int64_t until = spent_ + work;
  while (stage_ != Stage::done && spent_ < until && !limits.stop()) {
    if (stage_ == Stage::certify) {
      if (certify(std::min(kSlice, until - spent_), limits)) end_certifying();
      continue;
    }
    programme_round(limits);
    --rounds_left_;
    if (enough_rounds()) begin_certifying();
  }
  return stage_ != Stage::done;
}

std::vector<std::int32_t> PriceMaker::weights_for(std::int32_t k) const {
  std::vector<std::int32_t> weights(candidate_);
  for (std::int32_t i = 0; i < points_.size(); ++i)
    weights[index(i)] -= static_cast<std::int32_t>(cost_of(points_.errors(k, i)) >> shift_);
  return weights;
}

void PriceMaker::programme_round(Limits& limits) {
  const double heaviest = std::max(search_boxes(limits), programme_.heaviest());
  double total = 0.0;
  for (const std::int32_t price : candidate_) total += price;
  const double hoped =
      std::ldexp(total / std::max(1.0, heaviest), shift_) - static_cast<double>(split_cost_);
  if (shares_.empty() || hoped > hoped_) {
    constexpr double kLeastGain = 1.01;
    if (hoped > kLeastGain * hoped_) last_gain_round_ = kMostRounds - rounds_left_;
    hoped_ = hoped;
    violation_ = heaviest;
    shares_ = programme_.shares();
  }
  programme_.solve(kSteps, [&](std::int64_t work) {
    constexpr std::int64_t kRandomAccess = 2;  // its steps read memory at random and so take longer
    return spend_on_programme(kRandomAccess * work, limits);
  });
  if (programme_.n_boxes() > kMostBoxes + kMostBoxes / 2) programme_.trim(kMostBoxes);
}

bool PriceMaker::spend_on_programme(std::int64_t work, Limits& limits) {
  programme_work_ += work;
  spent_ += work;
  return limits.stop(static_cast<std::uint32_t>(work / kStepsPerMicrosecond));
}

// Searches for heavy boxes at the current prices of the linear programme and adds them to it.
// Returns the weight of the heaviest one, in splits.
double PriceMaker::search_boxes(Limits& limits) {
  const std::vector<double>& shares = programme_.shares();
  candidate_.resize(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i)
    candidate_[i] = static_cast<std::int32_t>(
        std::floor(shares[i] * static_cast<double>(cost_of(points_.weight[i]) >> shift_)));
  std::int64_t heaviest = 0;
  std::vector<std::pair<std::int64_t, std::vector<std::int32_t>>> heavy;
  for (std::int32_t k = 0; k < points_.n_classes; ++k) {
    const std::vector<std::int32_t> weights = weights_for(k);
    heavy.clear();
    for (int start = 0; start < kStarts; ++start) {
      // Starts are random points, boxes that certifications found, and boxes that are tight.
      const std::span<const std::int32_t> tight = start % 4 == 0 ? std::span<const std::int32_t>()
                                                  : start % 4 == 1
                                                      ? programme_.recent_box(dice_.next())
                                                      : programme_.tight_box(dice_.next());
      const std::int64_t weight = pricer_->find(weights, tight, split_, dice_, inside_);
      heaviest = std::max(heaviest, weight);
      if (weight > split_) heavy.emplace_back(weight, inside_);
      if (spend_on_programme(pricer_->take_work(), limits)) break;
    }
    std::ranges::sort(heavy, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::size_t n = 0;
    for (const auto& [weight, inside] : heavy) {
      if (n >= kBoxesPerClass) break;
      n += programme_.add(inside);
    }
  }
  return static_cast<double>(heaviest) / split_;
}

// Whether the linear programme has had enough rounds. It gets as much work as the certifications,
// or less if its prices are nearly feasible for all the boxes that local search finds.
bool PriceMaker::enough_rounds() const {
  const int done = kMostRounds - rounds_left_;
  if (done < kLeastRounds) return false;
  if (rounds_left_ <= 0) return true;
  constexpr double kNearlyFeasible = 1.002;
  if (n_certified_ > 0 && violation_ < kNearlyFeasible) return true;
  // Before the first certification, go on until rounds no longer raise the bound that is hoped for.
  constexpr int kRoundsWithoutGain = 8;
  if (n_certified_ == 0) return done - last_gain_round_ > kRoundsWithoutGain;
  return programme_work_ >= certify_work_;
}

void PriceMaker::begin_certifying() {
  last_programme_ = programme_work_ - programme_before_;
  programme_before_ = programme_work_;
  stage_ = Stage::certify;
  settled_hope_ = hoped_;
  const double factor = std::min(factor_, 1.0 / std::max(1.0, violation_ * 0.999));
  for (std::size_t i = 0; i < shares_.size(); ++i)
    candidate_[i] = static_cast<std::int32_t>(std::floor(
        factor * shares_[i] * static_cast<double>(cost_of(points_.weight[i]) >> shift_)));
  n_priced_ = 0;
  heaviest_ = split_;
  cut_short_ = false;
  used_ = 0;
  allowance_ = std::max<std::int64_t>(50'000'000, spent_);
  begin_class();
}

void PriceMaker::begin_class() {
  work_until_found_ = 0;
  const std::int32_t k = (first_class_ + n_priced_) % points_.n_classes;
  pricing_ = pricer_->begin(weights_for(k), heaviest_);
}

// Goes on with the complete searches; true when all classes have been searched.
bool PriceMaker::certify(std::int64_t work, Limits& limits) {
  const std::int64_t before = n_nodes_ - pricing_->n_nodes();
  const bool done = pricing_->run(work, limits);
  const std::int64_t cost = std::max<std::int64_t>(1, pricing_->take_work());
  n_nodes_ = before + pricing_->n_nodes();
  used_ += cost;
  certify_work_ += cost;
  spent_ += cost;
  if (!done && learn_boxes()) return false;
  const bool give_up = used_ > allowance_ || pricing_->is_out_of_memory();
  if (!done && !give_up) return false;
  if (!done) {
    cut_short_ = true;
    used_ = 0;
    allowance_ /= 2;  // the remaining classes get half as much work
  }
  heaviest_ = std::max(heaviest_, pricing_->most());
  for (const Pricing::Found& found : pricing_->found()) programme_.add(found.inside);
  if (++n_priced_ < points_.n_classes) {
    begin_class();
    return false;
  }
  pricing_.reset();
  return true;
}

// Breaks a certification off if one of the boxes found would cost it most of its gain: it is better
// to add this box to the programme and to certify prices that respect it. The search goes on for a
// while first, since there are usually several such boxes.
// such box is, there are others.
bool PriceMaker::learn_boxes() {
  std::int32_t heaviest = heaviest_;
  for (const Pricing::Found& found : pricing_->found()) heaviest = std::max(heaviest, found.weight);
  double total = 0.0;
  for (const std::int32_t price : candidate_) total += price;
  total = std::ldexp(total, shift_);
  const double scaled = total * split_ / heaviest;
  if (2.0 * scaled >= total + static_cast<double>(best_->total)) return false;
  if (work_until_found_ == 0) work_until_found_ = used_;
  constexpr std::int64_t kShareBrokenOff = 2;  // at most one part in so many of all work
  const std::int64_t look_around = std::max(work_until_found_ / 4, last_programme_);
  if (used_ < work_until_found_ + look_around) return false;
  if (kShareBrokenOff * (broken_off_work_ + used_) > spent_) return false;
  std::size_t added = 0;
  for (const Pricing::Found& found : pricing_->found()) added += programme_.add(found.inside);
  if (added == 0) return false;
  broken_off_work_ += used_;
  first_class_ = (first_class_ + n_priced_) % points_.n_classes;
  pricing_.reset();
  shares_.clear();
  stage_ = Stage::programme;
  rounds_left_ = kMostRounds;
  return true;
}

void PriceMaker::end_certifying() {
  broken_off_work_ = 0;
  // Divided by heaviest / split and rounded down, the prices are feasible: no box then weighs more
  // than one split.
  auto prices = std::make_shared<Prices>();
  prices->of_point.reserve(candidate_.size());
  for (const std::int32_t price : candidate_) {
    const Cost scaled = static_cast<Cost>(price) * split_ / heaviest_ << shift_;
    prices->of_point.push_back(scaled);
    prices->total += scaled;
  }
  ++n_certified_;
  const bool gained = prices->total > best_->total;
  if (gained) best_ = std::move(prices);
  stage_ = Stage::programme;
  rounds_left_ = kMostRounds;
  if (heaviest_ > split_) shares_.clear();
  if (cut_short_) {
    // The search was cut short, so the next factor is smaller. Once that is hardly above the factor
    // that was certified, the larger factor is tried again, with the work that is allowed by then.
    const double reached = factor_ * static_cast<double>(split_) / static_cast<double>(heaviest_);
    certified_factor_ = std::max(certified_factor_, reached);
    const double between = (certified_factor_ + factor_) / 2;
    constexpr double kStep = 0.02;
    factor_ = between - certified_factor_ > kStep ? between
                                                  : std::min(1.0, certified_factor_ + 4 * kStep);
    return;
  }
  certified_factor_ = factor_;
  if (factor_ < 1.0) {
    // By experiment, the work grows by a factor of about 2.3 for each 0.1 of the factor. The step
    // is as large as the work spent so far justifies.
    const double room =
        static_cast<double>(spent_) / static_cast<double>(std::max<std::int64_t>(1, used_));
    const double step = 0.1 * std::log(std::max(1.2, room)) / std::log(2.3);
    factor_ = std::min(1.0, factor_ + std::clamp(step, 0.02, 0.5));
    return;
  }
  // Finished once the certified bound is nearly the bound that the linear programme hopes for.
  constexpr double kNearly = 0.9999;
  constexpr int kMostNearHope = 3;
  constexpr int kMostWithoutGain = 12;
  const bool close = static_cast<double>(bound()) >= kNearly * hoped_ && hoped_ > 0.0;
  near_hope_ = close ? near_hope_ + 1 : 0;
  without_gain_ = gained ? 0 : without_gain_ + 1;
  if (near_hope_ >= kMostNearHope || without_gain_ >= kMostWithoutGain) stage_ = Stage::done;
}

}  // namespace treeproof::prices
