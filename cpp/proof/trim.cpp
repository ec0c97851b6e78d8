#include "proof/trim.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "proof/step_text.hpp"

namespace treeproof::proof {
namespace {

// The positions of the required steps, in the order of the file.
std::vector<std::int64_t> needed_steps(LogReader& log, const Section& section) {
  std::unordered_map<Key, Cost, KeyHash> wanted;
  std::vector<std::int64_t> kept;
  LoggedStep step;
  bool have_root = false;
  for (std::int64_t end = section.end; end > section.begin;) {
    const std::int64_t begin = log.before(end);
    log.read_claim(begin, step);
    end = begin;
    const auto found = wanted.find(step.key);
    const bool is_root = !have_root && step.whole && step.bound >= section.bound;
    if (!is_root && (found == wanted.end() || step.bound < found->second)) continue;
    if (found != wanted.end()) wanted.erase(found);
    have_root = have_root || is_root;
    kept.push_back(begin);
    log.read(begin, step, true);
    for (const Citation& citation : step.citations)
      if (!citation.by_expansion) {
        Cost& bound = wanted[citation.key];
        bound = std::max(bound, citation.bound);
      }
  }
  if (!wanted.empty()) throw std::runtime_error("a proof step cites one that is missing");
  std::ranges::reverse(kept);
  return kept;
}

// Numbers steps and resolves what they cite.
class StepWriter {
 public:
  explicit StepWriter(const std::string& path) : text_(path) {}

  // Writes a step. If a citation is of a child that needs no citations itself, its bound is written
  // in its place.
  std::int64_t write(const LoggedStep& step) {
    text_.begin(step.branch, step.depth, step.splits, step.bound);
    for (const LoggedUse& use : step.uses) {
      text_.use(use.test);
      for (std::int32_t outcome = 0; outcome < use.n_outcomes; ++outcome) {
        text_.outcome();
        for (std::size_t k = use.begin; k < use.end; ++k) {
          const Citation& citation = step.citations[k];
          if (citation.outcome != outcome) continue;
          if (citation.by_expansion) text_.claim(citation.bound);
          else text_.cite(answers_.at(citation.key).number);
        }
      }
    }
    const std::int64_t number = text_.end();
    Answer& best = answers_[step.key];
    if (best.number < 0 || step.bound >= best.bound) best = {number, step.bound};
    return number;
  }

  bool finish() { return text_.finish(); }
  std::int64_t n_steps() const { return text_.n_steps(); }

 private:
  struct Answer {
    std::int64_t number = -1;
    Cost bound = 0;
  };

  StepText text_;
  std::unordered_map<Key, Answer, KeyHash> answers_;
};

}  // namespace

Trimmed trim(const std::string& log, const Section& section, const std::string& steps) {
  LogReader reader(log);
  StepWriter writer(steps);
  Trimmed result;
  LoggedStep step;
  for (const std::int64_t place : needed_steps(reader, section)) {
    reader.read(place, step);
    result.root = writer.write(step);  // the last step is about the whole table
  }
  result.complete = writer.finish();
  result.n_steps = writer.n_steps();
  return result;
}

}  // namespace treeproof::proof
