"""`/api/1/session`: how a browser signs in and out, and what its cookie is good for (decisions 27 and 54)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.access.watching import heartbeat
from tests.support.keyed_server import Browser, KeyedServer, new_code, signed_in
from tests.support.waiting import eventually


def test_browser_signs_in_with_a_key(keyed: KeyedServer) -> None:
    made = keyed.made_key("read", "notes-*")
    browser = Browser(keyed)
    assert browser.call("GET", "/api/0/buckets/").status == 401

    answer = browser.sign_in(key=made["key"])

    assert answer.status == 201
    assert {name: answer.json[name] for name in ("needs_key", "is_signed_in", "scope", "buckets", "key_id")} == {
        "needs_key": True,
        "is_signed_in": True,
        "scope": "read",
        "buckets": ["notes-*"],
        "key_id": made["id"],
    }
    assert {**browser.call("GET", "/api/1/session").json, "secret": browser.secret} == answer.json
    assert browser.call("GET", "/api/0/buckets/").status == 200


def test_browser_signs_in_as_the_owner_with_a_code(keyed: KeyedServer) -> None:
    browser = Browser(keyed)

    answer = browser.sign_in(code=new_code(keyed))

    assert (answer.status, answer.json["scope"], answer.json["key_id"]) == (201, "full", None)
    assert browser.call("GET", "/api/1/keys").status == 200


def test_session_lasts_as_long_as_the_settings_say(keyed: KeyedServer) -> None:
    expires = datetime.fromisoformat(Browser(keyed).sign_in(code=new_code(keyed)).json["expires"])

    assert abs(expires - datetime.now(UTC) - timedelta(days=30)) < timedelta(minutes=1)


def test_code_works_once(keyed: KeyedServer) -> None:
    code = new_code(keyed)

    assert [Browser(keyed).sign_in(code=code).status for _ in range(2)] == [201, 401]


def test_codes_need_a_full_key(keyed: KeyedServer) -> None:
    assert keyed.with_key(keyed.key("full"), "POST", "/api/1/session/codes").status == 201
    assert keyed.with_key(keyed.key("read"), "POST", "/api/1/session/codes").status == 403
    assert keyed.with_key(keyed.key("full", "notes"), "POST", "/api/1/session/codes").status == 403
    assert keyed.call("POST", "/api/1/session/codes").status == 401


def test_a_code_signs_in_with_the_key_that_made_it_and_ends_with_it(keyed: KeyedServer) -> None:
    made = keyed.made_key("full")
    used, unused = (str(keyed.with_key(made["key"], "POST", "/api/1/session/codes").json["code"]) for _ in range(2))
    browser = Browser(keyed)
    answer = browser.sign_in(code=used)
    before = browser.call("GET", "/api/0/buckets/").status

    keyed.as_owner("DELETE", f"/api/1/keys/{made['id']}")

    assert (answer.json["key_id"], before) == (made["id"], 200)
    assert browser.call("GET", "/api/0/buckets/").status == 401
    assert Browser(keyed).sign_in(code=unused).status == 401


def test_sign_ins_sign_outs_and_failed_sign_ins_are_in_the_audit_log(keyed: KeyedServer) -> None:
    made = keyed.made_key("full")
    browser = Browser(keyed)
    browser.sign_in(key=made["key"])
    browser.call("DELETE", "/api/1/session")
    browser.sign_in(key="dayline_unknown_" + "x" * 43)

    def noted() -> set[tuple[str, str, int]]:
        lines = keyed.as_owner("GET", "/api/1/audit").json["lines"]
        return {(line["who"], line["call"], line["status"]) for line in lines}

    eventually(lambda: (f"session {made['id']}", "end_session", 200) in noted())
    assert (f"session {made['id']}", "begin_session", 201) in noted()
    assert ("nobody", "begin_session", 401) in noted()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{}", 422),
        ('{"key": null, "code": null}', 422),
        ('{"key": "KEY", "code": "CODE"}', 422),
        ('{"key": 1}', 422),
        (f'{{"key": "{"x" * 201}"}}', 422),
        ("[]", 422),
        ("", 400),
        ('{"key": "KEY"', 400),
        ('{"key": ""}', 401),
        ('{"key": "CODE"}', 401),
        ('{"code": "KEY"}', 401),
        ('{"code": ""}', 401),
        (f'{{"code": "{"x" * 43}"}}', 401),
        ('{"key": "OWNER"}', 401),
    ],
)
def test_nothing_else_signs_in(keyed: KeyedServer, body: str, status: int) -> None:
    for place, shown in (("KEY", keyed.key("read")), ("CODE", new_code(keyed)), ("OWNER", keyed.owner)):
        body = body.replace(place, shown)

    answer = keyed.call("POST", "/api/1/session", raw=body.encode())

    assert answer.status == status
    assert "set-cookie" not in answer.headers


def test_form_of_another_page_does_not_sign_in(keyed: KeyedServer) -> None:
    body = f'{{"key": "{keyed.key("read")}"}}'.encode()

    for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = keyed.call("POST", "/api/1/session", raw=body, headers={"Content-Type": media})
        assert (answer.status, "set-cookie" in answer.headers) == (415, False)


def test_revoked_key_does_not_sign_in(keyed: KeyedServer) -> None:
    made = keyed.made_key("read")
    keyed.as_owner("DELETE", f"/api/1/keys/{made['id']}")

    assert Browser(keyed).sign_in(key=made["key"]).status == 401


def test_cookie_is_out_of_reach_of_scripts_and_of_other_sites(keyed: KeyedServer) -> None:
    answer = Browser(keyed).sign_in(key=keyed.key("read"))

    name_and_value, *attributes = answer.headers["set-cookie"].split("; ")
    assert name_and_value.startswith(f"dayline_session_{keyed.port}=")
    # Not Secure: over plain HTTP, which is spoken on loopback alone, a browser would never send it back.
    assert set(attributes) == {"HttpOnly", "SameSite=Strict", "Path=/", f"Max-Age={30 * 86_400}"}
    assert name_and_value.partition("=")[2] not in answer.body.decode()


def test_cookie_is_for_https_alone_where_a_proxy_speaks_it(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db", "--trusted-proxy", "127.0.0.1") as server:
        headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"}
        answer = server.call("POST", "/api/1/session", {"key": server.key("read")}, headers=headers)

        assert "Secure" in answer.headers["set-cookie"].split("; ")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/0/buckets/", None),
        ("GET", "/api/0/export", None),
        ("GET", "/api/1/stream?follow=0", None),
        ("POST", "/api/0/buckets/unconfirmed", {"client": "c", "type": "t", "hostname": "h"}),
        ("POST", "/api/0/settings/unconfirmed", 1),
        ("DELETE", "/api/0/settings/unconfirmed", None),
        ("POST", "/api/1/keys", {"name": "x", "scope": "full"}),
        ("POST", "/api/0/query/", {"query": ["RETURN = 1;"], "timeperiods": []}),
        ("DELETE", "/api/1/session/others", None),
        ("POST", "/api/1/session/codes", None),
    ],
)
def test_the_cookie_alone_allows_nothing(keyed: KeyedServer, method: str, path: str, body: object) -> None:
    # Browsers send a cookie to every port of a host. Anyone who listened on another port could use the session: reading
    # needed the cookie alone, and changes a header whose value everyone knows.
    browser, other = signed_in(keyed), signed_in(keyed)

    for secret in ("", "1", browser.token, other.secret, f"{browser.secret}x"):
        answer = browser.call(method, path, body, is_page=False, **{"X-Dayline": secret})
        assert (answer.status, answer.json["type"]) == (401, "Unauthorized")
        assert "X-Dayline" in answer.json["hint"]
    assert browser.call(method, path, body, is_page=False).status == 401
    assert browser.call(method, path, body).status < 300


def test_the_secret_alone_allows_nothing(keyed: KeyedServer) -> None:
    browser = signed_in(keyed)
    browser.cookie = ""

    assert browser.call("GET", "/api/0/buckets/").status == 401


def test_the_cookie_alone_neither_shows_nor_ends_the_session(keyed: KeyedServer) -> None:
    browser = signed_in(keyed)

    assert browser.call("GET", "/api/1/session", is_page=False).json["is_signed_in"] is False
    assert browser.call("DELETE", "/api/1/session", is_page=False).status == 200
    assert browser.call("GET", "/api/0/buckets/").status == 200


def test_the_cookie_alone_loads_the_page(keyed: KeyedServer) -> None:
    browser = signed_in(keyed)

    for path in ("/", "/api/", "/api/openapi.json"):
        assert browser.call("GET", path, is_page=False).status == 200


def test_heartbeat_of_a_browser_needs_the_secret_too(keyed: KeyedServer) -> None:
    keyed.create("web")
    browser = signed_in(keyed)
    path = "/api/0/buckets/web/heartbeat?pulsetime=5"

    assert browser.call("POST", path, heartbeat("10:00:00"), is_page=False).status == 401
    assert browser.call("POST", path, heartbeat("10:00:00")).status == 200


@pytest.mark.parametrize("scope", ["read", "append"])
def test_session_may_do_what_its_key_may_and_no_more(keyed: KeyedServer, scope: str) -> None:
    keyed.create(f"{scope}-mine")
    keyed.create(f"{scope}-other")
    browser = signed_in(keyed, keyed.key(scope, f"{scope}-mine"))

    reads = [browser.call("GET", f"/api/0/buckets/{scope}-{name}/events").status for name in ("mine", "other")]
    writes = [
        browser.call("POST", f"/api/0/buckets/{scope}-{name}/events", heartbeat("10:00:00")).status
        for name in ("mine", "other")
    ]

    assert (reads, writes) == (([200, 404], [403, 403]) if scope == "read" else ([403, 403], [200, 403]))
    assert browser.call("GET", "/api/1/keys").status == 403


def test_key_in_the_header_takes_precedence_over_the_cookie(keyed: KeyedServer) -> None:
    browser = signed_in(keyed)

    assert browser.call("GET", "/api/1/keys", Authorization=f"Bearer {keyed.key('read')}").status == 403
    assert browser.call("GET", "/api/1/keys", Authorization="Bearer wrong").status == 401


def test_session_ends_with_its_key(keyed: KeyedServer) -> None:
    made = keyed.made_key("read")
    browser = signed_in(keyed, made["key"])
    assert browser.call("GET", "/api/0/buckets/").status == 200

    keyed.as_owner("DELETE", f"/api/1/keys/{made['id']}")

    assert browser.call("GET", "/api/0/buckets/").status == 401
    assert browser.call("GET", "/api/1/session").json["is_signed_in"] is False


def test_session_ends_when_its_key_expires(keyed: KeyedServer) -> None:
    soon = datetime.now(UTC) + timedelta(milliseconds=300)
    browser = signed_in(keyed, keyed.key("read", expires=soon.isoformat()))

    eventually(lambda: browser.call("GET", "/api/0/buckets/").status == 401)

    assert datetime.now(UTC) > soon


def test_browser_that_signs_out_is_out_and_its_cookie_is_taken_back(keyed: KeyedServer) -> None:
    browser, other = signed_in(keyed), signed_in(keyed)

    answer = browser.call("DELETE", "/api/1/session")

    assert answer.status == 200
    assert answer.headers["set-cookie"].startswith(f'dayline_session_{keyed.port}=""; expires=Thu, 01 Jan 1970')
    assert browser.call("GET", "/api/0/buckets/").status == 401
    assert other.call("GET", "/api/0/buckets/").status == 200


def test_signing_out_without_being_signed_in_is_no_error(keyed: KeyedServer) -> None:
    assert keyed.call("DELETE", "/api/1/session").status == 200


def test_owner_signs_every_other_browser_out(keyed: KeyedServer) -> None:
    mine, one, other = signed_in(keyed), signed_in(keyed), signed_in(keyed, keyed.key("read"))

    answer = mine.call("DELETE", "/api/1/session/others")

    assert answer.status == 200
    assert answer.json["ended"] >= 2
    assert [browser.call("GET", "/api/0/buckets/").status for browser in (mine, one, other)] == [200, 401, 401]


def test_browser_with_a_read_key_cannot_sign_out_others(keyed: KeyedServer) -> None:
    reader, owner = signed_in(keyed, keyed.key("read")), signed_in(keyed)

    assert reader.call("DELETE", "/api/1/session/others").status == 403
    assert owner.call("GET", "/api/0/buckets/").status == 200


@pytest.mark.parametrize(
    "cookie",
    [
        "dayline_session_1={token}",
        "dayline_session={token}",
        "dayline_session_{port}0={token}",
        "dayline_session_{port}={token}x",
        "dayline_session_{port}=",
        "dayline_session_{port}=x; dayline_session_{port}={token}",
        "dayline_session_{port}={token}; dayline_session_{port}=x",
        "DAYLINE_SESSION_{port}={token}",
    ],
)
def test_cookie_of_another_name_or_value_is_not_looked_at(keyed: KeyedServer, cookie: str) -> None:
    browser = signed_in(keyed)
    browser.cookie = cookie.format(port=keyed.port, token=browser.token)

    assert browser.call("GET", "/api/0/buckets/").status == 401


def test_cookie_of_a_server_on_another_port_does_no_harm(keyed: KeyedServer) -> None:
    browser = signed_in(keyed)
    browser.cookie = f"dayline_session_1=x; {browser.cookie}; other=1"

    assert browser.call("GET", "/api/0/buckets/").status == 200


def test_page_of_another_origin_gets_nothing_by_the_cookie(keyed: KeyedServer) -> None:
    browser = signed_in(keyed)

    assert browser.call("GET", "/api/0/buckets/", Origin="https://evil.example").status == 403


def test_extension_may_only_record_even_if_a_user_is_signed_in(keyed: KeyedServer) -> None:
    browser = signed_in(keyed)
    origin = "moz-extension://c3a5b7d0-3e1f-4b8e-9c57-2f5f8d9f0c11"

    assert browser.call("GET", "/api/0/buckets/", Origin=origin).status == 403
    assert browser.call("GET", "/api/1/session", Origin=origin).status == 403


def test_sessions_survive_the_end_of_the_server_and_codes_do_not(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        owner, reader, gone = signed_in(server), signed_in(server, server.key("read")), signed_in(server)
        gone.call("DELETE", "/api/1/session")
        code = new_code(server)
        for end in (server.kill, server.stop):
            end()
            server.start()

            statuses = [browser.call("GET", "/api/0/buckets/").status for browser in (owner, reader, gone)]
            assert statuses == [200, 200, 401]
        assert Browser(server).sign_in(code=code).status == 401
