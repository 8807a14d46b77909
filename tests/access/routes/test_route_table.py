"""Every call of the interface with every kind of key. A new call without a line here fails."""

from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec
import pytest

from dayline.api.http.route import Route
from dayline.api.routes import CALLS, ROUTES
from tests.support.calls.sealing import sealed
from tests.support.keyed_server import KeyedServer
from tests.support.waiting import eventually

BUCKET: Final = "aw-watcher-window_laptop"
KINDS: Final = (
    "none",
    "wrong",
    "expired",
    "revoked",
    "read",
    "append",
    "full",
    "other read",
    "other append",
    "other full",
)

# A status for each of KINDS, in this order. The last three keys are for a bucket that is not the one in question.
EXPECTED: Final[dict[str, str]] = {
    "get_info": "200 200 200 200  200 200 200  200 200 200",
    "get_ready": "200 200 200 200  200 200 200  200 200 200",
    "get_welcome": "401 401 401 401  403 403 200  403 403 403",
    "start_migration": "401 401 401 401  403 403 422  403 403 403",  # no such database was found
    "start_demo": "401 401 401 401  403 403 409  403 403 403",  # one of its buckets is there, and is not the demo's
    "remove_demo": "401 401 401 401  403 403 200  403 403 403",
    "get_recording": "401 401 401 401  403 403 200  403 403 403",
    "change_recording": "401 401 401 401  403 403 200  403 403 403",
    "prove_store": "400 400 400 400  400 400 400  400 400 400",  # without a nonce
    "get_own_server": "401 401 401 401  403 403 200  403 403 403",
    "get_log": "401 401 401 401  403 403 200  403 403 403",
    "list_buckets": "401 401 401 401  200 403 200  200 403 200",
    "get_bucket": "401 401 401 401  200 403 200  404 403 404",
    "create_bucket": "401 401 401 401  403 304 304  403 403 403",
    "update_bucket": "401 401 401 401  403 403 200  403 403 404",
    "delete_bucket": "401 401 401 401  403 403 200  403 403 404",
    "rename_bucket": "401 401 401 401  403 403 200  403 403 404",
    "merge_bucket": "401 401 401 401  403 403 200  403 403 404",
    "set_bucket_host": "401 401 401 401  403 403 200  403 403 404",
    "list_aliases": "401 401 401 401  200 403 200  200 403 200",
    "remove_alias": "401 401 401 401  403 403 404  403 403 404",
    "get_events": "401 401 401 401  200 403 200  404 403 404",
    "insert_events": "401 401 401 401  403 200 200  403 403 404",
    "count_events": "401 401 401 401  200 403 200  404 403 404",
    "get_event": "401 401 401 401  200 403 200  404 403 404",
    "delete_event": "401 401 401 401  403 403 200  403 403 404",
    "read_event": "401 401 401 401  200 403 200  404 403 404",
    "change_event": "401 401 401 401  403 403 200  403 403 404",
    "remove_event": "401 401 401 401  403 403 200  403 403 404",
    "split_event": "401 401 401 401  403 403 422  403 403 404",  # it has no length
    "delete_selected_events": "401 401 401 401  403 403 200  403 403 404",
    "get_timesheet": "401 401 401 401  200 403 200  200 403 200",
    "list_reports": "401 401 401 401  200 403 200  403 403 403",
    "get_report": "401 401 401 401  200 403 200  403 403 403",
    "save_report": "401 401 401 401  403 403 200  403 403 403",
    "remove_report": "401 401 401 401  403 403 200  403 403 403",
    "list_events": "401 401 401 401  200 403 200  404 403 404",
    "send_heartbeat": "401 401 401 401  403 200 200  403 403 404",
    "run_query": "401 401 401 401  200 403 200  400 403 400",
    "run_query_with_statistics": "401 401 401 401  200 403 200  400 403 400",
    "check_query": "401 401 401 401  200 403 200  200 403 200",
    "explain_query": "401 401 401 401  200 403 200  400 403 400",
    "list_functions": "401 401 401 401  200 403 200  200 403 200",
    "search": "401 401 401 401  400 403 400  400 403 400",
    "get_summary": "401 401 401 401  200 403 200  200 403 200",
    "get_series": "401 401 401 401  200 403 200  200 403 200",
    "export_bucket": "401 401 401 401  200 403 200  404 403 404",
    "export_all": "401 401 401 401  200 403 200  200 403 200",
    "export_events": "401 401 401 401  200 403 200  200 403 200",
    "import_documents": "401 401 401 401  403 403 200  403 403 403",
    "list_annotations": "401 401 401 401  200 403 200  200 403 200",
    "create_annotation": "401 401 401 401  403 403 201  403 403 404",
    "get_annotation": "401 401 401 401  404 403 404  404 403 404",
    "change_annotation": "401 401 401 401  403 403 404  403 403 404",
    "delete_annotation": "401 401 401 401  403 403 404  403 403 404",
    "get_projects": "401 401 401 401  200 403 200  403 403 403",
    "set_projects": "401 401 401 401  403 403 200  403 403 403",
    "preview_projects": "401 401 401 401  200 403 200  403 403 403",
    "list_goals": "401 401 401 401  200 403 200  403 403 403",
    "create_goal": "401 401 401 401  403 403 201  403 403 403",
    "get_goals_progress": "401 401 401 401  200 403 200  200 403 200",
    "get_work_hours": "401 401 401 401  200 403 200  403 403 403",
    "set_work_hours": "401 401 401 401  403 403 200  403 403 403",
    "get_goal": "401 401 401 401  404 403 404  403 403 403",
    "change_goal": "401 401 401 401  403 403 404  403 403 403",
    "delete_goal": "401 401 401 401  403 403 404  403 403 403",
    "list_settings": "401 401 401 401  200 403 200  403 403 403",
    "set_nothing": "401 401 401 401  403 403 400  403 403 403",
    "get_setting": "401 401 401 401  200 403 200  403 403 403",
    "set_setting": "401 401 401 401  403 403 201  403 403 403",
    "delete_setting": "401 401 401 401  403 403 200  403 403 403",
    "get_preferences": "401 401 401 401  200 403 200  403 403 403",
    "change_preferences": "401 401 401 401  403 403 200  403 403 403",
    "get_setting_history": "401 401 401 401  200 403 200  403 403 403",
    "restore_setting": "401 401 401 401  403 403 404  403 403 403",
    "get_session": "200 200 200 200  200 200 200  200 200 200",
    "begin_session": "401 401 401 401  401 401 401  401 401 401",  # the key is in the body, and is not valid
    "end_session": "200 200 200 200  200 200 200  200 200 200",
    "create_ticket": "401 401 401 401  422 403 422  422 403 422",  # for signed-in browsers only
    "create_sign_in_code": "401 401 401 401  403 403 201  403 403 403",
    "end_other_sessions": "401 401 401 401  403 403 200  403 403 403",
    "list_sessions": "401 401 401 401  403 403 200  403 403 403",
    "end_all_sessions": "401 401 401 401  403 403 200  403 403 403",
    "revoke_session": "401 401 401 401  403 403 404  403 403 403",
    "confirm_session": "401 401 401 401  403 403 404  403 403 403",
    "list_keys": "401 401 401 401  403 403 200  403 403 403",
    "create_key": "401 401 401 401  403 403 201  403 403 403",
    "revoke_key": "401 401 401 401  403 403 200  403 403 403",
    "rotate_key": "401 401 401 401  403 403 201  403 403 403",
    "get_audit": "401 401 401 401  403 403 200  403 403 403",
    "send_enveloped": "401 401 401 401  401 401 401  401 401 401",  # sealed with a key that is not known here
    "get_privacy_rules": "401 401 401 401  403 403 200  403 403 403",
    "get_plain_rule": "401 401 401 401  403 403 400  403 403 403",  # without what is never recorded
    "set_privacy_rules": "401 401 401 401  403 403 200  403 403 403",
    "preview_redaction": "401 401 401 401  403 403 200  403 403 403",
    "apply_redaction": "401 401 401 401  403 403 200  403 403 403",
    "list_redactions": "401 401 401 401  403 403 200  403 403 403",
    "undo_redaction": "401 401 401 401  403 403 404  403 403 403",
    "make_redaction_final": "401 401 401 401  403 403 404  403 403 403",
    "list_trash": "401 401 401 401  403 403 200  403 403 200",
    "undo_operation": "401 401 401 401  403 403 404  403 403 404",
    "undo_group": "401 401 401 401  403 403 404  403 403 404",
    "restore_from_trash": "401 401 401 401  403 403 404  403 403 404",
    "remove_from_trash": "401 401 401 401  403 403 404  403 403 404",
    "list_sync_files": "401 401 401 401  403 403 200  403 403 403",
    "list_sync_packs": "401 401 401 401  403 403 200  403 403 403",
    "get_sync_file": "401 401 401 401  403 403 404  403 403 403",
    "put_sync_file": "401 401 401 401  403 403 200  403 403 403",
    "delete_sync_file": "401 401 401 401  403 403 200  403 403 403",
    "get_sync": "401 401 401 401  200 403 200  403 403 403",
    "start_sync": "401 401 401 401  403 403 422  403 403 403",  # its folder has no parent
    "preview_sync": "401 401 401 401  403 403 422  403 403 403",  # the invite is incomplete
    "join_sync": "401 401 401 401  403 403 422  403 403 403",
    "list_sync_sources": "401 401 401 401  200 403 200  403 403 403",
    "add_sync_source": "401 401 401 401  403 403 422  403 403 403",  # there is no such folder
    "remove_sync_source": "401 401 401 401  403 403 400  403 403 403",  # without a path
    "run_sync": "401 401 401 401  403 403 409  403 403 403",  # sync is off
    "verify_sync": "401 401 401 401  403 403 409  403 403 403",
    "recover_sync": "401 401 401 401  403 403 409  403 403 403",
    "get_invite": "401 401 401 401  403 403 409  403 403 403",
    "adopt_device": "401 401 401 401  403 403 404  403 403 403",
    "confirm_device": "401 401 401 401  403 403 409  403 403 403",
    "remove_device": "401 401 401 401  403 403 409  403 403 403",  # sync is off
    "leave_sync": "401 401 401 401  403 403 409  403 403 403",
    "empty_trash": "401 401 401 401  403 403 200  403 403 200",
    "get_health": "401 401 401 401  200 403 200  403 403 403",
    "list_devices": "401 401 401 401  200 403 200  200 403 200",
    "get_timeline": "401 401 401 401  200 403 200  200 403 200",
    "get_sessions": "401 401 401 401  200 403 200  200 403 200",
    "get_now": "401 401 401 401  200 403 200  200 403 200",
    "get_stream": "401 401 401 401  200 403 200  200 403 200",
    "list_bucket_states": "401 401 401 401  200 403 200  200 403 200",
    "list_backups": "401 401 401 401  403 403 200  403 403 403",
    "make_backup": "401 401 401 401  403 403 201  403 403 403",
    "change_backup_schedule": "401 401 401 401  403 403 200  403 403 403",
    "verify_backup": "401 401 401 401  403 403 404  403 403 403",
    "start_import": "401 401 401 401  403 403 202  403 403 403",
    "list_jobs": "401 401 401 401  403 403 200  403 403 403",
    "get_job": "401 401 401 401  403 403 404  403 403 403",
    "cancel_job": "401 401 401 401  403 403 404  403 403 403",
    "get_findings": "401 401 401 401  403 403 200  403 403 403",
    "fix_findings": "401 401 401 401  403 403 200  403 403 403",
    "get_space": "401 401 401 401  200 403 200  403 403 403",
    "get_retention": "401 401 401 401  403 403 200  403 403 403",
    "set_retention": "401 401 401 401  403 403 200  403 403 403",
    "preview_retention": "401 401 401 401  403 403 200  403 403 403",
    "apply_retention": "401 401 401 401  403 403 200  403 403 403",
    "get_compaction": "401 401 401 401  200 403 200  403 403 403",
    "compact_database": "401 401 401 401  403 403 200  403 403 403",
    "get_categories": "401 401 401 401  200 403 200  403 403 403",
    "set_categories": "401 401 401 401  403 403 200  403 403 403",
    "list_category_versions": "401 401 401 401  200 403 200  403 403 403",
    "get_category_version": "401 401 401 401  404 403 404  403 403 403",
    "restore_category_version": "401 401 401 401  403 403 404  403 403 403",
    "explain_category": "401 401 401 401  200 403 200  403 403 403",  # of data that was not recorded
    "preview_categories": "401 401 401 401  200 403 200  200 403 200",
    "suggest_categories": "401 401 401 401  200 403 200  200 403 200",
    "ignore_suggestion": "401 401 401 401  403 403 200  403 403 403",
    "list_starters": "401 401 401 401  200 403 200  200 403 200",
    "export_categories": "401 401 401 401  200 403 200  403 403 403",
    "import_categories": "401 401 401 401  403 403 200  403 403 403",
    "list_pages": "200 200 200 200  200 200 200  200 200 200",
}
UNKNOWN_KEY: Final = f"dayline_aaaaaaaa_{'A' * 43}"


