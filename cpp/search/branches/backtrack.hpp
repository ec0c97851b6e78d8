// The continuation of BRANCHES when its memory is full: backtracking, the second half of BF-BT
// (Pearl, "Heuristics", 1984, Section 2.5.1, which Chaouki's thesis names as the remedy).
//
// Pearl searches below every open node of the best-first graph by backtracking. The graph
// would have to stay for that, and it is what fills the memory. Here its bounds move to a
// table of fixed size, 40 bytes a branch, and the graph is given back; the search starts
// again at the root, depth first, each branch with a budget, and takes from the table what
// best-first search has found out. So one remedy serves any allowance: with a large table
// hardly anything is searched twice, with none this is plain branch and bound.
//
// The memory is that of the path plus the table. When the table is full, the branch that took the
// least work is replaced.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/key.hpp"
#include "core/limits.hpp"
#include "search/branches/splitter.hpp"
#include "search/memo.hpp"
#include "tree/tree.hpp"

namespace treeproof::branches {

class Backtrack {
 public:
  using Progress = std::function<void(const Bounds& root)>;

  // `table_bytes`: the most the table may ever take. `tree` is the best one known.
  Backtrack(Splitter& splitter, Limits& limits, Counters& counters, std::uint64_t table_bytes,
            TreeDraft tree, Progress progress);

  // Changes what the table may take.
  void limit_table(std::uint64_t bytes) { table_.limit(bytes); }
  // Adds the known bounds of a branch.
  void learn(std::span<const std::uint32_t> literals, Weight weight, const Bounds& bounds);

  // Searches until the root is settled or a limit is reached; the bounds are valid in both cases.
  Bounds run();

  // The best tree whose parts are all known; a full table may have lost those of a better one.
  const TreeDraft& tree() const { return tree_; }
  Memo::Account table() const { return table_.account(); }
  std::uint64_t bytes() const { return path_bytes_ + table_.account().bytes; }

 private:
  struct Option {
    Cost lower;
    std::int32_t test;
  };
  // A child of the test being searched.
  struct Part {
    std::int32_t outcome;
    Evaluation value = {};
    Key key = {};
    Bounds bounds = {};
  };
  // A branch on the path.
  struct Level {
    RowSet rows;
    Counts whole;
    std::vector<Option> options;  // splits that may still be of use, least bound first
    std::vector<Part> parts;
    Key key;
    Cost dropped = kInfiniteCost;  // least bound of the splits that are not
    std::uint64_t counted = 0;     // bytes

    std::uint64_t bytes() const;
  };

  Level& level(std::size_t depth);
  void account_for(Level& level);
  bool over() const { return limits_.reason() != StopReason::none; }
  bool split(std::size_t depth, std::int32_t test, std::vector<Part>& parts);
  void list_options(std::size_t depth, Cost budget, Bounds& found);
  Cost search_split(std::size_t depth, std::int32_t test, Cost budget, Bounds& found);
  void enter(std::size_t depth, std::int32_t test, const Part& part);
  Bounds visit(std::size_t depth, std::int32_t test, const Part& part, Cost budget);
  void give_back_holes();
  void search(std::size_t depth, Cost budget, Bounds& found);
  bool draft(std::size_t depth, const Bounds& bounds, bool settled, TreeDraft& tree);
  void keep_tree(const Bounds& root, bool settled);

  Splitter& splitter_;
  Limits& limits_;
  Counters& counters_;
  Memo table_;
  std::uint32_t moves_ = 0;  // of the table, when holes were last given back
  std::vector<Key> literal_key_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::uint64_t path_bytes_ = 0;
  std::int64_t work_ = 0;  // words of bits looked at
  TreeDraft tree_;
  Cost tree_cost_;
  Progress progress_;
};

}  // namespace treeproof::branches
