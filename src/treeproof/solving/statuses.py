"""Why the search for a tree ended: every value that ``status_`` can have.

Documents of models are checked against this list, so that a model with any of these
values can be saved and loaded.
"""

from __future__ import annotations

__all__ = ["STATUSES", "STOPPED"]

# why a search ended without a proof, and what to try
STOPPED = {
    "time_limit": ("the time limit was reached", "a larger time_limit"),
    "memory_limit": ("the memory limit was reached", "a larger memory_limit"),
    "interrupted": ("it was interrupted", "more time"),
    "too_many_sums": (
        "the constraints limit too many sums to list trees by",
        "fewer groups",
    ),
    "too_many_rules": ("there are too many rules to list", "a larger max_candidates"),
}

STATUSES = (
    "optimal",
    "tolerance",  # the gap is as small as was asked for
    "rounded",  # proved, but for the rounding of the numbers that are stated
    "infeasible",  # no tree keeps the constraints; this one is the closest
    "near-optimal",  # one of the trees within a margin of the best
    "part of a path",  # the whole path of penalties has a status of its own
    "pruned",  # cut back after the fit
    *STOPPED,
)
"""Every value of ``status_``."""
