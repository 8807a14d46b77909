"""What a server sends to every call of the API: the examples of its document.

python -m tests.api.openapi.recording     records them again
"""

import re
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlencode

import msgspec

from dayline.api.data.sync_files import BYTES
from dayline.api.examples import RECORDED, example_of
from dayline.api.http.route import Route
from dayline.api.routes import CALLS
from tests.support.maintenance.aw_sync import PHONE, database, minute
from tests.support.maintenance.migrating import installed
from tests.support.server import RunningServer
from tests.support.waiting import eventually

WINDOW: Final = "aw-watcher-window_laptop"
AFK: Final = "aw-watcher-afk_laptop"
WEB: Final = "aw-watcher-web-firefox_laptop"
DESKTOP: Final = "aw-watcher-window_desktop"
_DAY: Final = "start=2026-02-03T00:00:00Z&end=2026-02-04T00:00:00Z"
_ROUTES: Final = {route.name: route for route in CALLS}
_LONGEST: Final = 2  # items of a list, and lines of a text in an example
_LONGEST_TEXT: Final = 400
# Fields that let a reader in, or that are of one machine.
_SECRETS: Final = frozenset(["key", "secret", "ticket", "proof", "code", "url", "device_id", "invite"])
# Texts, not JSON objects with fields.
WITHOUT: Final = {"send_enveloped", "get_stream", "get_sync_file"}


def window(minute: int, seconds: float, app: str, title: str) -> dict[str, object]:
    return {"timestamp": f"2026-02-03T08:{minute:02}:00Z", "duration": seconds, "data": {"app": app, "title": title}}


class Recording:
    """Sends every call once, and keeps what it received. `examples` are by the name of the call."""

    def __init__(self, server: RunningServer, *, home: Path | None = None) -> None:
        self._server = server
        self._home = home or server.database.parent
        self._headers: dict[str, str] = {}
        self.examples: dict[str, object] = {}

    def send(self, name: str, path: Mapping[str, object] | None = None, query: str = "", body: object = None) -> Any:
        """Send a call, by default with the body of its example; returns the response."""
        route = _ROUTES[name]
        address = route.path
        for field, value in (path or {}).items():
            address = address.replace(f"{{{field}}}", str(value))
        if body is None and route.body is not None:
            body = route.body.example
        raw, headers = None, self._headers
        if route.body is not None and route.body.media == BYTES:
            raw, body, headers = str(body).encode(), None, {**headers, "Content-Type": BYTES}
        answer = self._server.call(
            route.method, f"{address}?{query}" if query else address, body, raw=raw, headers=headers
        )
        assert route.answer is not None
        assert answer.status == route.answer.status, f"{name}: {answer.status} {answer.body.decode()}"
        if name not in self.examples:
            self.examples[name] = self._shown(route, answer.json)
            for media in route.answer.renderings:
                self._record_rendering(name, media, f"{address}?{query}")
        return answer.json

    def _record_rendering(self, name: str, media: str, address: str) -> None:
        """Keep the first lines of a response as text."""
        form = media.rpartition("/")[2].removeprefix("x-")
        answer = self._server.get(f"{address}&format={form}")
        assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, media)
        self.examples[f"{name} {media}"] = "\n".join(answer.body.decode()[:_LONGEST_TEXT].splitlines()[:_LONGEST])

    def sign_in(self) -> None:
        """Send further calls as a browser."""
        code = self.send("create_sign_in_code")["code"]
        answer = self._server.post("/api/1/session", {"code": code})
        route = _ROUTES["begin_session"]
        self.examples[route.name] = self._shown(route, answer.json)
        self._headers = {
            "Cookie": answer.headers["set-cookie"].partition(";")[0],
            "X-Dayline": answer.json["secret"],
        }

    def sign_out(self) -> None:
        self._headers = {}

    def _shown(self, route: Route, value: object) -> object:
        assert route.answer is not None
        home = str(self._home)
        text = msgspec.json.encode(value).decode().replace(home, "/home/you").replace(socket.gethostname(), "laptop")
        text = re.sub(rf"\b{self._server.port}\b", "5600", text)
        return _without_secrets(_shortened(msgspec.json.decode(text)), example_of(route.answer.type))


def _shortened(value: object) -> object:
    match value:
        case list():
            return [_shortened(item) for item in cast("list[object]", value)[:_LONGEST]]
        case dict():
            return {key: _shortened(item) for key, item in cast("dict[str, object]", value).items()}
        case _:
            return value


