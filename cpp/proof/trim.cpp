#include "proof/trim.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "proof/step_text.hpp"

namespace treeproof::proof {
namespace {

// The places of the steps needed, in the order of the file.
std::vector<std::int64_t> needed_steps(LogReader& log, const Section& section) {
  std::unordered_map<Key, Cost, KeyHash> wanted;
  std::vector<std::int64_t> kept;
  bool have_root = false;
  for (std::int64_t end = section.end; end > section.begin;) {
    const std::int64_t begin = log.before(end);
    const LoggedStep step = log.read(begin);
    end = begin;
    const auto found = wanted.find(step.key);
    const bool is_root = !have_root && step.branch.empty() && step.bound >= section.bound;
    if (!is_root && (found == wanted.end() || step.bound < found->second)) continue;
    if (found != wanted.end()) wanted.erase(found);
    have_root = have_root || is_root;
    kept.push_back(begin);
    for (const Use& use : step.uses)
      for (const Citation& citation : use.citations)
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

  // Writes a step and, before it, those of children that cite nothing.
  std::int64_t write(const LoggedStep& step) {
    std::vector<CitedTest> uses;
    for (const Use& use : step.uses) {
      uses.push_back({use.test, {}});
      auto& cited = uses.back().cited;
      cited.resize(static_cast<std::size_t>(use.n_outcomes));
      for (const Citation& c : use.citations)
        cited[static_cast<std::size_t>(c.outcome)].push_back(
            c.by_expansion ? expand(step, use.test, c) : answers_.at(c.key).number);
    }
    const std::int64_t number =
        text_.put(step.branch, step.depth, step.splits, step.bound, uses);
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

  std::int64_t expand(const LoggedStep& parent, std::int32_t test, const Citation& c) {
    std::vector<Literal> branch = parent.branch;
    branch.push_back({test, c.outcome});
    return text_.put(branch, parent.depth < 0 ? -1 : parent.depth - 1, -1, c.bound, {});
  }

  StepText text_;
  std::unordered_map<Key, Answer, KeyHash> answers_;
};

}  // namespace

Trimmed trim(const std::string& log, const Section& section, const std::string& steps) {
  LogReader reader(log);
  StepWriter writer(steps);
  Trimmed result;
  for (const std::int64_t place : needed_steps(reader, section))
    result.root = writer.write(reader.read(place));  // the last one is about all rows
  result.complete = writer.finish();
  result.n_steps = writer.n_steps();
  return result;
}

}  // namespace treeproof::proof
