// Trimming a log: steps that the whole does not need are left out, citations get numbers, the
// latest step that is good enough answers a citation, and a missing one is an error.
#include "proof/trim.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/unit/unit.hpp"

namespace treeproof::unit {
namespace {

// A file in the working directory that is removed at the end of the scope.
struct File {
  explicit File(std::string of) : name(std::move(of)) {}
  ~File() { std::remove(name.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string text() const {
    std::ifstream in(name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string name;
};

const Key kWhole = random_key(0), kLeft = random_key(1), kRight = random_key(2),
          kUnused = random_key(3);

Step step_of(const Key& key, Cost bound, const std::vector<Literal>& branch,
             const std::vector<Use>& uses) {
  return {key, -1, -1, bound, &branch, &uses};
}

void keeps_what_is_needed(Report& report) {
  const File log("unit_trim.log"), steps("unit_trim.steps");
  const std::vector<Literal> all, left{{4, 0}}, right{{4, 1}};
  const std::vector<Use> none;
  proof::StepLog writer(log.name);
  writer.begin(9);
  writer.step(step_of(kLeft, 5, left, none));     // weaker than what is cited
  writer.step(step_of(kUnused, 6, right, none));  // not cited
  writer.step(step_of(kLeft, 7, left, none));
  writer.step(step_of(kRight, 8, right, none));
  const std::vector<Use> uses{{4, 2, {{0, false, kLeft, 7}, {1, false, kRight, 8}}}};
  writer.step(step_of(kWhole, 24, all, uses));
  report.expect(writer.finish() && writer.n_steps() == 5);
  report.expect(writer.sections().size() == 1 && writer.sections()[0].split_cost == 9);
  report.expect(writer.sections()[0].bound == 24);
  const proof::Trimmed trimmed = proof::trim(log.name, writer.sections()[0], steps.name);
  report.expect(trimmed.complete && trimmed.n_steps == 3 && trimmed.root == 2);
  const std::string text = steps.text();
  report.expect(text.find("\"bound\":5") == std::string::npos);
  report.expect(text.find("\"bound\":6") == std::string::npos);
  report.expect(text.find("[[4,[0],[1]]]") != std::string::npos);
}

void takes_claims_along(Report& report) {
  const File log("unit_claim.log"), steps("unit_claim.steps");
  const std::vector<Literal> all;
  const std::vector<Use> uses{{2, 2, {{0, true, {}, 3}, {1, true, {}, 4}}}};
  proof::StepLog writer(log.name);
  writer.begin(1);
  writer.step(step_of(kWhole, 8, all, uses));
  report.expect(writer.finish());
  const proof::Trimmed trimmed = proof::trim(log.name, writer.sections()[0], steps.name);
  report.expect(trimmed.n_steps == 1 && trimmed.root == 0);
  report.expect(steps.text().find("[[2,[[3]],[[4]]]]") != std::string::npos);
}

void refuses_unproved_citations(Report& report) {
  const File log("unit_missing.log"), steps("unit_missing.steps");
  const std::vector<Literal> all, left{{4, 0}};
  const std::vector<Use> none, uses{{4, 2, {{0, false, kLeft, 7}}}};
  proof::StepLog writer(log.name);
  writer.begin(9);
  writer.step(step_of(kLeft, 6, left, none));  // less than is cited
  writer.step(step_of(kWhole, 24, all, uses));
  report.expect(writer.finish());
  bool refused = false;
  try {
    proof::trim(log.name, writer.sections()[0], steps.name);
  } catch (const std::runtime_error&) {
    refused = true;
  }
  report.expect(refused);
}

}  // namespace

void test_trim(Report& report) {
  keeps_what_is_needed(report);
  takes_claims_along(report);
  refuses_unproved_citations(report);
}

}  // namespace treeproof::unit
