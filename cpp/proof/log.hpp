// Writes the steps of a search to a file while it runs. The log contains many more steps than a
// proof needs, in a binary format of its own, which `trim.hpp` reads backwards. A search that
// writes a log keeps only one buffer in memory, however long the log becomes.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "core/steps.hpp"

namespace treeproof::proof {

// Where the steps of one search lie in the file, with its split cost.
struct Section {
  Cost split_cost = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  Cost bound = 0;  // the best bound that a step proves for the whole table
};

class StepLog : public StepListener {
 public:
  explicit StepLog(const std::string& path);

  void begin(Cost split_cost) override;
  void step(const Step& step) override;
  void close() override { closed_ = true; }

  // Writes the rest of the buffer; returns false if the file could not hold everything.
  bool finish();
  const std::vector<Section>& sections() const { return sections_; }
  std::int64_t n_steps() const { return n_steps_; }

 private:
  void flush();

  std::ofstream file_;
  std::string buffer_;
  bool closed_ = false;
  std::int64_t written_ = 0;
  std::int64_t n_steps_ = 0;
  std::vector<Section> sections_;
};

// A step that was read back from a log. A `LoggedUse` has the citations from `begin` to `end` - 1.
struct LoggedUse {
  std::int32_t test;
  std::int32_t n_outcomes;
  std::size_t begin;
  std::size_t end;
};
struct LoggedStep {
  Key key;
  std::int32_t depth;
  std::int32_t splits;
  Cost bound;
  bool whole;  // whether it is about the whole table
  std::vector<Literal> branch;
  std::vector<LoggedUse> uses;
  std::vector<Citation> citations;
};

// Random access to the records of a log. A window of the file is kept in memory.
class LogReader {
 public:
  explicit LogReader(const std::string& path);

  // The start of the record that ends at `end`.
  std::int64_t before(std::int64_t end);
  // Reads the record at `begin`, or only its key, limits and bound. The lists of `step` are reused,
  // to save allocations. `backwards`: the records before this one are likely to be read next.
  void read(std::int64_t begin, LoggedStep& step, bool backwards = false);
  void read_claim(std::int64_t begin, LoggedStep& step) { claim(begin, true, step); }

 private:
  // Returns a pointer to `size` bytes from `begin` on.
  const char* bytes(std::int64_t begin, std::int64_t size, bool backwards);
  // Reads the key, the limits and the bound of a record; returns a pointer to what follows them.
  const char* claim(std::int64_t begin, bool backwards, LoggedStep& step);

  std::ifstream file_;
  std::int64_t file_size_;
  std::int64_t window_begin_ = 0;
  std::string window_;
};

}  // namespace treeproof::proof
