"""What tells the demo from what was recorded."""

from collections.abc import Mapping
from typing import Any, Final

# What every bucket of the demo has among its data, and no other.
DEMO_MARK: Final = "dayline_demo"


def is_demo(data: Mapping[str, Any] | None) -> bool:
    """Whether a bucket with these data is the demo's."""
    return DEMO_MARK in (data or {})
