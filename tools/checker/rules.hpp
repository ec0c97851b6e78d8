// Verifies a step: section 4 of docs/proof-format.md. Every number is computed from the rows.
//
// A step claims that every tree on its rows, within its limits, costs at least its bound B.
// Consider the optimal trees, and among them one with the fewest splits. It is a leaf, or it starts
// with a test. So B must be at most the cost of a leaf, and every test must be unable to start such
// a tree (ruled out), or its cost plus lower bounds of its children must be at least B.
//
// Bounds are only ever raised, so a test that is settled remains settled. Expensive bounds (to look
// at a child, a table of sums has to be made) are computed only for tests that the cheap ones leave
// open. Tests and children are numbered as in here.hpp.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "children.hpp"
#include "covering.hpp"
#include "errors.hpp"
#include "here.hpp"
#include "problem.hpp"
#include "step.hpp"
#include "table.hpp"
#include "worth.hpp"

namespace checker {

template <class Loss>
class Rules {
 public:
  using Cost = typename Loss::Cost;
  using Number = typename Loss::Number;
  using View = Here::View;
  static constexpr bool kClasses = Loss::kExact;

  // Costs above 2^55 could overflow below. No bound exceeds the cost of a leaf, which is below
  // 2^51, so they are replaced by 2^55. `further`: the cost of each child of a split after the
  // second that has rows.
  Rules(const Problem& problem, Loss& loss, Cost split_cost, Cost further, const Prices& prices)
      : problem_(problem), loss_(loss),
        split_(kClasses ? std::min(split_cost, static_cast<Cost>(0x1p55)) : split_cost),
        further_(kClasses ? std::min(further, static_cast<Cost>(0x1p55)) : further),
        tolerance_(loss.tolerance()), worth_(problem, prices, split_, further_), all_(loss.size()),
        here_(problem) {
    std::iota(all_.begin(), all_.end(), std::uint32_t{0});
  }

  // Throws Rejected unless the step follows from those before it.
  void check(const Step<Cost>& step, const std::vector<Step<Cost>>& earlier) {
    problem_.poll();
    if (step.bound <= tolerance_) return;
    worth_.turn_to(step.branch.size() / 2, step.depth);
    check(step, rows_of(step.branch), earlier);
  }

  // The rows that have all outcomes of a branch.
  Rows rows_of(const std::vector<std::int32_t>& branch) const {
    Rows rows = all_;
    for (std::size_t i = 0; i + 1 < branch.size(); i += 2) {
      rows = problem_.restricted(rows, static_cast<std::size_t>(branch[i]),
                                 static_cast<std::size_t>(branch[i + 1]));
    }
    return rows;
  }

 private:
  struct Open {
    const View* view;
    std::size_t test;
  };

  void check(const Step<Cost>& step, const Rows& rows, const std::vector<Step<Cost>>& earlier) {
    if (step.depth != 0 && step.splits != 0) check_claims(step, rows, earlier);
    here_.focus(rows);
    loss_.add_up(here_, here_.everyone(), true, own_sums_);
    loss_.tabulate(here_, here_.everyone(), own_sums_, true, own_);
    summed_ = kNone;
    wide_ = further_ > 0 && has_wide_view(here_);
    bound_ = step.bound;
    require(enough(loss_.cost(own_.whole_leaf)), "a leaf costs less than the bound");
    if (step.depth == 0 || step.splits == 0) return;
    depth_ = below(step);
    limited_ = step.splits != kNoLimit;
    // A tree has fewer splits than rows, so that a higher limit allows no more trees.
    sizes_ = !limited_ ? 1 : std::min(static_cast<std::size_t>(step.splits), loss_.size());
    require(sizes_ * here_.n_children() < std::size_t{1} << 28, "the limit of splits is too large");
    worth_.add_up(here_);
    start();
    for (const auto& use : step.uses) take(use, earlier);
    const Cost all_forced = loss_.cost(own_.whole_forced);
    if (worth_ && enough(worth_.rounded(worth_.of_all(), all_forced, 1))) return;
    settle();
    if (open_.empty()) return;
    settle_by_order(false);
    if (open_.empty()) return;
    for (const auto& use : step.uses) compare(use.test);
    settle();
    look_at_open_tests();
    settle_by_order(true);
    if (!open_.empty()) fail(open_.front());
  }

