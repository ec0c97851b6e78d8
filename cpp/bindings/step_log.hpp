// The part of an answer that says where the steps of the search lie in the log.
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