def _without_secrets(value: object, example: object, name: str = "") -> object:
    match value, example:
        case dict(), dict():
            known = cast("dict[str, object]", example)
            given = cast("dict[str, object]", value)
            return {key: _without_secrets(item, known.get(key), key) for key, item in given.items()}
        case str(), str() if name in _SECRETS:
            return example
        case _:
            return value


def record(server: RunningServer) -> dict[str, object]:
    """The responses of a server without data to every call with JSON."""
    recording = Recording(server)
    for part in (
        _first,
        _buckets,
        _events,
        _insight,
        _annotations,
        _settings,
        _access,
        _privacy,
        _upkeep,
        _categories,
        _sync,
    ):
        part(recording, server)
    _last(recording, server)
    return dict(sorted(recording.examples.items()))


def _first(recording: Recording, server: RunningServer) -> None:
    send = recording.send
    for name in ("get_info", "get_ready", "get_welcome", "get_recording", "list_pages", "list_starters"):
        send(name)
    send("prove_store", query="nonce=" + "0" * 32)
    recording.send("change_recording")
    job = send("start_migration", body={"path": str(installed(server.database.parent))})["id"]
    _finished(recording, job)
    for bucket in ("aw-watcher-window_host", "aw-watcher-afk_host", "aw-watcher-web-firefox_host"):
        send("delete_bucket", {"bucket_id": bucket})
    server.call("DELETE", "/api/0/settings/classes")
    job = send("start_demo", body={"days": 1})["id"]
    _finished(recording, job)
    send("remove_demo")
    send("empty_trash")


def _finished(recording: Recording, job: str) -> None:
    path = {"job_id": job}
    done = recording.send("get_job", path, "wait_s=30")
    assert done["state"] == "done", done


def _buckets(recording: Recording, server: RunningServer) -> None:
    send = recording.send
    send("create_bucket", {"bucket_id": WINDOW})
    server.create(AFK, client="aw-watcher-afk", type="afkstatus", hostname="laptop")
    server.create(WEB, client="aw-client-web", type="web.tab.current", hostname="laptop")
    server.create(DESKTOP, client="aw-watcher-window", type="currentwindow", hostname="desktop")
    server.create("aw-watcher-window_old", client="aw-watcher-window", type="currentwindow", hostname="old")
    send("update_bucket", {"bucket_id": "aw-watcher-window_old"}, body={"hostname": "older"})
    send("rename_bucket", {"bucket_id": "aw-watcher-window_old"}, body={"id": "aw-watcher-window_older"})
    send("list_aliases")
    send("remove_alias", {"alias": "aw-watcher-window_old"})
    send("set_bucket_host", {"bucket_id": "aw-watcher-window_older"}, body={"hostname": "oldest"})
    send("merge_bucket", {"bucket_id": "aw-watcher-window_oldest"})
    for name in ("list_buckets", "list_bucket_states", "list_devices"):
        send(name)
    send("get_bucket", {"bucket_id": WINDOW})


def _events(recording: Recording, server: RunningServer) -> None:
    send = recording.send
    window_path = {"bucket_id": WINDOW}
    send("insert_events", window_path)
    more = [
        window(20, 600, "Code", "main.py"),
        window(30, 300, "Mail", "Payroll 2026.xlsx"),
        window(36, 60, "Code", "x"),
    ]
    server.post(f"/api/0/buckets/{WINDOW}/events", more)
    server.post(f"/api/0/buckets/{WINDOW}/events", [more[2]])  # a duplicate
    afk = {"timestamp": "2026-02-03T08:00:00Z", "duration": 3600, "data": {"status": "not-afk"}}
    server.post(f"/api/0/buckets/{AFK}/events", [afk])
    tab = {"url": "https://docs.example.org/guide", "title": "Guide"}
    server.post(f"/api/0/buckets/{WEB}/events", [{"timestamp": "2026-02-03T08:21:00Z", "duration": 120, "data": tab}])
    server.post(f"/api/0/buckets/{DESKTOP}/events", [window(10, 60, "Editor", "draft 2")])
    send("send_heartbeat", window_path, "pulsetime=60", {**window(40, 30, "Code", "main.py")})
    [event, *_] = send("get_events", window_path, "limit=2")
    send("count_events", window_path)
    send("list_events", window_path, "limit=2")
    path: dict[str, object] = {**window_path, "event_id": event["id"]}
    send("get_event", path)
    send("read_event", path)
    send("change_event", path)
    send("split_event", path, body={"at": "2026-02-03T08:40:30Z"})
    send("remove_event", path)
    events = server.get(f"/api/0/buckets/{WINDOW}/events?limit=1").json
    send("delete_event", {**window_path, "event_id": events[0]["id"]})
    send("delete_selected_events")
    send("export_bucket", window_path)
    send("export_all")
    send("export_events", query="limit=2")
    send("import_documents")
    job = send("start_import")["id"]
    _finished(recording, job)
    send("list_jobs")
    _cancelable(recording, server)


