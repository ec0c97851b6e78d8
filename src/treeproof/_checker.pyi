from collections.abc import Callable
from typing import Any

def check(
    next_lines: Callable[[], list[bytes]],
    names: list[str] | None,
    columns: list[tuple[list[Any], Any]],
    targets: list[int],
    costs: list[int],
    weight: int | None,
    groups: int | None = None,
) -> dict[str, Any]: ...