  static std::int32_t below(const Step<Cost>& step) {
    return step.depth == kNoLimit ? kNoLimit : step.depth - 1;
  }
  bool enough(Cost cost) const { return cost + tolerance_ >= bound_; }
  Cost forced(std::size_t child) const {
    if constexpr (kClasses) return loss_.cost(own_.forced[child]);
    return 0;
  }

  // Lower bounds of the children: one for each number of splits 0 .. sizes_ - 1 if splits are
  // limited, otherwise one. `lower` is the bound for the most splits.
  Cost lower(std::size_t child) const { return lower_[child * sizes_ + sizes_ - 1]; }
  void raise(std::size_t child, std::size_t j, Cost bound) {
    Cost& known = lower_[child * sizes_ + j];
    known = std::max(known, bound);
  }
  // Raises the bounds of child A to those of child C minus a price.
  void raise_to(std::size_t a, std::size_t c, Cost price) {
    for (std::size_t j = 0; j < sizes_; ++j) raise(a, j, lower_[c * sizes_ + j] - price);
  }
  // The number of splits that entry j allows: 0, 1, or 2, which stands for any larger number.
  std::size_t splits_allowed(std::size_t j) const {
    const std::size_t by_depth = depth_ == kNoLimit || depth_ >= 2 ? 2 : depth_ == 1 ? 1 : 0;
    return limited_ ? std::min(by_depth, j) : by_depth;
  }

  // Sets the bounds that do not need a look at the children. All tests are open then.
  void start() {
    lower_.resize(here_.n_children() * sizes_);
    looked_at_.assign(here_.n_children(), false);
    for (std::size_t child = 0; child < here_.n_children(); ++child) {
      const Cost leaf = loss_.cost(own_.leaf[child]);
      const Cost split = std::min(leaf, std::max(split_ + forced(child), priced(child, 1)));
      for (std::size_t j = 0; j < sizes_; ++j) {
        lower_[child * sizes_ + j] = splits_allowed(j) == 0 ? leaf : split;
      }
    }
    open_.clear();
    for (const View& view : here_.views()) {
      for (std::size_t t = view.begin; t <= view.last_test; ++t) open_.push_back({&view, t});
    }
  }

  // Whether a test may start an optimal tree with the fewest splits. Let the heaviest class of a
  // child C weigh at most L. If C is a leaf, the tree of the other child, used for all rows, saves
  // a split and misclassifies at most that class. If C is split by two-way tests, each of its
  // leaves classifies at most L correctly, and removing one saves a split. (A multiway test could
  // have many leaves; then the tree of the other child saves two splits and misclassifies at most
  // the weight of C.)
  bool admissible(const View& view, std::size_t test, const Table<Number>& table) const {
    std::size_t children = 0;
    bool light = false;
    for_children(view, test, [&](std::size_t child) {
      if (table.count()[child] == 0) return;
      ++children;
      light = light || (loss_.cost(table.most[child]) <= split_ &&
                        (!problem_.multiway || loss_.cost(table.weight[child]) <= 2 * split_));
    });
    return !(children == 2 && light);
  }

  // The cost of a split by the number of its children that have rows; cut off where it exceeds the
  // cost of any leaf.
  Cost price(std::size_t n_children) const {
    if (n_children <= 2 || further_ <= 0) return split_;
    auto more_children = static_cast<Cost>(n_children - 2);
    if constexpr (kClasses) {
      more_children = std::min(more_children, static_cast<Cost>(0x1p55) / further_);
    }
    return split_ + more_children * further_;
  }
  Cost price(const View& view) const { return price(view.multiway() ? view.end - view.begin : 2); }
  // Whether a tree for some rows can be used for more rows. It cannot if a multiway test sends
  // these to outcomes that had no rows, where a leaf could be too small or cost another penalty.
  bool trees_extend() const {
    return (problem_.min_samples_leaf == 1 || !problem_.multiway) && !wide_;
  }

  // A lower bound on the cost of all trees that start with a test.
  Cost cost_of(const View& view, std::size_t test) const {
    if (problem_.list || view.column->direction != 0) {
      const std::size_t no = test + view.stride;
      return price(view) + std::min(loss_.cost(wrong_in_leaf(own_, view, test, true)) + lower(no),
                                    lower(test) + loss_.cost(wrong_in_leaf(own_, view, no, false)));
    }
    if (limited_) return price(view) + cheapest_share(view, test);
    Cost sum = price(view);
    for_children(view, test, [&](std::size_t child) { sum += lower(child); });
    return sum;
  }