def _cancelable(recording: Recording, server: RunningServer) -> None:
    """Canceling a job that has ended changes nothing."""
    job = server.get("/api/1/jobs").json["jobs"][0]["id"]
    recording.send("cancel_job", {"job_id": job})


def _insight(recording: Recording, server: RunningServer) -> None:
    send = recording.send
    send("set_categories")
    send("set_projects", body={"projects": [{"name": "Website", "categories": [["Work"]], "rate": 80}]})
    for name in ("run_query", "run_query_with_statistics", "check_query", "explain_query", "list_functions"):
        send(name)
    send("search", query="q=main")
    for name in ("get_summary", "get_series", "get_timesheet"):
        send(name, query=f"{_DAY}&by=category" if name != "get_series" else f"{_DAY}&by=category&bin=hour")
    send("get_timeline", query=f"{_DAY}&width=800")
    send("get_sessions", query=_DAY)
    eventually(lambda: server.get("/api/1/now").json["is_settled"] is True)  # its categories are known
    send("get_now")
    send("save_report", {"report": "Invoice"})
    send("get_report", {"report": "Invoice"})
    send("list_reports")
    send("remove_report", {"report": "Invoice"})


def _annotations(recording: Recording, server: RunningServer) -> None:
    send = recording.send
    number = send("create_annotation")["id"]
    path = {"annotation_id": number}
    for name in ("get_annotation", "change_annotation"):
        send(name, path)
    send("list_annotations")
    send("delete_annotation", path)
    goal = {"goal_id": send("create_goal")["id"]}
    for name in ("get_goal", "change_goal"):
        send(name, goal)
    for name in ("list_goals", "set_work_hours", "get_work_hours", "get_goals_progress"):
        send(name)
    send("delete_goal", goal)


def _settings(recording: Recording, server: RunningServer) -> None:
    send = recording.send
    key = {"key": "durationDefault"}
    send("set_setting", key)
    send("get_setting", key)
    send("list_settings")
    send("delete_setting", key)
    send("change_preferences")
    send("get_preferences")
    changes = send("get_setting_history")["changes"]
    send("restore_setting", {"number": changes[0]["number"]})


def _access(recording: Recording, server: RunningServer) -> None:
    send = recording.send
    key = {"key_id": send("create_key")["id"]}
    send("list_keys")
    send("rotate_key", key)
    send("revoke_key", key)
    recording.sign_in()
    send("get_session")
    send("create_ticket")
    sessions = send("list_sessions")
    send("confirm_session", {"session_id": sessions[0]["id"]})
    send("end_other_sessions")
    send("end_session")
    recording.sign_out()
    recording.sign_in()
    session = server.get("/api/1/sessions").json[0]["id"]
    recording.sign_out()
    send("revoke_session", {"session_id": session})
    send("end_all_sessions")
    send("get_audit", query="limit=3")


def _privacy(recording: Recording, server: RunningServer) -> None:
    send = recording.send
    send("get_plain_rule", query="app=Signal")
    send("set_privacy_rules")
    send("get_privacy_rules")
    send("preview_redaction")
    number = send("apply_redaction")["id"]
    eventually(lambda: server.get("/api/1/privacy/redactions").json[0]["state"] == "applied")
    send("undo_redaction", {"redaction_id": number})
    eventually(lambda: server.get("/api/1/privacy/redactions").json[0]["state"] == "undone")
    number = send("apply_redaction")["id"]
    eventually(lambda: server.get("/api/1/privacy/redactions").json[0]["state"] == "applied")
    send("list_redactions")
    send("make_redaction_final", {"redaction_id": number})


def _upkeep(recording: Recording, server: RunningServer) -> None:
    send = recording.send
    for name in ("get_health", "get_own_server", "get_log", "get_space", "get_retention", "get_findings"):
        send(name)
    send("fix_findings")
    send("set_retention")
    send("preview_retention")
    send("apply_retention")
    send("compact_database")
    send("get_compaction")
    backup = send("make_backup")["name"]
    send("verify_backup", {"backup": backup})
    send("change_backup_schedule")
    send("list_backups")


