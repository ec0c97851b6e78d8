"""How many random instances a test tries: a few, or with TREEPROOF_FUZZ=1 many."""

import os


def rounds(few, many):
    """Return `many` in a long run, else `few`."""
    return many if os.environ.get("TREEPROOF_FUZZ") else few
