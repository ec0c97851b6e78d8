#include "proof/trim.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <unordered_map>

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

class StepWriter {
 public:
  explicit StepWriter(const std::string& path)
      : file_(path, std::ios::binary | std::ios::trunc) {}

  // Writes a step and, before it, those of children that cite nothing.
  std::int64_t write(const LoggedStep& step) {
    std::vector<std::int64_t> by_expansion;
    for (const Use& use : step.uses)
      for (const Citation& citation : use.citations)
        if (citation.by_expansion) {
          by_expansion.push_back(next_);
          LoggedStep child{{}, step.depth < 0 ? -1 : step.depth - 1, -1, citation.bound,
                           step.branch, {}};
          child.branch.push_back({use.test, citation.outcome});
          put(child, {});
        }
    put(step, by_expansion);
    const std::int64_t number = next_ - 1;
    Answer& best = answers_[step.key];
    if (best.number < 0 || step.bound >= best.bound) best = {number, step.bound};
    return number;
  }

  bool finish() {
    flush();
    file_.close();
    return !file_.fail();
  }
  std::int64_t n_steps() const { return next_; }

 private:
  struct Answer {
    std::int64_t number = -1;
    Cost bound = 0;
  };

  void put(const LoggedStep& step, const std::vector<std::int64_t>& by_expansion) {
    text_ += "{\"branch\":[";
    for (const Literal& literal : step.branch) {
      number(literal.test);
      text_ += ',';
      number(literal.outcome);
      text_ += ',';
    }
    close_list();
    text_ += ",\"depth\":";
    limit(step.depth);
    text_ += ",\"splits\":";
    limit(step.splits);
    text_ += ",\"bound\":";
    number(step.bound);
    text_ += ",\"uses\":[";
    std::size_t expansions = 0;
    for (const Use& use : step.uses) {
      text_ += '[';
      number(use.test);
      std::vector<std::vector<std::int64_t>> cited(static_cast<std::size_t>(use.n_outcomes));
      for (const Citation& c : use.citations)
        cited[static_cast<std::size_t>(c.outcome)].push_back(
            c.by_expansion ? by_expansion[expansions++] : answers_.at(c.key).number);
      for (const auto& steps : cited) {
        text_ += ",[";
        for (const std::int64_t s : steps) {
          number(s);
          text_ += ',';
        }
        close_list();
      }
      text_ += "],";
    }
    close_list();
    text_ += "}\n";
    ++next_;
    if (text_.size() > (1 << 20)) flush();
  }

  void close_list() {
    if (text_.back() == ',') text_.pop_back();
    text_ += ']';
  }
  void limit(std::int32_t value) {
    if (value < 0) text_ += "null";
    else number(value);
  }
  void number(std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    text_.append(digits, end);
  }
  void flush() {
    file_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ofstream file_;
  std::string text_;
  std::int64_t next_ = 0;
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
