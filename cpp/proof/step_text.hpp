// Steps of a proof as JSON lines (docs/proof-format.md, section 3), streamed to a file.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "core/steps.hpp"

namespace treeproof::proof {

inline constexpr std::int64_t kLook = -1;  // in place of a step: look at the child

// A test and, for each of its outcomes, the steps cited.
struct CitedTest {
  std::int32_t test;
  std::vector<std::vector<std::int64_t>> cited;
};

class StepText {
 public:
  explicit StepText(const std::string& path) : file_(path, std::ios::binary | std::ios::trunc) {}

  // Writes a step and returns its number; -1 stands for no limit.
  template <class Bound>
  std::int64_t put(const std::vector<Literal>& branch, int depth, int splits, Bound bound,
                   const std::vector<CitedTest>& uses) {
    head(branch, depth, splits);
    number(bound);
    return tail(uses);
  }

  // Writes what is left; false if the file could not hold everything.
  bool finish();
  std::int64_t n_steps() const { return next_; }

 private:
  void head(const std::vector<Literal>& branch, int depth, int splits);
  std::int64_t tail(const std::vector<CitedTest>& uses);
  void close_list();
  void limit(int value);
  void number(std::int64_t value);
  void number(double value);
  void flush();

  std::ofstream file_;
  std::string text_;
  std::int64_t next_ = 0;
};

}  // namespace treeproof::proof
