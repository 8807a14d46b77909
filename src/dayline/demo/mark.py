"""Identifies the demo's buckets."""

from collections.abc import Mapping
from typing import Any, Final

# A field in the data of every demo bucket, and of no other.
DEMO_MARK: Final = "dayline_demo"


def is_demo(data: Mapping[str, Any] | None) -> bool:
    """Whether a bucket with this data belongs to the demo."""
    return DEMO_MARK in (data or {})