  bool settled(const View& view, std::size_t test) const {
    if (enough(cost_of(view, test)) || !is_split(view, test, own_, problem_.min_samples_leaf))
      return true;
    bool merges = false;
    if constexpr (kClasses) {
      if (!trees_extend()) return false;
      if (!admissible(view, test, own_)) return true;
      // Merging: if the tree of C is used for all rows, it misclassifies at most the weight of the
      // others, and saves the split and the costs of the others.
      Cost sum = price(view);
      for_children(view, test, [&](std::size_t child) { sum += lower(child); });
      for_children(view, test, [&](std::size_t child) {
        const Cost wrong = loss_.cost(own_.whole_weight - own_.weight[child]);
        merges = merges || wrong <= sum - lower(child);
      });
    }
    return merges;
  }

  // The least sum of the children's bounds over all ways to divide the remaining splits among them.
  Cost cheapest_share(const View& view, std::size_t test) const {
    std::vector<Cost> best(sizes_, 0), next(sizes_);
    for_children(view, test, [&](std::size_t child) {
      const Cost* own = lower_.data() + child * sizes_;
      for (std::size_t j = 0; j < sizes_; ++j) {
        next[j] = best[j] + own[0];
        for (std::size_t i = 1; i <= j; ++i) {
          next[j] = std::min(next[j], best[j - i] + own[i]);
        }
      }
      best.swap(next);
    });
    return best.back();
  }

  // Raises a child's bounds to what its table proves for a leaf, one split, and more splits.
  void look_at(const View& view, std::size_t child) {
    problem_.poll();
    looked_at_[child] = true;
    add_up(view, child);
    const std::size_t most_splits = splits_allowed(sizes_ - 1);
    const Cost leaf = loss_.cost(own_.leaf[child]);
    Number least = std::numeric_limits<Number>::max();
    Cost one = leaf;
    bool easy = false;
    if constexpr (kClasses) {
      easy = problem_.min_samples_leaf == 1 && !problem_.multiway && most_splits < 2 &&
             !problem_.directed;
      if (easy) least = loss_.cheapest_leaves(here_, sums_);
    }
    bool splits = false;
    if (!easy) {
      least =
          cheapest_leaves(here_, tabulated(), static_cast<std::int32_t>(problem_.min_samples_leaf));
      splits = take_multiway(part_, one);
    }
    if (least < std::numeric_limits<Number>::max()) {
      one = std::min(one, split_ + loss_.cost(least));
      splits = true;
    }
    const Cost any = splits && most_splits == 2 ? more(child, one) : one;
    for (std::size_t j = 0; j < sizes_; ++j) {
      if (splits_allowed(j) != 0) raise(child, j, splits_allowed(j) == 1 ? one : any);
    }
  }

  // Lowers a cost to that of a multiway split into leaves; returns false if there is none.
  bool take_multiway(const Table<Number>& table, Cost& least) const {
    bool splits = false;
    for (const View& view : here_.views()) {
      if (!view.multiway() || !is_split(view, view.begin, table, problem_.min_samples_leaf))
        continue;
      Number sum = 0;
      for_children(view, view.begin, [&](std::size_t c) { sum += table.leaf[c]; });
      const Cost own = price(occupied(view, view.begin, table)) + loss_.cost(sum);
      least = std::min(least, own);
      splits = true;
    }
    return splits;
  }

  // A lower bound on trees of two or more splits, cut off at `enough`: forced errors, covering, and
  // rounding (the cost of a tree is that of its splits plus an integer number of weight units).
  Cost more(std::size_t child, Cost enough) const {
    Cost least = 2 * split_ + forced(child);
    if constexpr (kClasses) {
      if (split_ == 0 || least >= enough) {
        return std::min(std::max(least, priced(child, 2)), enough);
      }
      if (!problem_.multiway)
        least = std::max(least,
                         covering(loss_, here_, part_, sums_, split_, problem_.min_samples_leaf));
      if (worth_) least = std::max(least, worth_.of(child));
      least = worth_.rounded(least, forced(child), 2);
    }
    return std::min(least, enough);
  }

