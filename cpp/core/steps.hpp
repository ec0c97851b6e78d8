// What a search tells those who write down its argument (docs/proof-format.md).
//
// A step says: every tree on the rows of a branch, within limits on depth and splits, costs at
// least `bound`. It holds because every test is ruled out by counts that anyone can repeat, or
// is dear enough by the steps it cites for its children. Cited steps are named by key; a
// listener finds the step of that key with that bound among the earlier ones.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "core/key.hpp"

namespace treeproof {

struct Literal {
  std::int32_t test;
  std::int32_t outcome;
};

// Why a child costs at least `bound`: an earlier step (`key`), or its own expansion, with
// nothing cited: then `key` is not set.
struct Citation {
  std::int32_t outcome;
  bool by_expansion;
  Key key;
  Cost bound;
};

// A test whose children were worked on, in the order in which the search did.
struct Use {
  std::int32_t test;
  std::int32_t n_outcomes;
  std::vector<Citation> citations;
};

struct Step {
  Key key;
  int depth;   // levels of splits below, -1: any number
  int splits;  // splits below, -1: any number
  Cost bound;
  const std::vector<Literal>* branch;
  const std::vector<Use>* uses;
};

class StepListener {
 public:
  virtual ~StepListener() = default;
  // The steps that follow are about this split cost; none before is cited again.
  virtual void begin(Cost split_cost) = 0;
  virtual void step(const Step& step) = 0;
  // What is told after this rests on knowledge that steps cannot cite, and does not count.
  virtual void close() {}
};

}  // namespace treeproof
