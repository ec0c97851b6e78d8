#include "proof/log.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace treeproof::proof {
namespace {

constexpr std::size_t kBuffer = 1 << 20;
constexpr std::int64_t kWindow = 8 << 20;

template <class T>
T take(const char*& at) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, at, sizeof(T));
  at += sizeof(T);
  return value;
}

template <class T>
void put(char*& at, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(at, &value, sizeof(T));
  at += sizeof(T);
}

// The size of a record without its lists: key, depth, splits, bound, length of the branch.
constexpr std::size_t kClaimBytes =
    sizeof(Key) + 2 * sizeof(std::int32_t) + sizeof(Cost) + sizeof(std::uint32_t);
constexpr std::size_t kUseBytes = 3 * sizeof(std::int32_t);
constexpr std::size_t kCitationBytes = sizeof(std::int32_t) + sizeof(bool) + sizeof(Cost);

}  // namespace

StepLog::StepLog(const std::string& path) : file_(path, std::ios::binary | std::ios::trunc) {
  buffer_.reserve(kBuffer + (1 << 16));
}

void StepLog::flush() {
  file_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  written_ += static_cast<std::int64_t>(buffer_.size());
  buffer_.clear();
}

void StepLog::begin(Cost split_cost) {
  const std::int64_t here = written_ + static_cast<std::int64_t>(buffer_.size());
  sections_.push_back({split_cost, here, here, 0});
}

// Writes a record: its length, the step, and its length again, so that it can be read backwards.
void StepLog::step(const Step& step) {
  if (closed_) return;
  ++n_steps_;
  std::size_t size = 3 * sizeof(std::uint32_t) + kClaimBytes +
                     step.branch->size() * sizeof(Literal) + step.uses->size() * kUseBytes;
  for (const Use& use : *step.uses)
    for (const Citation& citation : use.citations)
      size += kCitationBytes + (citation.by_expansion ? 0 : sizeof(Key));
  const std::size_t start = buffer_.size();
  buffer_.resize(start + size);
  char* at = buffer_.data() + start;
  put(at, static_cast<std::uint32_t>(size));
  put(at, step.key);
  put(at, std::int32_t{step.depth});
  put(at, std::int32_t{step.splits});
  put(at, step.bound);
  put(at, static_cast<std::uint32_t>(step.branch->size()));
  for (const Literal& literal : *step.branch) put(at, literal);
  put(at, static_cast<std::uint32_t>(step.uses->size()));
  for (const Use& use : *step.uses) {
    put(at, use.test);
    put(at, use.n_outcomes);
    put(at, static_cast<std::uint32_t>(use.citations.size()));
    for (const Citation& citation : use.citations) {
      put(at, citation.outcome);
      put(at, citation.by_expansion);
      if (!citation.by_expansion) put(at, citation.key);
      put(at, citation.bound);
    }
  }
  put(at, static_cast<std::uint32_t>(size));
  Section& section = sections_.back();
  if (step.branch->empty()) section.bound = std::max(section.bound, step.bound);
  section.end = written_ + static_cast<std::int64_t>(buffer_.size());
  if (buffer_.size() >= kBuffer) flush();
}

bool StepLog::finish() {
  flush();
  file_.close();
  return !file_.fail();
}

LogReader::LogReader(const std::string& path) : file_(path, std::ios::binary | std::ios::ate) {
  file_size_ = static_cast<std::int64_t>(file_.tellg());
}

const char* LogReader::bytes(std::int64_t begin, std::int64_t size, bool backwards) {
  const std::int64_t end = begin + size;
  if (begin < 0 || size < 0 || end > file_size_)
    throw std::runtime_error("the log of proof steps is damaged");
  const auto window_end = window_begin_ + static_cast<std::int64_t>(window_.size());
  if (begin < window_begin_ || end > window_end) {
    const std::int64_t wanted = std::max(size, kWindow);
    window_begin_ = backwards ? std::max<std::int64_t>(0, end - wanted) : begin;
    const std::int64_t stop = backwards ? end : std::min(file_size_, begin + wanted);
    window_.resize(static_cast<std::size_t>(stop - window_begin_));
    file_.seekg(window_begin_);
    file_.read(window_.data(), static_cast<std::streamsize>(window_.size()));
    if (!file_) throw std::runtime_error("the log of proof steps cannot be read back");
  }
  return window_.data() + (begin - window_begin_);
}

std::int64_t LogReader::before(std::int64_t end) {
  const char* at = bytes(end - 4, 4, true);
  return end - take<std::uint32_t>(at);
}

const char* LogReader::claim(std::int64_t begin, bool backwards, LoggedStep& step) {
  const char* at = bytes(begin, 4, backwards);
  const auto size = static_cast<std::int64_t>(take<std::uint32_t>(at));
  at = bytes(begin, size, backwards) + 4;
  step.key = take<Key>(at);
  step.depth = take<std::int32_t>(at);
  step.splits = take<std::int32_t>(at);
  step.bound = take<Cost>(at);
  step.branch.resize(take<std::uint32_t>(at));
  step.whole = step.branch.empty();
  return at;
}

void LogReader::read(std::int64_t begin, LoggedStep& step, bool backwards) {
  const char* at = claim(begin, backwards, step);
  for (Literal& literal : step.branch) literal = take<Literal>(at);
  step.uses.resize(take<std::uint32_t>(at));
  step.citations.clear();
  for (LoggedUse& use : step.uses) {
    use.test = take<std::int32_t>(at);
    use.n_outcomes = take<std::int32_t>(at);
    use.begin = step.citations.size();
    use.end = use.begin + take<std::uint32_t>(at);
    for (std::size_t k = use.begin; k < use.end; ++k) {
      Citation& citation = step.citations.emplace_back();
      citation.outcome = take<std::int32_t>(at);
      citation.by_expansion = take<bool>(at);
      if (!citation.by_expansion) citation.key = take<Key>(at);
      citation.bound = take<Cost>(at);
    }
  }
}

}  // namespace treeproof::proof
