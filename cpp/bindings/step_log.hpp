// Where the steps of a search lie in their log, as part of its answer.
#pragma once

#include <nanobind/nanobind.h>

#include "proof/search_files.hpp"

namespace treeproof::bindings {

inline void describe_log(const proof::SearchFiles& files, nanobind::dict& answer) {
  nanobind::list sections;
  for (const proof::Section& s : files.log()->sections())
    sections.append(nanobind::make_tuple(s.split_cost, s.begin, s.end, s.bound));
  answer["log_sections"] = sections;
  answer["log_complete"] = files.complete();
}

}  // namespace treeproof::bindings
