#include "proof/step_text.hpp"

#include <charconv>

namespace treeproof::proof {

void StepText::head(const std::vector<Literal>& branch, int depth, int splits) {
  text_ += "{\"branch\":[";
  for (const Literal& literal : branch) {
    number(std::int64_t{literal.test});
    text_ += ',';
    number(std::int64_t{literal.outcome});
    text_ += ',';
  }
  close_list();
  text_ += ",\"depth\":";
  limit(depth);
  text_ += ",\"splits\":";
  limit(splits);
  text_ += ",\"bound\":";
}

std::int64_t StepText::tail(const std::vector<CitedTest>& uses) {
  text_ += ",\"uses\":[";
  for (const CitedTest& use : uses) {
    text_ += '[';
    number(std::int64_t{use.test});
    for (const auto& steps : use.cited) {
      text_ += ",[";
      for (const std::int64_t step : steps) {
        number(step);
        text_ += ',';
      }
      close_list();
    }
    text_ += "],";
  }
  close_list();
  text_ += "}\n";
  if (text_.size() > (1 << 20)) flush();
  return next_++;
}

bool StepText::finish() {
  flush();
  file_.close();
  return !file_.fail();
}

void StepText::close_list() {
  if (text_.back() == ',') text_.pop_back();
  text_ += ']';
}

void StepText::limit(int value) {
  if (value < 0) text_ += "null";
  else number(std::int64_t{value});
}

void StepText::number(std::int64_t value) {
  char digits[24];
  text_.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

void StepText::number(double value) {
  char digits[40];
  text_.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

void StepText::flush() {
  file_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

}  // namespace treeproof::proof
