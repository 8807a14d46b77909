"""The two ways of a heartbeat through the server: the fast path, or the framework.

The fast path takes a heartbeat whose type is exactly `application/json`; with a parameter behind the type, the same
heartbeat takes the ordinary path. Clients cannot see which path a heartbeat took.
"""

from typing import Final

import pytest

CONTENT_TYPES: Final = {"fast": "application/json", "ordinary": "application/json; charset=utf-8"}

each_path = pytest.mark.parametrize("content_type", CONTENT_TYPES.values(), ids=CONTENT_TYPES.keys())