  // The bound of prices on a child's trees with at least this many splits.
  Cost priced(std::size_t child, Cost fewest) const {
    return worth_ ? worth_.rounded(worth_.of(child), forced(child), fewest) : 0;
  }

  // Verifies the bounds that are cited without a step: they must follow without citations.
  void check_claims(const Step<Cost>& step, const Rows& rows,
                    const std::vector<Step<Cost>>& earlier) {
    for (const auto& use : step.uses) {
      for (std::size_t v = 0; v < use.claims.size(); ++v) {
        for (const Cost bound : use.claims[v]) {
          if (bound <= tolerance_) continue;
          const Step<Cost> own{{}, below(step), kNoLimit, bound, {}};
          check(own, problem_.restricted(rows, use.test, v), earlier);
        }
      }
    }
  }

  void take(const Use<Cost>& use, const std::vector<Step<Cost>>& earlier) {
    const std::size_t test = here_.find(use.test);
    for (std::size_t v = 0; v < use.cited.size(); ++v) {
      // kNone if the test does not divide these rows, or if the child has no rows.
      const std::size_t child = test == kNone ? kNone : here_.child(test, v);
      for (const std::int64_t id : use.cited[v]) {
        if (id != kLookedAt) cite(use.test, v, child, id, earlier);
        else if (child != kNone) look_at_child(here_.view_of(test), child);
      }
      for (const Cost bound : use.claims[v]) {
        for (std::size_t j = 0; j < sizes_ && child != kNone; ++j) raise(child, j, bound);
      }
    }
  }

  // A cited step must be about the same rows, and about at least as many trees.
  void cite(std::size_t test, std::size_t outcome, std::size_t child, std::int64_t id,
            const std::vector<Step<Cost>>& earlier) {
    const Step<Cost>& step = earlier[static_cast<std::size_t>(id)];
    const auto say = [&](const char* why) {
      return "step " + std::to_string(id) + ", cited for outcome " + std::to_string(outcome) +
             " of " + problem_.describe(test) + ", " + why;
    };
    const bool same = problem_.restricted(here_.rows(), test, outcome) == rows_of(step.branch);
    if (!same) throw Rejected(say("is about other rows"));
    if (!covers(step.depth, depth_)) throw Rejected(say("is about shallower trees"));
    for (std::size_t j = 0; j < sizes_ && child != kNone; ++j) {
      const std::int32_t needed = limited_ ? static_cast<std::int32_t>(j) : kNoLimit;
      if (covers(step.splits, needed)) raise(child, j, step.bound);
    }
  }

  // Bounds the children of all other tests by those of a test that was used.
  void compare(std::size_t number) {
    const std::size_t used = here_.find(number);
    if (used == kNone) return;
    const View& own = here_.view_of(used);
    for_children(own, used, [&](std::size_t child) {
      look_at(own, child);
      tabulated();
      for (const View& view : here_.views()) {
        for (std::size_t t = view.begin; t <= view.last_test; ++t) {
          if (t != used) fewer_rows(child, view, t);
        }
      }
    });
  }

  // C is the child whose table is `part_`, A any child of the test. If C is a part of A, a tree for
  // A can be used for C. In classification it can be used even if C has other rows, which it may
  // misclassify, unless these could get new outcomes that cost something; or, if the limits allow
  // it, A's test above it sends them to leaves of their own.
  void fewer_rows(std::size_t c, const View& view, std::size_t test) {
    Cost leaves = 0;
    const Cost parting = price(occupied(view, test, part_));
    if constexpr (kClasses) {
      for_children(view, test, [&](std::size_t a) { leaves += loss_.cost(part_.leaf[a]); });
    }
    for_children(view, test, [&](std::size_t a) {
      const bool part = own_.count()[c] == part_.count()[a];
      const bool same = part && own_.count()[a] == part_.count()[a];
      if (problem_.min_samples_leaf > 1 ? !same : !kClasses && !part) return;
      Cost less = 0;
      if constexpr (kClasses) {
        less = part || !wide_ ? loss_.cost(own_.weight[c] - part_.weight[a])
                              : std::numeric_limits<Cost>::max() / 4;
        const Cost under_test = parting + leaves - loss_.cost(part_.leaf[a]);
        const bool free = depth_ == kNoLimit && !limited_ && view.column->direction == 0;
        if (!same && free) less = std::min(less, under_test);
      }
      raise_to(a, c, less);
    });
  }

