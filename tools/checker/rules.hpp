// When a step holds: section 4 of docs/proof-format.md. Every number comes from the rows.
//
// A step claims that every tree on its rows, within its limits, costs at least its bound B. Take
// an optimal tree and, among those, one with the fewest splits. It is a leaf, or it starts with a
// test. So B must be at most the cost of a leaf, and every test must either be unable to start
// such a tree (ruled out) or cost at least B together with lower bounds of its children.
//
// Bounds only ever rise, and a test that is settled with some of them stays settled with all. So
// the dear ones (looking at a child needs a table of its own) are computed only for tests that
// the cheap ones leave open.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "counts.hpp"
#include "errors.hpp"
#include "problem.hpp"
#include "tests_here.hpp"

namespace checker {

inline constexpr std::int32_t kNoLimit = -1;
inline constexpr std::int64_t kLookedAt = -1;

template <class Cost>
struct Use {
    std::size_t test;
    // For each outcome: earlier steps, and bounds that hold by a step which cites nothing.
    std::vector<std::vector<std::int64_t>> cited;
    std::vector<std::vector<Cost>> claims;
};

template <class Cost>
struct Step {
    std::vector<std::int32_t> branch;  // test, outcome, test, outcome, ...
    std::int32_t depth, splits;
    Cost bound;
    std::vector<Use<Cost>> uses;
};

template <class Rows>
class Rules {
public:
    using Cost = typename Rows::Cost;
    static constexpr bool kClasses = std::is_integral_v<Cost>;  // whole numbers: classification

    // Costs above 2^55 could not be multiplied safely below, and need not be known: no bound
    // exceeds a leaf's cost, less than 2^51, so a split that dear is dear enough.
    Rules(const Problem& problem, Rows& rows, Cost split_cost)
        : problem_(problem),
          rows_(rows),
          split_(kClasses ? std::min(split_cost, static_cast<Cost>(0x1p55)) : split_cost),
          tolerance_(static_cast<Cost>(rows.tolerance())) {}

    // Throw Rejected unless the step follows from those before it.
    void check(const Step<Cost>& step, const std::vector<Step<Cost>>& earlier) {
        if (step.bound <= tolerance_) return;
        if (step.depth != 0) check_claims(step, earlier);
        rows_of(step, here_);
        rows_.focus(here_);
        rows_.tabulate(rows_.whole(), counts_);
        const std::size_t whole = n_slots();
        require(enough(counts_.leaf[whole], step.bound), "a leaf costs less than the bound");
        if (step.depth == 0 || step.splits == 0) return;

        bound_ = step.bound;
        depth_ = below(step);
        limited_ = step.splits != kNoLimit;
        // A tree has fewer splits than rows, so a larger limit says no more.
        sizes_ = !limited_ ? 1 : std::min(static_cast<std::size_t>(step.splits), rows_.size());
        require(sizes_ * n_slots() < std::size_t{1} << 28,
                "the limit of splits is too large");
        start();
        for (const auto& use : step.uses) take(use, earlier);
        if (settle() || settle_by_order(false)) return;
        for (const auto& use : step.uses) compare(use.test);
        if (settle_by_looking() || settle_by_order(true)) return;
        for (std::size_t t = 0; t < tests().size(); ++t) {
            if (open_[t]) fail(t);
        }
    }

    void rows_of(const Step<Cost>& step, Bits& rows) const {
        rows = rows_.all();
        for (std::size_t i = 0; i + 1 < step.branch.size(); i += 2) {
            rows_.restrict(rows, static_cast<std::size_t>(step.branch[i]),
                           static_cast<std::size_t>(step.branch[i + 1]));
        }
    }

private:
    const std::vector<Test>& tests() const { return rows_.tests().list(); }
    std::size_t n_slots() const { return rows_.tests().n_slots(); }
    static std::int32_t below(const Step<Cost>& step) {
        return step.depth == kNoLimit ? kNoLimit : step.depth - 1;
    }
    bool enough(Cost cost, Cost bound) const { return cost + tolerance_ >= bound; }
    static Cost units(std::int64_t weight) {
        if constexpr (kClasses) return weight * Rows::kUnit;
        return 0;
    }
    Cost forced(std::size_t slot) const {
        if constexpr (kClasses) return units(counts_.forced[slot]);
        return 0;
    }

