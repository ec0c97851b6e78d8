// The graph of all trees within a budget, as Python holds it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "bindings/answer.hpp"
#include "search/near/graph.hpp"
#include "search/portfolio/near_set.hpp"

namespace treeproof::bindings {

using LongArray = nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig,
                                    nanobind::device::cpu>;

// The graph of a budget, with a name for how building it ended.
struct NearSet {
  const portfolio::NearSearch* search;
  std::unique_ptr<near::Graph> graph;
  StopReason reason;

  const Problem& problem() const { return search->problem(); }
};

inline const char* ended(StopReason reason) {
  return reason == StopReason::none ? "complete" : name_of(reason);
}

// Binds the questions as methods of the class of such sets.
void bind_near_questions(nanobind::module_& m, nanobind::class_<NearSet>& set);

}  // namespace treeproof::bindings
