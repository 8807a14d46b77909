"""The two ways of a heartbeat through the server: below the framework, or through it.

The hot lane takes a heartbeat whose type is exactly `application/json`; a parameter behind it sends the same heartbeat
down the ordinary lane. Nobody may be able to tell which way it went.
"""

from typing import Final

import pytest

LANES: Final = {"hot": "application/json", "ordinary": "application/json; charset=utf-8"}

each_lane = pytest.mark.parametrize("lane", LANES.values(), ids=LANES.keys())
