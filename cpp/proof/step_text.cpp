#include "proof/step_text.hpp"

#include <charconv>

namespace treeproof::proof {

void StepText::head(const std::vector<Literal>& branch, int depth, int splits) {
  text_ += "{\"branch\":[";
  for (std::size_t k = 0; k < branch.size(); ++k) {
    if (k > 0) text_ += ',';
    number(std::int64_t{branch[k].test});
    text_ += ',';
    number(std::int64_t{branch[k].outcome});
  }
  text_ += ']';
  limit(",\"depth\":", depth);
  limit(",\"splits\":", splits);
  text_ += ",\"bound\":";
}

std::int64_t StepText::end() {
  text_ += n_uses_ > 0 ? "]]]}\n" : "}\n";
  if (text_.size() > (1 << 20)) flush();
  return next_++;
}

bool StepText::finish() {
  flush();
  file_.close();
  return !file_.fail();
}

void StepText::limit(const char* name, int value) {
  if (value < 0) return;
  text_ += name;
  number(std::int64_t{value});
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