@pytest.fixture(scope="module")
def keys(keyed: KeyedServer) -> dict[str, str | None]:
    """A key of every kind."""
    revoked = keyed.made_key("full")
    keyed.as_owner("DELETE", f"/api/1/keys/{revoked['id']}")
    soon = datetime.now(UTC) + timedelta(milliseconds=200)
    expired = keyed.key("full", expires=soon.isoformat())
    eventually(lambda: keyed.with_key(expired, "GET", "/api/0/buckets/").status == 401)
    return {
        "none": None,
        "wrong": UNKNOWN_KEY,
        "expired": expired,
        "revoked": revoked["key"],
        "read": keyed.key("read"),
        "append": keyed.key("append"),
        "full": keyed.key("full"),
        "other read": keyed.key("read", "another"),
        "other append": keyed.key("append", "another"),
        "other full": keyed.key("full", "another"),
    }


@pytest.fixture
def event_id(keyed: KeyedServer) -> int:
    """The bucket of the examples with an event in it, made again for every call."""
    keyed.as_owner("DELETE", f"/api/0/buckets/{BUCKET}")
    keyed.create(BUCKET)
    keyed.create("aw-watcher-window_desktop")  # for the one to be merged into
    event = {"timestamp": "2026-02-03T08:15:31Z", "data": {"app": "Editor"}}
    made: int = keyed.as_owner("POST", f"/api/0/buckets/{BUCKET}/events", event).json["id"]
    return made


