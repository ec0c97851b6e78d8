// What a search tells the world while it runs. Progress lines, logs, the explorer and
// certificate writers are observers; a search never prints.
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
