// The proof steps that a search reports to those who record its argument (docs/proof-format.md).
//
// A step states that every tree on the rows of a branch, within limits on depth and splits, costs
// at least `bound`. It is valid because every test is ruled out by counts that anyone can
// recompute, or costs enough according to the steps that are cited for its children. Steps are
// cited by key; a listener looks up the earlier step with that key and bound.
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

// The reason why a child costs at least `bound`: an earlier step (`key`), or its own expansion,
// which cites nothing; then `key` is not set.
struct Citation {
  std::int32_t outcome;
  bool by_expansion;
  Key key;
  Cost bound;
};

// A test whose children were searched, in the order of the search.
struct Use {
  std::int32_t test;
  std::int32_t n_outcomes;
  std::vector<Citation> citations;
};

struct Step {
  Key key;
  int depth;   // levels of splits below; -1 for any number
  int splits;  // splits below; -1 for any number
  Cost bound;
  const std::vector<Literal>* branch;
  const std::vector<Use>* uses;
};

class StepListener {
 public:
  virtual ~StepListener() = default;
  // The following steps are for this split cost; no step before this call will be cited again.
  virtual void begin(Cost split_cost) = 0;
  virtual void step(const Step& step) = 0;
  // After this call the search uses knowledge that steps cannot cite, so later steps are ignored.
  virtual void close() {}
};

}  // namespace treeproof