def test_every_call_has_its_line() -> None:
    assert {route.name for route in CALLS} == EXPECTED.keys()


def test_only_these_routes_are_open_without_a_key() -> None:
    is_open = {route.path for route in ROUTES if route.scope is None and route.path.startswith("/api/")}

    assert is_open == {
        "/api/0/info", "/api/1/ready", "/api/1/server/proof", "/api/1/session", "/api/1/envelope",
        "/api/", "/api/openapi.json", "/api/swagger.json", "/api/static/{file*}",
    }  # fmt: skip


def test_calls_about_the_server_are_marked() -> None:
    """Where several people share a database, it is closed to them: storage/postgres/tenants/test_tenant_routes.py."""
    assert {route.name for route in CALLS if route.audience == "server"} == {
        "get_own_server", "get_log", "create_sign_in_code", "start_migration", "list_backups", "make_backup",
        "verify_backup", "get_compaction", "compact_database", "get_recording", "change_recording",
        "change_backup_schedule",
        "list_sync_sources", "add_sync_source", "remove_sync_source",
    }  # fmt: skip


@pytest.mark.parametrize("route", CALLS, ids=lambda route: route.name)
def test_each_kind_of_key_gets_the_answer_of_its_kind(
    route: Route, keyed: KeyedServer, keys: dict[str, str | None], event_id: int
) -> None:
    statuses = {kind: status_of(route, keyed, keys[kind], event_id) for kind in KINDS}

    assert statuses == dict(zip(KINDS, map(int, EXPECTED[route.name].split()), strict=True))


