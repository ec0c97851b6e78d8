"""Messages with options of the command line where the library names parameters."""

from __future__ import annotations

import re

__all__ = ["in_options"]

_OWN_NAMES = {
    "n_jobs": "--jobs",
    "categorical_features": "--categorical",
    "numeric_features": "--numeric",
    "monotonic_cst": "--monotonic",
    "interaction_cst": "--interactions",
    "sample_weight": "--weight",
}
_SAME_NAMES = (
    "abstain_cost", "allowed_features", "categorical_split", "class_weight",
    "cost_matrix", "first_split", "max_categories", "max_depth", "max_splits",
    "memory_limit", "min_samples_leaf", "pos_label", "split_penalty", "test_costs",
    "test_size", "time_limit",
)  # fmt: skip
# These are words of English too: they are parameters only where a value follows.
_WITH_VALUE = (
    "beta", "criterion", "metric", "missing", "penalize", "prefix", "quantiles",
    "shape", "solver", "tolerance",
)  # fmt: skip

_VALUE = r"=(\[[^\]]*\]|'[^']*'|\"[^\"]*\"|[\w.+-]*\w)"
_PARAMETER = re.compile(
    r"(?<![\w.'\"`-])(?:"
    rf"({'|'.join((*_OWN_NAMES, *_SAME_NAMES))})(?:{_VALUE})?"
    rf"|({'|'.join(_WITH_VALUE)}){_VALUE}"
    r")(?![\w(])"
)


# Advice of the library for which the command line has an option.
_ADVICE = {
    "Replace infinite values by finite ones or drop these rows.": "Read infinite "
    "values as missing with --na inf, replace them by finite ones, or drop these rows.",
}


def in_options(text: str) -> str:
    """Return a message with options where the library names its parameters.

    Examples
    --------
    >>> in_options("use class_weight='balanced', or a smaller split_penalty")
    'use --class-weight balanced, or a smaller --split-penalty'
    >>> in_options("if 'x' is a number, use numeric_features=['x']; solver='sparse'")
    "if 'x' is a number, use --numeric x; --solver sparse"
    """
    for advice, with_option in _ADVICE.items():
        text = text.replace(advice, with_option)
    return _PARAMETER.sub(_option, text)


def _option(found: re.Match[str]) -> str:
    name = found[1] or found[3]
    value = found[2] or found[4] or ""
    option = _OWN_NAMES.get(name, "--" + name.replace("_", "-"))
    if value.startswith("["):
        items = [item.strip().strip("'\"") for item in value[1:-1].split(",")]
        value = ",".join(items)
    return f"{option} {value.strip(chr(39) + chr(34))}".rstrip()