    // Lower bounds of the children: for each number of splits 0 .. sizes_ - 1 if splits are
    // limited, else one. `lower` is the one for the most splits.
    Cost& lower(std::size_t slot) { return lower_[slot * sizes_ + sizes_ - 1]; }
    Cost lower(std::size_t slot) const { return lower_[slot * sizes_ + sizes_ - 1]; }
    // How many splits entry j allows, as far as the rules care: 0, 1, or 2 for any more.
    std::size_t splits_allowed(std::size_t j) const {
        const std::size_t by_depth = depth_ == kNoLimit || depth_ >= 2 ? 2 : depth_ == 1 ? 1 : 0;
        return limited_ ? std::min(by_depth, j) : by_depth;
    }

    // The bounds that need no look at the children, and which tests they leave open.
    void start() {
        lower_.resize(n_slots() * sizes_);
        looked_at_.assign(n_slots(), false);
        for (std::size_t slot = 0; slot < n_slots(); ++slot) {
            const Cost leaf = counts_.leaf[slot];
            const Cost split = std::min(leaf, split_ + forced(slot));
            for (std::size_t j = 0; j < sizes_; ++j) {
                lower_[slot * sizes_ + j] = splits_allowed(j) == 0 ? leaf : split;
            }
        }
        open_.resize(tests().size());
        for (std::size_t t = 0; t < open_.size(); ++t) open_[t] = !settled(t);
    }

    bool is_split(const Test& test, const Counts<Cost>& counts) const {
        std::size_t children = 0;
        for (std::size_t v = 0; v < test.n_outcomes; ++v) {
            const std::int64_t samples = counts.samples[test.first_slot + v];
            if (samples > 0 && samples < problem_.min_samples_leaf) return false;
            if (samples > 0) ++children;
        }
        return children >= 2;
    }

    // A split need not be considered if it can be left out: an optimal tree with the fewest
    // splits then does not start with it. With a child C whose heaviest class weighs at most L:
    // if C is a leaf, the other child's tree for all rows saves a split and gets at most that
    // class wrong; if C is split in two and two and so on, each of its leaves gets at most that
    // weight right, and removing one saves a split. (A multiway test below could have many
    // leaves; then the other child's tree saves two splits and errs by C's weight at most.)
    bool admissible(const Test& test, const Counts<Cost>& counts) const {
        std::size_t children = 0;
        bool light = false;
        for (std::size_t slot = test.first_slot; slot < test.first_slot + test.n_outcomes; ++slot) {
            if (counts.samples[slot] == 0) continue;
            ++children;
            light = light || (units(counts.most[slot]) <= split_ &&
                              (!problem_.multiway || units(counts.weight[slot]) <= 2 * split_));
        }
        return !(children == 2 && light);
    }

    // Whether a tree for some rows does for more rows: unless a multiway test sends them to
    // outcomes that had none, where a leaf could be too small.
    bool trees_extend() const { return problem_.min_samples_leaf == 1 || !problem_.multiway; }

    bool settled(std::size_t t) const {
        const Test& test = tests()[t];
        if (!is_split(test, counts_)) return true;
        Cost sum = 0;
        for (std::size_t v = 0; v < test.n_outcomes; ++v) sum += lower(test.first_slot + v);
        if (!limited_ && enough(split_ + sum, bound_)) return true;
        if (limited_ && enough(split_ + cheapest_share(test), bound_)) return true;
        if constexpr (kClasses) {
            if (!trees_extend()) return false;
            if (!admissible(test, counts_)) return true;
            const std::int64_t total = counts_.weight[n_slots()];
            // Merging: C's tree for all rows errs by the others' weight at most, and saves a
            // split and what the others cost.
            for (std::size_t v = 0; v < test.n_outcomes; ++v) {
                const std::size_t slot = test.first_slot + v;
                const Cost others = split_ + sum - lower(slot);
                if (units(total - counts_.weight[slot]) <= others) return true;
            }
        }
        return false;
    }

