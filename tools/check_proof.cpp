// Check a proof that no decision tree in a stated class costs less than a stated bound.
//
//     check_proof PROOF DATA.csv --target COLUMN [--cost COLUMN ...] [--weight COLUMN]
//                 [--groups COLUMN]
//
// PROOF is the uncompressed proof, or `-` for standard input. docs/proof-format.md describes the
// format and proves that each rule is sound. This program was written from that page. It shares no
// code with the search that writes proofs, nor with the checkers in Python, and it trusts nothing
// but the data. It prints one line and returns 0 if the proof holds, 1 if it does not, and 2 if it
// cannot be read.
//
// Where to look: checker/check.hpp reads a proof step by step; checker/rules.hpp contains the
// rules, checker/here.hpp the tests of a step; checker/classes.hpp, checker/numbers.hpp,
// checker/deviances.hpp and checker/lines.hpp add up rows; checker/problem.hpp, checker/reader.hpp
// and checker/gains.hpp make the problem from the data; checker/tree_search.hpp is the base of the
// two searches, checker/path_search.hpp and checker/tree_list.hpp; checker/ratio.hpp contains the
// conclusions for F1 and other ratios. checker/module.cpp makes the same code a Python module.

#include <cstdint>
#include <fstream>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "checker/cells.hpp"
#include "checker/check.hpp"
#include "checker/csv.hpp"
#include "checker/errors.hpp"

namespace checker {
namespace {

// Reads the next line. Its length is limited, so that a hostile file cannot exhaust the memory.
bool read_line(std::istream& in, std::string& line) {
  constexpr std::size_t kLongest = std::size_t{1} << 24;
  constexpr int kEnd = std::char_traits<char>::eof();
  line.clear();
  int next = in.rdbuf()->sbumpc();
  if (next == kEnd) {
    if (in.bad()) throw Unreadable("the proof could not be read to its end");
    return false;
  }
  for (; next != kEnd && next != '\n'; next = in.rdbuf()->sbumpc()) {
    if (line.size() >= kLongest) throw Unreadable("a line of the proof is too long");
    line += static_cast<char>(next);
  }
  return true;
}

struct Options {
  std::vector<std::string> files, targets, costs;
  std::string weight, groups;
};

constexpr const char* kUsage =
    "usage: check_proof PROOF DATA.csv --target COLUMN [--cost COLUMN ...] [--weight COLUMN]\n"
    "PROOF is uncompressed, - for standard input; several --target for several outputs; a --cost "
    "for each action if rows have costs or rewards of their own, perhaps without --target; "
    "--groups "
    "for the groups of rows, if there are limits on their rates";

Options read_options(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool target = arguments[i] == "--target", weight = arguments[i] == "--weight";
    const bool cost = arguments[i] == "--cost", groups = arguments[i] == "--groups";
    if (!target && !weight && !cost && !groups) {
      options.files.push_back(arguments[i]);
      continue;
    }
    if (++i == arguments.size()) throw Unreadable(kUsage);
    if (target) options.targets.push_back(arguments[i]);
    if (cost) options.costs.push_back(arguments[i]);
    if (weight) options.weight = arguments[i];
    if (groups) options.groups = arguments[i];
  }
  const bool named = !options.targets.empty() || !options.costs.empty();
  if (options.files.size() != 2 || !named) throw Unreadable(kUsage);
  return options;
}

Roles roles_of(const Options& options, const DataTable& table) {
  Roles roles;
  for (const auto& name : options.targets) roles.targets.push_back(table.find(name));
  for (const auto& name : options.costs) roles.costs.push_back(table.find(name));
  if (!options.weight.empty()) roles.weight = table.find(options.weight);
  if (!options.groups.empty()) roles.groups = table.find(options.groups);
  return roles;
}

Verdict run(const Options& options) {
  std::ifstream file, data(options.files[1], std::ios::binary);
  if (!data) throw Unreadable("cannot open the data \"" + options.files[1] + "\"");
  if (options.files[0] != "-") {
    file.open(options.files[0], std::ios::binary);
    if (!file) throw Unreadable("cannot open the proof \"" + options.files[0] + "\"");
  }
  std::istream& proof = options.files[0] == "-" ? std::cin : file;
  const DataTable table = CsvReader(data).read();
  return check_proof([&proof](std::string& line) { return read_line(proof, line); }, table,
                     roles_of(options, table), [] {});
}

// Prints one line, and returns the exit code of the program.
int report(const Verdict& verdict, std::ostream& out) {
  if (verdict.accepted) {
    out << "accepted: " << verdict.claim << ", " << verdict.n_steps << " steps ("
        << verdict.statement << ")\n";
    return 0;
  }
  const std::string place =
      verdict.step ? "step " + std::to_string(*verdict.step) : std::string("the header");
  if (verdict.readable) {
    out << "rejected at " << place << ": " << verdict.reason << "\n";
    return 1;
  }
  const std::size_t line = verdict.step ? *verdict.step + 2 : 1;
  out << "cannot check: line " << line << " of the proof (" << place << "): " << verdict.reason
      << "\n";
  return 2;
}

}  // namespace
}  // namespace checker

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  try {
    return checker::report(checker::run(checker::read_options({argv + 1, argv + argc})), std::cout);
  } catch (const checker::Unreadable& error) {
    std::cout << "cannot check: " << error.what() << "\n";
  } catch (const std::bad_alloc&) {
    std::cout << "cannot check: there is not enough memory\n";
  }
  return 2;
}
