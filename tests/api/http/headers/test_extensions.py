"""A browser extension may record and nothing else: any installed one can reach the server (protocol 2.5)."""

from pathlib import Path

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer

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
        ("GET", f"{bucket.path}-{origin[:3]}", None, 200),
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
        ("GET", "/api/1/session", None),
        ("GET", "/api/1/keys", None),
        ("GET", "/api/1/audit", None),
        ("POST", "/api/1/keys", {"name": "mine", "scope": "full"}),
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

    assert answer.status == 403


def test_extension_learns_nothing_of_buckets_that_others_have_made(bucket: RemoteBucket) -> None:
    made, unknown = (
        bucket.server.get(path, Origin=EXTENSIONS[0]) for path in (bucket.path, "/api/0/buckets/never-made")
    )

    assert made.status == unknown.status == 403
    assert made.message == unknown.message


def test_extension_cannot_make_a_bucket_its_own_by_creating_it_again(bucket: RemoteBucket) -> None:
    fields = {"type": "web.tab.current", "client": "aw-client-web", "hostname": "!local"}

    assert bucket.server.call("POST", bucket.path, fields, headers={"Origin": EXTENSIONS[0]}).status == 304
    assert bucket.server.get(bucket.path, Origin=EXTENSIONS[0]).status == 403


def test_extension_may_not_replace_events(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00")))

    answer = bucket.server.call(
        "POST",
        f"{bucket.path}/events",
        [{**event(at("11:00:00")), "id": stored["id"]}],
        headers={"Origin": EXTENSIONS[0]},
    )

    assert answer.status == 403
    assert bucket.events() == [stored]


def test_bucket_stays_the_extension_s_own_after_a_restart(server: RunningServer) -> None:
    fields = {"type": "web.tab.current", "client": "aw-client-web", "hostname": "!local"}
    server.call("POST", "/api/0/buckets/web", fields, headers={"Origin": EXTENSIONS[0]})
    server.kill()
    server.start()

    assert server.get("/api/0/buckets/web", Origin=EXTENSIONS[0]).status == 200
    assert server.get("/api/0/buckets/web", Origin=EXTENSIONS[1]).status == 403


@each_extension
def test_extension_listed_as_trusted_may_read(tmp_path: Path, origin: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[access]\norigins = ["{origin}"]\n')

    with RunningServer(tmp_path / "days.db", "--config", str(config)) as server:
        assert server.get("/api/0/export", Origin=origin).status == 200
