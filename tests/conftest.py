"""Fixtures that several test files share."""

from __future__ import annotations

import cpp_checker
import pytest


@pytest.fixture(scope="session")
def program():
    """The checker in C++."""
    program = cpp_checker.compiled()
    if program is None:
        pytest.skip(f"no compiler {cpp_checker.COMPILER}")
    return program
