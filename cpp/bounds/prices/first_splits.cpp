#include "bounds/prices/first_splits.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "bounds/prices/fuzzy_pricing.hpp"
#include "bounds/rounding.hpp"
#include "core/index.hpp"

namespace treeproof::prices {
namespace {

constexpr Cost kWide = 4;                   // in costs of a split; see `wide_place`
constexpr std::int64_t kSlice = 5'000'000;  // steps of work before the worst split is chosen again

Cost leaf_cost_of(const Points& points) {
  Cost least = std::numeric_limits<Cost>::max();
  for (std::int32_t k = 0; k < points.n_classes; ++k) {
    std::int64_t errors = 0;
    for (std::int32_t i = 0; i < points.size(); ++i) errors += points.errors(k, i);
    least = std::min(least, cost_of(errors));
  }
  return least;
}

}  // namespace

PricedPart::PricedPart(Points points, SplitRules& rules)
    : points_(std::move(points)), rules_(rules), leaf_cost_(leaf_cost_of(points_)),
      maker_(points_, rules.per_leaf,
             std::make_unique<FuzzyPricer>(points_, rules.most_bytes, rules.n_threads)) {}

PricedPart::PricedPart(const PricedPart& larger, std::vector<std::int32_t> members)
    : points_(restricted_to(larger.points_, members)), members_(std::move(members)),
      rules_(larger.rules_), leaf_cost_(leaf_cost_of(points_)),
      maker_(points_, rules_.per_leaf,
             std::make_unique<FuzzyPricer>(points_, rules_.most_bytes, rules_.n_threads)) {
  maker_.start_from(larger.maker_, members_);
}

PricedPart::~PricedPart() = default;

std::int64_t PricedPart::work() const {
  return maker_.work() + (splits_ != nullptr ? splits_->work() : 0);
}

std::int64_t PricedPart::n_parts() const { return splits_ != nullptr ? splits_->n_parts() : 0; }

// Every cost is a number of splits plus a whole number of errors, so the bound is rounded up to the
// next cost that can occur.
Cost PricedPart::bound() const {
  Cost least = std::max<Cost>(0, maker_.bound());
  if (splits_ != nullptr) least = std::max(least, splits_->bound());
  least = std::min(bounds::rounding(rules_.two_way, 0, least, 0), leaf_cost_);
  return std::max(least, std::min(leaf_cost_, rules_.two_way));
}

bool PricedPart::run(std::int64_t work, bool deeper, Limits& limits) {
  if (!prices_done_) {
    prices_done_ = !maker_.run(work, limits) && !limits.stop();
    return true;
  }
  exhausted_ = exhausted_ || bound() >= leaf_cost_;
  if (!deeper || exhausted_) return false;
  if (splits_ == nullptr) splits_ = std::make_unique<FirstSplits>(*this);
  if (!splits_->run(work, limits) && !limits.stop()) exhausted_ = true;
  return !exhausted_;
}

FirstSplits::FirstSplits(const PricedPart& table)
    : table_(table), points_(table.points()), rules_(table.rules()) {
  std::size_t size = 0;
  for (std::size_t c = 0; c < points_.splits.size(); ++c) {
    first_.push_back(size);
    size += 2 * index(n_places(c));
  }
  known_.resize(size);
  bound_by_leaves();
  std::vector<std::int32_t> all(index(points_.size()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i);
  for (std::size_t c = 0; c < points_.splits.size(); ++c) {
    const std::int32_t last = points_.splits[c].n_values - 1;
    bound_by_prices(c, low, last, all, *table_.maker().best());
    if (points_.splits[c].choice != Choice::one_or_all)
      bound_by_prices(c, high, -1, all, *table_.maker().best());
  }
  refresh();
}

std::int64_t FirstSplits::n_parts() const {
  auto n = static_cast<std::int64_t>(parts_.size());
  for (const auto& part : parts_) n += part->priced.n_parts();
  return n;
}

std::int32_t FirstSplits::n_places(std::size_t column) const {
  const PointColumn& split = points_.splits[column];
  return split.n_values - (split.choice == Choice::interval ? 1 : 0);
}

bool FirstSplits::is_inside(const PointColumn& column, std::size_t point, Side side,
                            std::int32_t at) const {
  const std::int32_t code = column.code[point];
  if (column.choice == Choice::interval) return side == low ? code <= at : code > at;
  return side == low ? code == at : code != at;
}

// The first bounds: a tree on a side is either a single leaf, or it pays for at least one split.
void FirstSplits::bound_by_leaves() {
  const std::size_t classes = index(points_.n_classes);
  std::vector<std::int64_t> weight;  // [value * classes + class]
  std::vector<std::int64_t> total(classes, 0);
  for (std::size_t k = 0; k < classes; ++k)
    for (std::size_t i = 0; i < index(points_.size()); ++i)
      total[k] += points_.class_weight[k * index(points_.size()) + i];
  const auto leaf = [&](std::span<const std::int64_t> part) {
    std::int64_t sum = 0;
    for (const std::int64_t w : part) sum += w;
    return cost_of(sum - *std::ranges::max_element(part));
  };
  std::vector<std::int64_t> inside(classes), outside(classes);
  for (std::size_t c = 0; c < points_.splits.size(); ++c) {
    const PointColumn& column = points_.splits[c];
    weight.assign(index(column.n_values) * classes, 0);
    for (std::size_t k = 0; k < classes; ++k)
      for (std::size_t i = 0; i < index(points_.size()); ++i)
        weight[std::size_t{column.code[i]} * classes + k] +=
            points_.class_weight[k * index(points_.size()) + i];
    std::ranges::fill(inside, 0);
    for (std::int32_t at = 0; at < n_places(c); ++at) {
      for (std::size_t k = 0; k < classes; ++k) {
        const std::int64_t here = weight[index(at) * classes + k];
        inside[k] = column.choice == Choice::interval ? inside[k] + here : here;
        outside[k] = total[k] - inside[k];
      }
      for (const Side side : {low, high}) {
        Known& known_side = known({c, at}, side);
        known_side.leaf = leaf(side == low ? inside : outside);
        known_side.bound = std::min(known_side.leaf, rules_.two_way);
      }
    }
  }
}

// Raises bounds by prices that are feasible on one side of the split at `at`: they bound every
// smaller set on that side as well. For intervals, the low side of the last value and the high side
// of -1 stand for the whole table.
void FirstSplits::bound_by_prices(std::size_t c, Side side, std::int32_t at,
                                  std::span<const std::int32_t> members, const Prices& prices) {
  const PointColumn& column = points_.splits[c];
  sums_.assign(index(column.n_values), 0);
  for (std::size_t t = 0; t < members.size(); ++t)
    sums_[column.code[index(members[t])]] += prices.of_point[t];
  const auto raise = [&](std::int32_t place, Side which, Cost sum) {
    Known& side_known = known({c, place}, which);
    const Cost least = sum - rules_.per_leaf;
    if (least <= side_known.bound) return;
    side_known.bound = std::min(side_known.leaf, bounds::rounding(rules_.two_way, 0, least, 0));
  };
  const std::int32_t places = n_places(c);
  if (column.choice != Choice::interval) {
    // Prices of the whole table bound both sides of every split, prices of a part only its own
    // side.
    const bool whole = members.size() == index(points_.size());
    Cost total = 0;
    for (const Cost sum : sums_) total += sum;
    for (std::int32_t v = 0; v < places; ++v) {
      if (!whole && v != at) continue;
      if (side == low) raise(v, low, sums_[index(v)]);
      else raise(v, high, total - sums_[index(v)]);
    }
    return;
  }
  Cost sum = 0;
  if (side == low) {
    for (std::int32_t t = 0; t <= std::min(at, places - 1); ++t)
      raise(t, low, sum += sums_[index(t)]);
  } else {
    for (std::int32_t t = places - 1; t >= std::max(at, 0); --t)
      raise(t, high, sum += sums_[index(t) + 1]);
  }
  spread(c, side);
}

// Passes bounds on to larger sets on the same side: a tree on more rows costs at least as much.
void FirstSplits::spread(std::size_t c, Side side) {
  if (points_.splits[c].choice != Choice::interval) return;
  const std::int32_t places = n_places(c);
  for (std::int32_t step = 1; step < places; ++step) {
    const std::int32_t at = side == low ? step : places - 1 - step;
    const Known& smaller = known({c, side == low ? at - 1 : at + 1}, side);
    Known& larger = known({c, at}, side);
    larger.bound = std::max(larger.bound, smaller.bound);
  }
}

// Takes over the prices and the bound that a part has gained since the last call.
void FirstSplits::learn(Part& part) {
  const std::size_t c = part.place.column;
  Known& own = known(part.place, part.side);
  own.bound = std::max(own.bound, part.priced.bound());
  const std::shared_ptr<const Prices> best = part.priced.maker().best();
  if (best != part.seen) {
    part.seen = best;
    bound_by_prices(c, part.side, part.place.at, part.priced.members(), *best);
  } else {
    spread(c, part.side);
  }
}

// Finds the least bound of any first split, and remembers which split has it.
void FirstSplits::refresh() {
  Cost least = std::numeric_limits<Cost>::max();
  for (std::size_t c = 0; c < points_.splits.size(); ++c) {
    const bool multiway = points_.splits[c].choice == Choice::one_or_all;
    Cost sum = std::max(rules_.two_way, rules_.per_leaf * (n_places(c) - 1));
    for (std::int32_t at = 0; at < n_places(c); ++at) {
      if (multiway) sum += known({c, at}, low).bound;
      else sum = rules_.two_way + known({c, at}, low).bound + known({c, at}, high).bound;
      if (multiway && at + 1 < n_places(c)) continue;
      if (sum >= least) continue;
      least = sum;
      worst_ = {c, at};
    }
  }
  worst_is_leaf_ = least >= table_.leaf_cost();
  bound_ = std::max(bound_, std::min(least, table_.leaf_cost()));
}

// Returns the most distant place whose part still bounds this side well enough to begin with:
// prices of a larger part serve many splits at once. The points in between may have prices that sum
// to at most `kWide` splits.
std::int32_t FirstSplits::wide_place(Place place, Side side) const {
  const PointColumn& column = points_.splits[place.column];
  if (column.choice != Choice::interval) return place.at;
  const Prices& prices = *table_.maker().best();
  std::vector<Cost> sums(index(column.n_values), 0);
  for (std::size_t i = 0; i < column.code.size(); ++i) sums[column.code[i]] += prices.of_point[i];
  Cost sum = 0;
  std::int32_t at = place.at;
  const std::int32_t last = n_places(place.column) - 1;
  while (side == low ? at < last : at > 0) {
    sum += sums[index(side == low ? at + 1 : at)];
    if (sum > kWide * rules_.per_leaf) break;
    at += side == low ? 1 : -1;
  }
  return at;
}

// Offers work that may raise the bound of one side of a split. `task` is replaced if the offered
// work has used less time so far.
bool FirstSplits::offer(Place place, Side side, Task& task) {
  const Known& now = known(place, side);
  if (now.bound >= now.leaf) return false;
  Part* nearest = nullptr;
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  for (const auto& part : parts_) {
    if (part->place.column != place.column || part->side != side) continue;
    const bool interval = points_.splits[place.column].choice == Choice::interval;
    const std::int32_t away = side == low ? part->place.at - place.at : place.at - part->place.at;
    if (interval ? away < 0 : away != 0) continue;
    if (away >= least) continue;
    least = away;
    nearest = part.get();
  }
  Task found{nearest, place, side, 0};
  const std::int32_t wide = wide_place(place, side);
  if (nearest == nullptr || (side == low ? nearest->place.at > wide : nearest->place.at < wide)) {
    found.part = nullptr;
    found.place.at = wide;
  } else if (nearest->priced.has_best_prices() && nearest->place.at != place.at) {
    found.part = nullptr;  // the part found is larger; make one for this very set
  } else {
    if (nearest->priced.is_exhausted()) return false;
    found.spent = nearest->priced.work();
  }
  if (found.part == nullptr && rules_.parts_left <= 0) return false;
  if (task.spent >= 0 && found.spent >= task.spent) return true;
  task = found;
  return true;
}

// Chooses the work that may raise the bound of the worst split; false if there is none.
bool FirstSplits::choose(Task& task) {
  task.spent = -1;
  bool any = false;
  if (points_.splits[worst_.column].choice == Choice::one_or_all) {
    for (std::int32_t at = 0; at < n_places(worst_.column); ++at)
      any |= offer({worst_.column, at}, low, task);
    return any;
  }
  any |= offer(worst_, low, task);
  any |= offer(worst_, high, task);
  return any;
}

FirstSplits::Part* FirstSplits::make_part(Place place, Side side) {
  std::vector<std::int32_t> members;
  for (std::size_t i = 0; i < index(points_.size()); ++i)
    if (is_inside(points_.splits[place.column], i, side, place.at))
      members.push_back(static_cast<std::int32_t>(i));
  --rules_.parts_left;
  parts_.push_back(std::unique_ptr<Part>(
      new Part{place, side, PricedPart(table_, std::move(members)), nullptr}));
  return parts_.back().get();
}

bool FirstSplits::run(std::int64_t work, Limits& limits) {
  const std::int64_t until = work_ + work;
  while (work_ < until && !limits.stop()) {
    Task task;
    if (worst_is_leaf_ || points_.splits.empty() || !choose(task)) return false;
    Part& part = task.part != nullptr ? *task.part : *make_part(task.place, task.side);
    const std::int64_t before = part.priced.work();
    part.priced.run(std::min(kSlice, until - work_), part.priced.has_best_prices(), limits);
    work_ += 1 + part.priced.work() - before;
    learn(part);
    refresh();
  }
  return true;
}

}  // namespace treeproof::prices
