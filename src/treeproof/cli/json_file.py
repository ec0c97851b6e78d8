"""JSON files that are named on the command line."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["read_json"]


def read_json(path: str) -> Any:
    """Return the content of a JSON file; errors name the file and what is wrong."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path!r}.") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path!r} is not a JSON file: {error}.") from None