    // The least sum of the children's bounds over all ways to share the splits that are left.
    Cost cheapest_share(const Test& test) const {
        std::vector<Cost> best(sizes_, 0), next(sizes_);
        for (std::size_t v = 0; v < test.n_outcomes; ++v) {
            const Cost* child = lower_.data() + (test.first_slot + v) * sizes_;
            if (counts_.samples[test.first_slot + v] == 0) continue;
            for (std::size_t j = 0; j < sizes_; ++j) {
                next[j] = best[j] + child[0];
                for (std::size_t i = 1; i <= j; ++i) {
                    next[j] = std::min(next[j], best[j - i] + child[i]);
                }
            }
            best.swap(next);
        }
        return best.back();
    }

    // Raise a child's bounds to what its table says: a leaf, one split into leaves, or more.
    void look_at(std::size_t slot, const Counts<Cost>& child) {
        looked_at_[slot] = true;
        Cost one = std::numeric_limits<Cost>::max();
        std::vector<std::int64_t> largest;
        if constexpr (kClasses) largest.assign(problem_.n_classes, 0);
        for (const Test& test : tests()) {
            if (!is_split(test, child)) continue;
            Cost leaves = split_;
            for (std::size_t v = 0; v < test.n_outcomes; ++v) {
                leaves += child.leaf[test.first_slot + v];
            }
            one = std::min(one, leaves);
            if constexpr (kClasses) {
                if (problem_.multiway || !admissible(test, child)) continue;
                for (std::size_t i = 0; i < 2 * largest.size(); ++i) {
                    auto& most = largest[i % largest.size()];
                    most = std::max(most, child.by_class[test.first_slot * largest.size() + i]);
                }
            }
        }
        const Cost at_most_one = std::min(counts_.leaf[slot], one);
        const bool splits = one < std::numeric_limits<Cost>::max();
        const Cost any = splits ? std::min(at_most_one, more(slot, child, largest)) : at_most_one;
        for (std::size_t j = 0; j < sizes_; ++j) {
            if (splits_allowed(j) == 0) continue;
            Cost& bound = lower_[slot * sizes_ + j];
            bound = std::max(bound, splits_allowed(j) == 1 ? at_most_one : any);
        }
    }

    // A lower bound on trees of two or more splits. Covering: leaves lie in a child of the first
    // test, which is admissible, so a leaf gets at most `largest` of its class right; j leaves
    // need j - 1 splits. Rounding: a tree costs its splits and a whole number of weight units.
    Cost more(std::size_t slot, const Counts<Cost>& child,
              const std::vector<std::int64_t>& largest) const {
        Cost least = 2 * split_ + forced(slot);
        if constexpr (kClasses) {
            if (split_ == 0) return least;
            if (!problem_.multiway) {
                Cost cover = -split_;
                const auto* weights = child.by_class.data() + n_slots() * problem_.n_classes;
                for (std::size_t c = 0; c < problem_.n_classes; ++c) {
                    Cost cheapest = units(weights[c]);
                    // Leaves pay only if one gets more right than a split costs. Then the best
                    // number is weight / largest, rounded down or up, and nothing overflows.
                    if (units(largest[c]) > split_) {
                        const std::int64_t j = weights[c] / largest[c];
                        cheapest = std::min({cheapest, split_ * (j + 1),
                                             split_ * j + units(weights[c] - j * largest[c])});
                    }
                    cover += cheapest;
                }
                least = std::max(least, cover);
            }
            Cost rounded = std::max(least, 34 * split_ + forced(slot));
            for (Cost j = 2; j < 34; ++j) {
                const Cost loss = std::max<Cost>(least - split_ * j, 0);
                const Cost whole = (loss + Rows::kUnit - 1) / Rows::kUnit * Rows::kUnit;
                rounded = std::min(rounded, split_ * j + std::max(forced(slot), whole));
            }
            return rounded;
        }
        return least;
    }

    // The steps without a line of their own.
    void check_claims(const Step<Cost>& step, const std::vector<Step<Cost>>& earlier) {
        for (const auto& use : step.uses) {
            for (std::size_t v = 0; v < use.claims.size(); ++v) {
                for (const Cost bound : use.claims[v]) {
                    Step<Cost> own{step.branch, below(step), kNoLimit, bound, {}};
                    own.branch.push_back(static_cast<std::int32_t>(use.test));
                    own.branch.push_back(static_cast<std::int32_t>(v));
                    check(own, earlier);
                }
            }
        }
    }

