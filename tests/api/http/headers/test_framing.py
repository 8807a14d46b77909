"""No page of another site can show what this server answers in a frame of its own."""

import pytest

from tests.support.calls.clients import at
from tests.support.server import RunningServer


@pytest.mark.parametrize("path", ["/api/0/info", "/api/0/buckets/", "/api/0/buckets/nowhere", "/api/1/health"])
def test_answers_of_the_api_are_shown_in_no_frame(shared_server: RunningServer, path: str) -> None:
    assert shared_server.get(path).headers["content-security-policy"] == "frame-ancestors 'none'"


def test_the_answer_to_a_heartbeat_is_not_either(shared_server: RunningServer) -> None:
    shared_server.create("framed")
    beat = {"timestamp": at("10:00:00"), "duration": 0, "data": {"app": "Editor"}}

    answer = shared_server.post("/api/0/buckets/framed/heartbeat?pulsetime=5", beat)

    assert answer.headers["content-security-policy"] == "frame-ancestors 'none'"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("destination", ["iframe", "frame", "embed", "object"])
@pytest.mark.parametrize("path", ["/", "/api/", "/api/0/export"])
def test_a_frame_of_another_site_is_refused(
    shared_server: RunningServer, path: str, site: str, destination: str
) -> None:
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": destination}

    assert shared_server.call("GET", path, headers=headers).status == 403
    assert shared_server.call("GET", path, headers={**headers, "Sec-Fetch-Dest": "document"}).status == 200
