// Python's way to searches of parts of one table that share a memo.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "search/sparse/shared_memo.hpp"
#include "search/sparse/solve.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

using sparse::SharedMemo;
using Record = SharedMemo::Record;

void learn(SharedMemo& memo, const nb::bytes& given) {
  if (given.size() % sizeof(Record) != 0) throw std::invalid_argument("a torn record");
  std::vector<Record> records(given.size() / sizeof(Record));
  std::memcpy(records.data(), given.c_str(), given.size());
  nb::gil_scoped_release unlocked;
  memo.learn(records);
}

nb::bytes news(SharedMemo& memo, std::uint32_t least_effort, std::size_t most) {
  std::vector<Record> records;
  {
    nb::gil_scoped_release unlocked;
    records = memo.news(least_effort, most);
  }
  return nb::bytes(records.data(), records.size() * sizeof(Record));
}

nb::dict solve_part(SharedMemo& memo, const IntArray& kinds, const IntArray& n_values,
                    const IntArray& codes, const IntArray& labels, int n_classes,
                    const DoubleArray& weights, const IntArray& names, double split_penalty,
                    int max_depth, std::int64_t min_samples_leaf, double time_limit, Cost cutoff,
                    const std::string& penalize) {
  check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  if (names.size() != labels.size()) throw std::invalid_argument("arrays of different lengths");
  Problem problem;
  SearchResult result;
  Limits limits(time_limit, 0, python_interrupted);
  {
    nb::gil_scoped_release unlocked;
    problem = make_problem(read_features(kinds, n_values), view(codes), view(labels), n_classes,
                           view(weights), view(names));
    sparse::Options options;
    if (cutoff > 0) options.cutoff = cutoff;
    options.shared_memo = &memo.memo();
    const TreeLimits tree_limits{split_penalty, max_depth, -1, min_samples_leaf,
                                 read_penalize(penalize)};
    result = sparse::solve(problem, tree_limits, options, limits, {});
  }
  return search_answer(problem, result, split_cost(split_penalty, problem.total_weight), limits);
}

}  // namespace

void bind_parts(nb::module_& m) {
  nb::class_<SharedMemo>(m, "SharedMemo", "What is known about parts of one table.")
      .def(nb::init<std::uint64_t>(), "max_bytes"_a)
      .def("learn", &learn, "records"_a, "Take in what another memo has told.")
      .def("news", &news, "least_effort"_a, "most"_a,
           "What was proved since the last call, that of most effort (microseconds).")
      .def("solve", &solve_part, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a, "labels"_a,
           "n_classes"_a, "weights"_a, "names"_a, "split_penalty"_a, "max_depth"_a,
           "min_samples_leaf"_a, "time_limit"_a, "cutoff"_a, "penalize"_a = "splits",
           "Search for an optimal tree on some rows of the table, named by their numbers.");
}

}  // namespace treeproof::bindings