def _categories(recording: Recording, server: RunningServer) -> None:
    send = recording.send
    send("get_categories")
    versions = send("list_category_versions")
    send("get_category_version", {"version": versions["versions"][-1]["number"]})
    send("explain_category")
    for name in ("preview_categories", "suggest_categories", "ignore_suggestion", "export_categories"):
        send(name)
    send("import_categories")
    send("restore_category_version", {"version": versions["versions"][0]["number"]})
    send("get_projects")
    send("preview_projects")


def _sync(recording: Recording, server: RunningServer) -> None:
    send = recording.send
    space = {"location": str(server.database.parent / "Sync")}
    invited = {**space, "invite": send("start_sync", body=space)["invite"]}
    _restored_device(recording, server.database.parent / "phone", invited)
    for name in ("run_sync", "verify_sync", "get_sync", "get_invite"):
        send(name)
    send("preview_sync", body=invited)
    send("leave_sync")
    send("join_sync", body=invited)
    send("leave_sync")
    folder = server.database.parent / "ActivityWatchSync"
    database(folder / "phone" / PHONE / "test.db", [(minute(0), 30, "Maps")])
    send("add_sync_source", body={"path": str(folder)})
    send("list_sync_sources")
    send("remove_sync_source", query=urlencode({"path": folder, "delete_mirrors": 1}))
    _removed_device(recording, server.database.parent / "phone")
    file: dict[str, object] = {"device": "k7f3q2ab", "file": "a" * 32}
    send("put_sync_file", file)
    send("list_sync_files")
    send("list_sync_packs", {"device": "k7f3q2ab"})
    send("delete_sync_file", file)


def _restored_device(recording: Recording, folder: Path, invited: dict[str, str]) -> None:
    """Another device joins, and is restored from a backup."""
    folder.mkdir()
    with RunningServer(folder / "dayline.db") as phone:
        phone.create("aw-watcher-window_phone", client="aw-watcher-window", type="currentwindow", hostname="phone")
        assert phone.post("/api/1/sync/join", invited).status == 200
        phone.stop()
        backup = phone.database.read_bytes()
        phone.start()
        phone.post("/api/0/buckets/aw-watcher-window_phone/events", [window(50, 60, "Chat", "Lunch")])
        assert phone.post("/api/1/sync/run").status == 200
        phone.stop()
        phone.database.write_bytes(backup)
        phone.start()
        restored = Recording(phone, home=folder.parent)
        restored.send("recover_sync")
        (server,) = phone.get("/api/1/sync").json["report"]["devices"]
        restored.send("confirm_device", {"device": server["id"]})
        restored.send("adopt_device", {"device": server["id"]})
    recording.examples.update(restored.examples)


def _removed_device(recording: Recording, folder: Path) -> None:
    """The other device removes one that has left."""
    with RunningServer(folder / "dayline.db") as phone:
        device = phone.get("/api/1/sync").json["report"]["devices"][0]["id"]
        remaining = Recording(phone, home=folder.parent)
        remaining.send("remove_device", {"device": device})
    recording.examples.update(remaining.examples)


def _last(recording: Recording, server: RunningServer) -> None:
    send = recording.send
    undo = send("delete_bucket", {"bucket_id": DESKTOP})
    items = send("list_trash")
    send("restore_from_trash", {"undo_id": items[0]["id"]})
    del undo
    server.call("DELETE", f"/api/0/buckets/{WEB}")
    items = server.get("/api/1/trash").json
    send("undo_operation", {"undo_id": items[0]["id"]})
    span = {"start": "2026-02-03T09:00:00Z", "end": "2026-02-03T09:15:00Z"}
    server.post("/api/1/annotations", {"kind": "exclude", **span}, **{"Undo-Group": "a1"})
    send("undo_group", {"group": "a1"})
    server.call("DELETE", f"/api/0/buckets/{WEB}")
    send("remove_from_trash", {"undo_id": server.get("/api/1/trash").json[0]["id"]})


def bodies() -> list[str]:
    """Every call that answers with JSON, and every other form of its response, as the examples name them."""
    return [
        name
        for route in CALLS
        if route.answer is not None and route.name not in WITHOUT
        for name in (route.name, *(f"{route.name} {media}" for media in route.answer.renderings))
    ]


def _write() -> None:
    with tempfile.TemporaryDirectory() as folder, RunningServer(Path(folder) / "dayline.db") as server:
        examples = record(server)
    missing = sorted(set(bodies()) - set(examples))
    assert missing == [], missing
    RECORDED.write_bytes(msgspec.json.format(msgspec.json.encode(examples), indent=1) + b"\n")


if __name__ == "__main__":
    _write()
