"""Jobs of a server, waited for."""

from typing import Any

from tests.support.server import RunningServer
from tests.support.waiting import eventually


def ended(server: RunningServer, job: dict[str, Any]) -> dict[str, Any]:
    """The job when it is over."""
    found: dict[str, Any] = {}

    def is_over() -> bool:
        found.update(server.get(f"/api/1/jobs/{job['id']}?wait_s=30").json)
        return bool(found["state"] != "running")

    eventually(is_over)
    return found
