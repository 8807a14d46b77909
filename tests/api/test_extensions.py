"""A browser extension may record and nothing else: any installed one can reach the server (protocol 2.5)."""

from pathlib import Path

import pytest

from tests.api.moments import at
from tests.api.remote_bucket import RemoteBucket, event
from tests.server import RunningServer

EXTENSIONS = [
    "moz-extension://c3a5b7d0-3e1f-4b8e-9c57-2f5f8d9f0c11",
    "chrome-extension://nglaklhklhcoonedhgnpgddginnjdadi",
]
each_extension = pytest.mark.parametrize("origin", EXTENSIONS)


@each_extension
def test_extension_may_ask_create_look_at_its_bucket_beat_and_insert(bucket: RemoteBucket, origin: str) -> None:
    server, headers = bucket.server, {"Origin": origin}
    fields = {"type": "web.tab.current", "client": "aw-client-web", "hostname": "!local"}

    for method, path, body, status in (
        ("GET", "/api/0/info", None, 200),
        ("POST", f"{bucket.path}-{origin[:3]}", fields, 200),
        ("POST", bucket.path, fields, 304),
        ("GET", bucket.path, None, 200),
        ("POST", f"{bucket.path}/heartbeat?pulsetime=5", event(at("10:00:00")), 200),
        ("POST", f"{bucket.path}/events", [event(at("11:00:00"))], 200),
    ):
        answer = server.call(method, path, body, headers=headers)
        assert answer.status == status
        assert answer.headers["access-control-allow-origin"] == origin


@each_extension
def test_extension_may_do_nothing_else(bucket: RemoteBucket, origin: str) -> None:
    [stored] = bucket.insert(event(at("10:00:00")))
    server, headers = bucket.server, {"Origin": origin}

    calls: list[tuple[str, str, object]] = [
        ("GET", "/api/0/buckets/", None),
        ("HEAD", "/api/0/buckets/", None),
        ("GET", "/api/0/log", None),
        ("GET", f"{bucket.path}/events", None),
        ("GET", f"{bucket.path}/events?limit=1", None),
        ("GET", f"{bucket.path}/events/count", None),
        ("GET", f"{bucket.path}/events/{stored['id']}", None),
        ("GET", f"{bucket.path}/export", None),
        ("GET", "/api/0/export", None),
        ("GET", "/api/0/settings", None),
        ("GET", "/api/0/settings/theme", None),
        ("POST", "/api/0/settings/theme", 1),
        ("DELETE", "/api/0/settings/theme", None),
        ("POST", "/api/0/import", {"buckets": {}}),
        ("PUT", bucket.path, {"hostname": "x"}),
        ("DELETE", f"{bucket.path}/events/{stored['id']}", None),
        ("DELETE", bucket.path, None),
    ]
    for method, path, body in calls:
        answer = server.call(method, path, body, headers=headers)
        assert answer.status == 403
        if method != "HEAD":
            assert "extension" in answer.message
            assert "access.origins" in answer.json["hint"]
    assert bucket.events() == [stored]
    assert server.get("/api/0/settings/theme").json is None


def test_encoded_path_does_not_lead_an_extension_around_the_rule(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00")))

    answer = bucket.server.get(f"{bucket.path}%2Fevents", Origin=EXTENSIONS[0])

    assert answer.status == 404


@each_extension
def test_extension_listed_as_trusted_may_read(tmp_path: Path, origin: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[access]\norigins = ["{origin}"]\n')

    with RunningServer(tmp_path / "days.db", "--config", str(config)) as server:
        assert server.get("/api/0/export", Origin=origin).status == 200
