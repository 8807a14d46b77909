"""A server that asks for no keys: every existing client works, whatever it sends; a key that is shown is honoured."""

from collections.abc import Iterator

import pytest

from dayline.access.local_users import new_local_token
from tests.access.watching import Watcher, heartbeat
from tests.support.calls.clients import each_path
from tests.support.keyed_server import KeyedServer, signed_in
from tests.support.waiting import eventually


class OpenServer(KeyedServer):
    """The same without require_keys."""

    def start(self, **environment: str) -> None:
        config = self.database.with_suffix(".toml")
        config.write_text(config.read_text().replace("require_keys = true", "require_keys = false"))
        super().start(**environment)


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    with OpenServer(tmp_path_factory.mktemp("open") / "days.db") as server:
        server.create("b")
        yield server


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer x", f"Bearer dayline_aaaaaaaa_{'A' * 43}", "Basic YTpi", "nonsense", "Bearer \xe4"],
)
@each_path
def test_client_works_whatever_it_sends_as_its_key(
    open_server: KeyedServer, authorization: str, content_type: str
) -> None:
    headers = {"Authorization": authorization, "Content-Type": content_type}

    assert open_server.call("GET", "/api/0/buckets/", headers=headers).status == 200
    assert open_server.call("GET", "/api/0/export", headers=headers).status == 200
    path = "/api/0/buckets/b/heartbeat?pulsetime=5"
    assert open_server.call("POST", path, heartbeat("10:00:00"), headers=headers).status == 200
    assert open_server.call("POST", "/api/0/settings/theme", 1, headers=headers).status == 201


@each_path
def test_local_token_of_another_server_is_rejected(open_server: KeyedServer, content_type: str) -> None:
    # As an open caller, the command that sends it would change the wrong database.
    headers = {"Authorization": f"Bearer {new_local_token()}", "Content-Type": content_type}
    calls = {
        ("GET", "/api/0/buckets/"): None,
        ("POST", "/api/0/buckets/b/heartbeat?pulsetime=5"): heartbeat("10:00:00"),
        ("DELETE", "/api/1/trash"): None,
    }

    statuses = [open_server.call(method, path, body, headers=headers).status for (method, path), body in calls.items()]

    assert statuses == [401, 401, 401]


def test_client_works_without_a_key(open_server: KeyedServer) -> None:
    assert open_server.call("GET", "/api/0/buckets/").status == 200
    assert open_server.call("GET", "/api/1/keys").status == 200
    assert open_server.call("GET", "/api/1/session").json["needs_key"] is False


def test_scope_of_a_key_that_is_shown_is_honoured(open_server: KeyedServer) -> None:
    open_server.create("other")
    reader, appender = open_server.key("read", "b"), open_server.key("append", "b")

    assert open_server.with_key(reader, "GET", "/api/0/buckets/b").status == 200
    assert open_server.with_key(reader, "GET", "/api/0/buckets/other").status == 404
    assert set(open_server.with_key(reader, "GET", "/api/0/buckets/").json) == {"b"}
    assert open_server.with_key(reader, "DELETE", "/api/0/buckets/b").status == 403
    assert open_server.with_key(appender, "GET", "/api/0/buckets/b").status == 403
    assert open_server.with_key(appender, "POST", "/api/0/buckets/b/events", heartbeat("10:00:00")).status == 200


def test_scope_of_a_key_is_honoured_on_the_fast_path(open_server: KeyedServer) -> None:
    open_server.create("hot")
    for scope, buckets, status in (
        ("append", ("hot",), 200),
        ("full", (), 200),
        ("read", (), 403),
        ("append", ("b",), 403),
        ("full", ("b",), 404),
    ):
        with Watcher(open_server, "hot", open_server.key(scope, *buckets)) as watcher:
            assert [watcher.beat().status for _ in range(2)] == [status, status]


def test_revoked_key_is_one_that_is_not_known(open_server: KeyedServer) -> None:
    made = open_server.made_key("read", "b")
    open_server.as_owner("DELETE", f"/api/1/keys/{made['id']}")

    assert open_server.with_key(made["key"], "GET", "/api/0/settings").status == 200


def test_session_of_a_key_is_honoured_and_any_other_cookie_ignored(open_server: KeyedServer) -> None:
    browser = signed_in(open_server, open_server.key("read", "b"))

    assert browser.call("GET", "/api/0/settings").status == 403
    assert open_server.call("GET", "/api/0/settings", headers={"Cookie": f"{browser.cookie}x"}).status == 200
    assert open_server.call("GET", "/api/0/settings", headers={"Cookie": "other=1"}).status == 200


def test_a_page_that_knows_nothing_of_sessions_works_in_a_browser_that_is_signed_in(open_server: KeyedServer) -> None:
    # Such as the web UI of ActivityWatch. Its changes were rejected for want of a header that only our page sends.
    browser = signed_in(open_server)

    assert browser.call("GET", "/api/0/buckets/", is_page=False).status == 200
    assert browser.call("POST", "/api/0/settings/theme", 1, is_page=False).status == 201


def test_wrong_keys_are_not_counted(open_server: KeyedServer) -> None:
    for _ in range(30):
        assert open_server.with_key("wrong", "GET", "/api/0/buckets/").status == 200


def test_of_a_long_origin_only_the_start_is_kept(open_server: KeyedServer) -> None:
    origin = "moz-extension://" + "x" * 5000
    fields = {"client": "c", "type": "t", "hostname": "h"}
    open_server.call("POST", "/api/0/buckets/of-extension", fields, headers={"Origin": origin})

    def written() -> str:
        return open_server.as_owner("GET", "/api/1/audit?limit=1000").body.decode()

    eventually(lambda: origin[:200] in written())
    assert origin[:201] not in written()
    assert origin[:201] not in open_server.as_owner("GET", "/api/1/buckets").body.decode()
