// Events that a search reports while it runs. Progress lines, logs, the explorer and the writers of
// proofs are observers of these events; a search never prints.
#pragma once

#include <cstdint>
#include <functional>

#include "core/cost.hpp"

namespace treeproof {

enum class EventKind { incumbent, bound, stopped };

struct Event {
  EventKind kind;
  double seconds;
  Cost lower;
  Cost upper;
  std::int64_t nodes;  // expansions (or iterations) so far
};

using Observer = std::function<void(const Event&)>;

}  // namespace treeproof
