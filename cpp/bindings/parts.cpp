// Bindings of searches on parts of one table, which share a memo.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "bindings/search_options.hpp"
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

nb::dict solve_part(SharedMemo& memo, const EncodedTable& table, const SearchOptions& options,
                    const IntArray& names, Cost cutoff) {
  if (names.size() != table.n_rows()) throw std::invalid_argument("arrays of different lengths");
  const std::span<const std::int32_t> labels = table.row_labels();
  Problem problem;
  SearchResult result;
  Limits limits(options.time_limit, 0, python_interrupted);
  {
    nb::gil_scoped_release unlocked;
    problem = make_problem(table.features(), view(table.codes), labels, table.n_classes,
                           view(table.weights), view(names));
    sparse::Options engine;
    if (cutoff > 0) engine.cutoff = cutoff;
    engine.shared_memo = &memo.memo();
    result = sparse::solve(problem, options.trees, engine, limits, {});
  }
  return search_answer(problem, result,
                       split_cost(options.trees.split_penalty, problem.total_weight), limits);
}

}  // namespace

void bind_parts(nb::module_& m) {
  nb::class_<SharedMemo>(m, "SharedMemo", "The bounds that are known for parts of one table.")
      .def(nb::init<std::uint64_t>(), "max_bytes"_a)
      .def("learn", &learn, "records"_a, "Add bounds that were proved with another memo.")
      .def("news", &news, "least_effort"_a, "most"_a,
           "The bounds that were proved since the last call; those that took the most effort (in "
           "microseconds) come first.")
      .def("solve", &solve_part, "table"_a, "options"_a, nb::kw_only(), "names"_a, "cutoff"_a = 0,
           "Search for an optimal tree on some rows of the table, which are given by their "
           "numbers.");
}

}  // namespace treeproof::bindings
