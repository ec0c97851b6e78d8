"""The number of random instances that a test tries; TREEPROOF_FUZZ=1 means many."""

import os


def rounds(few, many):
    """Return `many` in a long run, else `few`."""
    return many if os.environ.get("TREEPROOF_FUZZ") else few