@pytest.mark.parametrize("route", [route for route in CALLS if route.method == "GET"], ids=lambda route: route.name)
def test_head_is_answered_like_get(
    route: Route, keyed: KeyedServer, keys: dict[str, str | None], event_id: int
) -> None:
    for kind in ("none", "append", "other read"):
        got = keyed.with_key(keys[kind], "GET", path_of(route, event_id, "aaaaaaaa"))
        head = keyed.with_key(keys[kind], "HEAD", path_of(route, event_id, "aaaaaaaa"))
        assert (head.status, head.body) == (got.status, b"")


def status_of(route: Route, keyed: KeyedServer, key: str | None, event_id: int) -> int:
    """What the call is answered with. What it destroys is made again for the next one."""
    if route.name in ("delete_bucket", "delete_event"):
        keyed.create(BUCKET)
    if "{report}" in route.path:
        keyed.as_owner("PUT", "/api/1/reports/Invoice", {"by": "app"})
    target = keyed.made_key("read")["id"] if "{key_id}" in route.path else ""
    body, media = None, "application/json"
    if route.body is not None:
        body, media = msgspec.json.encode(route.body.example), route.body.media
    if route.name == "begin_session":
        body = msgspec.json.encode({"key": UNKNOWN_KEY})
    if route.name == "send_enveloped":
        body = sealed("GET", "/api/0/buckets/", key=UNKNOWN_KEY)
    return keyed.with_key(
        key, route.method, path_of(route, event_id, target), raw=body, headers={"Content-Type": media}
    ).status


def path_of(route: Route, event_id: int, key_id: str) -> str:
    """A path of the call that leads somewhere."""
    fields = {
        "{bucket_id}": BUCKET,
        "{event_id}": str(event_id),
        "{key_id}": key_id,
        "{session_id}": "0123456789ab",
        "{key}": "theme",
        "{redaction_id}": "999999",
        "{annotation_id}": "999999",
        "{goal_id}": "999999",
        "{number}": "999999",
        "{version}": "999999",
        "{backup}": "days-20200101T000000Z.db.zst",
        "{job_id}": "unknown",
        "{report}": "Invoice",
        "{device}": "k7f3q2ab",
        "{file}": "head",
    }
    path = route.path
    for field, value in fields.items():
        path = path.replace(field, value)
    return f"{path}?pulsetime=60&follow=0"


def test_every_route_has_a_method_and_path_of_its_own() -> None:
    # A second route with the same path would silently replace the first.
    addresses = [(route.method, route.path) for route in ROUTES]

    assert sorted(set(addresses)) == sorted(addresses)
