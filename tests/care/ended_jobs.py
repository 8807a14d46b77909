"""Jobs of a server, waited for."""

from typing import Any

from tests.server import RunningServer


def ended(server: RunningServer, job: dict[str, Any]) -> dict[str, Any]:
    """The job when it is over."""
    found: dict[str, Any] = server.get(f"/api/1/jobs/{job['id']}?wait_s=30").json
    assert found["state"] != "running"
    return found
