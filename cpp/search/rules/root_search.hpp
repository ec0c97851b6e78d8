// Branch and bound over the root of a tree with two splits or more.
//
// A group of candidate roots is a range of rules. Rows that all of them send to the
// positive side are *sure* positive, and so for the negative side; whatever rule of the
// group becomes the root, its subtrees have to classify at least the sure rows. The loss of
// a set of rows never falls when rows are added (He and Little state this as E of a larger
// tree being at least E of a smaller one), so
//
//     split cost + min over shares of the other splits of
//                  optimum(sure positive rows) + optimum(sure negative rows)
//
// bounds the whole group from below. The optimum for no split is a leaf and for one split a
// scan of the rules; for more it is a subproblem, solved only where the cheaper bounds leave
// nothing else to hope for. A group that survives is divided by the side of one undecided
// row, which makes at least that row sure in both parts. At the end of a path stands a
// single rule, and the bound is its cost.
//
// Second splits that do not pay off for the sure rows pay off for no rule of the group, so
// the list of candidates for them shrinks on the way down.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <vector>

#include "search/rules/rule_table.hpp"
#include "search/rules/settings.hpp"

namespace treeproof::rules {

class RootSearch {
 public:
  // Looks for a tree with at most `n_splits` splits and `depth` levels that costs less than
  // both `start.upper` and `budget`.
  RootSearch(const RuleTable& table, int n_splits, int depth, const Settings& settings,
             Answer start, Cost budget);

  // Solves some roots exactly, starting with those that make the best single split.
  void try_best_roots(std::size_t how_many, Worker& worker);

  // Runs in one thread. If it is stopped, `lower` of the answer is what was proved so far.
  Answer run(Worker& worker);
  // Several threads; `notify` is called by the first one when bounds have moved.
  Answer run(std::span<Worker> workers, const std::function<void(Cost, Cost)>& notify);

 private:
  // What a group of roots has in common.
  struct Group {
    std::size_t first = 0, last = 0;  // in order_
    Mask positive, negative;          // sure rows
    bool decided = false;             // all rows are sure: the rules are the same
    Cost lower = 0;
  };
  // What is known about one side of a group: the candidates for a single split with a lower bound
  // on the loss of the best one, and lower bounds on the cost of s >= 2 splits.
  struct Side {
    std::vector<std::int32_t> splits;
    std::int64_t best_loss = 0;
    std::vector<Cost> several;
  };
  // The numbers a bound is made of.
  struct Known {
    Cost leaf = 0, one = 0;
    std::vector<Cost> several;
  };

  Cost upper() const { return upper_.load(std::memory_order_relaxed); }
  void offer(Cost cost, Draft draft);
  Group make_group(std::size_t first, std::size_t last, Cost lower) const;
  std::size_t dividing_bit(const Group& group) const;
  std::vector<Group> divide(const Group& group, Cost lower);

  Known known(const Mask& rows, const Side* from) const;
  Cost side_bound(int n_splits, const Known& side) const;
  Cost group_bound(const Known& p, const Known& n) const;
  void scan(const Mask& rows, const Side* from, Side& to, Known& here, const Known& other,
            Cost limit, Worker& worker) const;
  void solve_several(const Mask& rows, Known& here, const Known& other, Cost limit,
                     Worker& worker) const;
  bool refine(const Group& group, const Side* from_p, const Side* from_n, Side& to_p, Side& to_n,
              Cost& lower, Worker& worker) const;

  void explore(Group group, Worker& worker, std::vector<Group>& open);
  bool descend(const Group& group, const Side& p, const Side& n, Worker& worker);
  bool evaluate(std::size_t rule, Worker& worker);
  Answer solve_side(std::optional<RuleTable>& table, const Word* rows, int n_splits, Cost budget,
                    const Settings& settings, Worker& worker) const;
  void work(Worker& worker, const std::function<void(Cost, Cost)>& notify);
  void work_or_fail(Worker& worker, const std::function<void(Cost, Cost)>& notify);
  Answer finish() const;

  const RuleTable& table_;
  int n_splits_;
  int depth_;
  const Settings& settings_;
  Settings any_leaf_;  // the same, with leaves of any size
  Cost split_cost_;
  std::vector<std::int32_t> order_;  // rules; groups are ranges of it

  std::atomic<Cost> upper_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  Answer best_;
  struct LaterFirst {
    bool operator()(const Group& a, const Group& b) const { return a.lower > b.lower; }
  };
  std::priority_queue<Group, std::vector<Group>, LaterFirst> open_;
  std::multiset<Cost> in_work_;  // lower bounds of the groups that threads are working on
  std::exception_ptr failure_;   // the first exception of a thread
};

// The best tree with at most `n_splits` splits and `depth` levels on all rows of the table,
// if it costs less than `budget`; else `lower` is at least `budget`.
Answer solve_subproblem(const RuleTable& table, int n_splits, int depth, Cost budget,
                        const Settings& settings, Worker& worker);

}  // namespace treeproof::rules