    void take(const Use<Cost>& use, const std::vector<Step<Cost>>& earlier) {
        const std::size_t t = rows_.tests().find(use.test);
        if (t == kNone) return;  // it does not split these rows
        for (std::size_t v = 0; v < tests()[t].n_outcomes; ++v) {
            const std::size_t slot = tests()[t].first_slot + v;
            for (const Cost bound : use.claims[v]) {
                for (std::size_t j = 0; j < sizes_; ++j) raise(slot, j, bound);
            }
            for (const std::int64_t id : use.cited[v]) {
                if (id == kLookedAt) look_at_child(t, v);
                else cite(t, v, id, earlier[static_cast<std::size_t>(id)]);
            }
        }
    }
    void raise(std::size_t slot, std::size_t j, Cost bound) {
        lower_[slot * sizes_ + j] = std::max(lower_[slot * sizes_ + j], bound);
    }

    // A cited step must be about the same rows, and about at least as many trees.
    void cite(std::size_t t, std::size_t v, std::int64_t id, const Step<Cost>& step) {
        const auto say = [&](const std::string& why) {
            return "step " + std::to_string(id) + ", cited for outcome " + std::to_string(v) +
                   " of " + problem_.describe(rows_.tests().number(t)) + ", " + why;
        };
        Bits child = here_, cited;
        rows_.restrict(child, rows_.tests().number(t), v);
        rows_of(step, cited);
        require(child == cited, say("is about other rows"));
        require(step.depth == kNoLimit || (depth_ != kNoLimit && step.depth >= depth_),
                say("is about shallower trees"));
        for (std::size_t j = 0; j < sizes_; ++j) {
            const bool covers = step.splits == kNoLimit ||
                                (limited_ && static_cast<std::size_t>(step.splits) >= j);
            if (covers) raise(tests()[t].first_slot + v, j, step.bound);
        }
    }

    // Bound the children of all other tests by those of a test that was used.
    void compare(std::size_t number) {
        const std::size_t used = rows_.tests().find(number);
        if (used == kNone) return;
        const std::size_t first = tests()[used].first_slot;
        for (std::size_t v = 0; v < tests()[used].n_outcomes; ++v) {
            if (counts_.samples[first + v] == 0) continue;
            tabulate_child(used, v);
            look_at(first + v, child_);
            for (std::size_t t = 0; t < tests().size(); ++t) {
                if (t != used) fewer_rows(first + v, tests()[t]);
            }
        }
    }

    // C is the child whose table is `child_`, A any child of the test. If C is a part of A, a
    // tree for A does for C. In classification it does so anyway and errs on C's other rows; or,
    // if the limits allow, A's test above it sends these to leaves of their own.
    void fewer_rows(std::size_t slot, const Test& test) {
        const std::size_t end = test.first_slot + test.n_outcomes;
        Cost leaves = 0;
        for (std::size_t a = test.first_slot; a < end; ++a) leaves += child_.leaf[a];
        for (std::size_t a = test.first_slot; a < end; ++a) {
            if (counts_.samples[a] == 0) continue;
            const bool part = is_part(slot, a), same = part && is_whole(a);
            Cost price = 0;
            if (problem_.min_samples_leaf > 1 ? !same : !kClasses && !part) continue;
            if constexpr (kClasses) {
                price = units(counts_.weight[slot] - child_.weight[a]);
                const Cost under_test = split_ + leaves - child_.leaf[a];
                if (!same && depth_ == kNoLimit && !limited_) price = std::min(price, under_test);
            }
            for (std::size_t j = 0; j < sizes_; ++j) {
                raise(a, j, lower_[slot * sizes_ + j] - price);
            }
        }
    }
    // Whether A has all rows of C, and whether C has all rows of A: each has a positive weight.
    bool is_part(std::size_t slot, std::size_t a) const {
        if constexpr (kClasses) return counts_.weight[slot] == child_.weight[a];
        else return counts_.samples[slot] == child_.samples[a];
    }
    bool is_whole(std::size_t a) const {
        if constexpr (kClasses) return counts_.weight[a] == child_.weight[a];
        else return counts_.samples[a] == child_.samples[a];
    }