  void look_at_child(const View& view, std::size_t child) {
    if (looked_at_[child]) return;
    if (!limited_ && loss_.cost(own_.leaf[child]) <= lower(child)) return;  // the bound cannot rise
    look_at(view, child);
  }

  // Adds up the rows of a child. If sums are exact, only the smaller one of the two children of a
  // test is added up.
  void add_up(const View& view, std::size_t child) {
    here_.members(view, child, members_);
    if (summed_ == child) return;
    if (!add_up_sibling(view, child)) loss_.add_up(here_, members_, false, sums_);
    summed_ = child;
  }
  bool add_up_sibling(const View& view, std::size_t child) {
    if constexpr (kClasses) {
      if (view.n_children != 2) return false;
      const std::size_t test = view.multiway() ? view.begin : child % here_.n_places();
      const std::size_t sibling = 2 * test + view.stride - child;
      if (summed_ != sibling) {
        if (2 * members_.size() <= here_.rows().size()) return false;
        here_.members(view, sibling, others_);
        loss_.add_up(here_, others_, false, sums_);
      }
      sums_.complement(own_sums_);
      return true;
    }
    return false;
  }
  // Makes the table of the child that was added up.
  const Table<Number>& tabulated() {
    loss_.tabulate(here_, members_, sums_, false, part_);
    return part_;
  }

  // Removes the tests that are settled.
  void settle() {
    std::erase_if(open_, [&](const Open& o) { return settled(*o.view, o.test); });
  }
  void look_at_open_tests() {
    std::erase_if(open_, [&](const Open& o) {
      bool done = false;
      for_children(*o.view, o.test, [&](std::size_t child) {
        if (done) return;
        look_at_child(*o.view, child);
        done = settled(*o.view, o.test);
      });
      return done;
    });
  }

  // Along a threshold view: more rows cost more, but by no more than their weight.
  void settle_by_order(bool looking) {
    if (problem_.min_samples_leaf > 1) return;
    for (const View& view : here_.views()) {
      const auto needs = [&](const Open& o) { return o.view == &view; };
      if (!view.ordered || std::none_of(open_.begin(), open_.end(), needs)) continue;
      const std::size_t first = view.begin, last = view.last_test, no = view.stride;
      for (std::size_t t = first; t <= last && looking; ++t) {
        look_at_child(view, t);
        look_at_child(view, t + no);
      }
      for (std::size_t t = first; t < last; ++t) raise_to(t + 1, t, 0);
      for (std::size_t t = last; t > first; --t) raise_to(t - 1 + no, t + no, 0);
      if constexpr (kClasses) {
        if (wide_) continue;
        const auto lost = [&](std::size_t large, std::size_t small) {
          return loss_.cost(own_.weight[large] - own_.weight[small]);
        };
        for (std::size_t t = last; t > first; --t) raise_to(t - 1, t, lost(t, t - 1));
        for (std::size_t t = first + no; t < last + no; ++t) {
          raise_to(t + 1, t, lost(t, t + 1));
        }
      }
    }
    settle();
  }

  [[noreturn]] void fail(const Open& open) const {
    throw Rejected(problem_.describe(here_.number(open.test)) + " is not ruled out and costs " +
                   text(cost_of(*open.view, open.test)) + " at least, not the bound " +
                   text(bound_));
  }
  static std::string text(Cost cost) {
    if constexpr (kClasses) return std::to_string(cost);
    else return shortest(cost);
  }

  const Problem& problem_;
  Loss& loss_;
  const Cost split_, further_;
  const Cost tolerance_;
  Worth<Loss> worth_;
  Rows all_;

  // The state of the step that is being checked:
  Here here_;
  Rows members_, others_;
  typename Loss::RowSums own_sums_, sums_;  // sums of its rows; of the child `summed_`
  Table<Number> own_, part_;
  std::size_t summed_ = kNone;
  Cost bound_{};
  std::int32_t depth_ = kNoLimit;  // the limit for the children
  bool limited_ = false;           // whether the number of splits is limited
  bool wide_ = false;              // whether a test has further children, each of which costs
  std::size_t sizes_ = 1;
  std::vector<Cost> lower_;
  std::vector<bool> looked_at_;
  std::vector<Open> open_;
};

}  // namespace checker
