// Steps of a proof as JSON lines (docs/proof-format.md, section 3), streamed to a file.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "core/steps.hpp"

namespace treeproof::proof {

// Cited in place of a step: the checker looks at the child.
inline constexpr std::int64_t kLook = -1;

// Steps are written one after the other: `begin`; then, for each test that is used, `use`, and for
// each of its outcomes `outcome` followed by the citations; finally `end`.
class StepText {
 public:
  explicit StepText(const std::string& path) : file_(path, std::ios::binary | std::ios::trunc) {}

  // -1 stands for no limit.
  template <class Bound>
  void begin(const std::vector<Literal>& branch, int depth, int splits, Bound bound) {
    head(branch, depth, splits);
    number(bound);
    n_uses_ = 0;
  }
  void use(std::int32_t test) {
    text_ += n_uses_++ == 0 ? ",\"uses\":[[" : "]],[";
    number(std::int64_t{test});
    n_outcomes_ = 0;
  }
  void outcome() {
    text_ += n_outcomes_++ == 0 ? ",[" : "],[";
    n_cited_ = 0;
  }
  void cite(std::int64_t step) {
    if (n_cited_++ > 0) text_ += ',';
    number(step);
  }
  // Cites a bound without a step: the checker can verify it from counts.
  template <class Bound>
  void claim(Bound bound) {
    text_ += n_cited_++ > 0 ? ",[" : "[";
    number(bound);
    text_ += ']';
  }
  // Returns the number of the step.
  std::int64_t end();

  // Writes the rest of the buffer; returns false if the file could not hold everything.
  bool finish();
  std::int64_t n_steps() const { return next_; }

 private:
  void head(const std::vector<Literal>& branch, int depth, int splits);
  void limit(const char* name, int value);
  void number(std::int64_t value);
  void number(double value);
  void flush();

  std::ofstream file_;
  std::string text_;
  std::int64_t next_ = 0;
  // Of the step, test and outcome that are being written.
  int n_uses_ = 0, n_outcomes_ = 0, n_cited_ = 0;
};

}  // namespace treeproof::proof