    // Look at a test's children until the test is settled.
    void look_at_children(std::size_t t) {
        const Test& test = tests()[t];
        for (std::size_t v = 0; v < test.n_outcomes && open_[t]; ++v) {
            if (look_at_child(t, v)) open_[t] = !settled(t);
        }
    }
    bool look_at_child(std::size_t t, std::size_t v) {
        const std::size_t slot = tests()[t].first_slot + v;
        if (looked_at_[slot] || counts_.samples[slot] == 0) return false;
        if (counts_.leaf[slot] <= lower(slot) && !limited_) return false;  // cannot rise
        tabulate_child(t, v);
        look_at(slot, child_);
        return true;
    }

    void tabulate_child(std::size_t t, std::size_t v) {
        rows_.child(rows_.tests().number(t), v, child_rows_);
        rows_.tabulate(child_rows_, child_);
    }

    // Whether no test is left open.
    bool settle() {
        bool all = true;
        for (std::size_t t = 0; t < tests().size(); ++t) {
            open_[t] = open_[t] && !settled(t);
            all = all && !open_[t];
        }
        return all;
    }

    bool settle_by_looking() {
        settle();
        bool all = true;
        for (std::size_t t = 0; t < tests().size(); ++t) {
            look_at_children(t);
            all = all && !open_[t];
        }
        return all;
    }

    // Along a threshold column: more rows cost more, but not by more than their weight.
    bool settle_by_order(bool looking) {
        if (problem_.min_samples_leaf > 1) return false;
        for (std::size_t f = 0; f < problem_.columns.size(); ++f) {
            if (problem_.columns[f].split != Split::kThreshold) continue;
            const std::size_t first = rows_.tests().first(f), end = rows_.tests().end(f);
            bool needed = false;
            for (std::size_t t = first; t < end; ++t) needed = needed || open_[t];
            if (!needed) continue;
            for (std::size_t t = first; t < end && looking; ++t) {
                for (std::size_t v = 0; v < 2; ++v) look_at_child(t, v);
            }
            const auto yes = [&](std::size_t t) { return tests()[t].first_slot; };
            const auto no = [&](std::size_t t) { return tests()[t].first_slot + 1; };
            for (std::size_t t = first + 1; t < end; ++t) raise_superset(yes(t - 1), yes(t));
            for (std::size_t t = end - 1; t > first; --t) raise_superset(no(t), no(t - 1));
            for (std::size_t t = end - 1; t > first; --t) raise_subset(yes(t), yes(t - 1));
            for (std::size_t t = first + 1; t < end; ++t) raise_subset(no(t - 1), no(t));
        }
        return settle();
    }
    void raise_superset(std::size_t small, std::size_t large) {
        for (std::size_t j = 0; j < sizes_; ++j) raise(large, j, lower_[small * sizes_ + j]);
    }
    void raise_subset(std::size_t large, std::size_t small) {
        if constexpr (kClasses) {
            const Cost lost = units(counts_.weight[large] - counts_.weight[small]);
            for (std::size_t j = 0; j < sizes_; ++j) {
                raise(small, j, lower_[large * sizes_ + j] - lost);
            }
        }
    }

    [[noreturn]] void fail(std::size_t t) const {
        const Test& test = tests()[t];
        Cost sum = split_;
        if (limited_) {
            sum += cheapest_share(test);
        } else {
            for (std::size_t v = 0; v < test.n_outcomes; ++v) sum += lower(test.first_slot + v);
        }
        throw Rejected(problem_.describe(rows_.tests().number(t)) + " is not ruled out and costs " + text(sum) +
                       " at least, not the bound " + text(bound_));
    }
    static std::string text(Cost cost) {
        if constexpr (kClasses) {
            return std::to_string(cost);
        } else {
            return shortest(cost);
        }
    }

    const Problem& problem_;
    Rows& rows_;
    const Cost split_;
    const Cost tolerance_;

    // Of the step being checked:
    Bits here_, child_rows_;
    Counts<Cost> counts_, child_;
    Cost bound_{};
    std::int32_t depth_ = kNoLimit;  // of the children
    bool limited_ = false;           // is the number of splits?
    std::size_t sizes_ = 1;
    std::vector<Cost> lower_;
    std::vector<bool> looked_at_, open_;
};

}  // namespace checker
