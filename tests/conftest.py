"""Fixtures that several test files share."""

from __future__ import annotations

import cpp_checker
import pytest
from hypothesis import HealthCheck, settings

# No test may depend on how fast the machine is.
settings.register_profile(
    "any-speed", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any-speed")


@pytest.fixture(scope="session")
def program():
    """The checker in C++."""
    program = cpp_checker.compiled()
    if program is None:
        pytest.skip(f"no compiler {cpp_checker.COMPILER}")
    return program
