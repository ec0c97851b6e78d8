"""The native module; its functions take and return plain arrays and dictionaries."""

from typing import Any

def __getattr__(name: str) -> Any: ...
