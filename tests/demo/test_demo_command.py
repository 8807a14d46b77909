"""`dayline demo`: into an empty or a separate database, and away again."""

import os
import re
import shlex
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from dayline.access.tls import certificate_fingerprint
from dayline.demo.export import demo_classes
from tests.support.calls.certificates import make_certificates
from tests.support.processes.command import COMMAND, Service, environment, run
from tests.support.server import RunningServer, free_port
from tests.support.waiting import PATIENCE_S, eventually


def demo(server: RunningServer, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run("demo", "--days", "1", *arguments, "--database", str(server.database), home=server.database.parent)


def buckets(server: RunningServer) -> dict[str, Any]:
    found: dict[str, Any] = server.get("/api/0/buckets/").json
    return found


def test_an_empty_server_gets_activity_up_to_now_and_categories(server: RunningServer) -> None:
    done = demo(server)

    assert done.returncode == 0, done.stderr
    assert "dayline open" in done.stderr
    assert len(buckets(server)) == 9
    assert server.get("/api/0/settings/classes").json == demo_classes()
    ends = [datetime.fromisoformat(bucket["metadata"]["end"]) for bucket in buckets(server).values()
            if bucket["metadata"]["end"]]  # fmt: skip
    assert all(end <= datetime.now(UTC) for end in ends)


def test_nothing_looks_wrong_in_invented_activity(server: RunningServer) -> None:
    demo(server, "--days", "14")

    found = server.get("/api/1/doctor").json

    assert found["events"] > 10_000
    assert (found["findings"], found["renamed_hosts"]) == ([], [])


def test_beside_what_was_recorded_it_goes_when_forced_only_and_is_removed_to_the_trash(server: RunningServer) -> None:
    server.create("my-own")
    refused = demo(server)
    demo(server, "--force")

    removed = demo(server, "--remove")
    again = demo(server, "--remove")

    assert (refused.returncode, "--database demo.db" in refused.stderr) == (65, True)
    assert removed.returncode == 0, removed.stderr
    assert list(buckets(server)) == ["my-own"]
    assert server.get("/api/0/settings/classes").json is None
    [operation] = server.get("/api/1/trash").json
    assert f"dayline undo {operation['id']} --database" in removed.stderr
    assert (again.returncode, "there is no demo data" in again.stderr) == (66, True)


def test_what_was_recorded_is_not_mixed_with_it(server: RunningServer) -> None:
    server.create("aw-watcher-window_laptop")

    refused, by_address = demo(server), demo(server, "--to", server.url)
    forced = demo(server, "--force")

    assert refused.returncode == by_address.returncode == forced.returncode == 65
    assert "has a recorded bucket 'aw-watcher-window_laptop'" in refused.stderr
    assert "--serve" in refused.stderr
    assert list(buckets(server)) == ["aw-watcher-window_laptop"]


def test_a_server_by_its_address_gets_it_too_and_categories_of_ones_own_stay(server: RunningServer) -> None:
    mine = [{"id": 0, "name": ["Mine"], "rule": {"type": "none"}}]
    server.post("/api/0/settings/classes", mine)

    done = demo(server, "--to", server.url)
    there = len(buckets(server))
    removed = demo(server, "--remove", "--to", server.url)

    assert done.returncode == removed.returncode == 0, done.stderr + removed.stderr
    assert (there, len(buckets(server))) == (9, 0)
    assert server.get("/api/0/settings/classes").json == mine


def test_a_key_is_not_sent_in_the_clear_to_another_machine(tmp_path: Path) -> None:
    key = tmp_path / "owner.key"
    key.write_text(f"dayline_k3f5a2bq_{'s' * 43}\n")

    done = run("demo", "--days", "1", "--to", "http://192.0.2.1:5600", "--key-file", str(key), home=tmp_path)

    assert done.returncode == 65
    assert "refusing to send the key to http://192.0.2.1:5600 without TLS" in done.stderr
    assert "https://" in done.stderr


def test_a_server_with_tls_gets_it_with_the_key(tmp_path: Path) -> None:
    made = make_certificates(tmp_path)
    tls = ("--tls-cert", str(made.certificate), "--tls-key", str(made.key))
    key = tmp_path / "owner.key"
    database = ("--database", str(tmp_path / "days.db"))
    run("keys", "create", "--name", "owner", "--scope", "full", "--output", str(key), *database, home=tmp_path)
    to = ("--key-file", str(key), "--ca-file", str(made.authority), "--to")

    with Service(*database, *tls, "--port", "0", "--require-keys", home=tmp_path) as service:
        url = f"https://127.0.0.1:{service.port}"
        done = run("demo", "--days", "1", *to, url, home=tmp_path)
        untrusted = run("demo", "--days", "1", "--to", url, "--key-file", str(key), home=tmp_path)
        pinned = ("--fingerprint", certificate_fingerprint(made.certificate.read_text()))
        removed = run("demo", "--remove", "--to", url, "--key-file", str(key), *pinned, home=tmp_path)

    assert done.returncode == 0, done.stderr
    assert f"9 buckets are now at {url}" in done.stderr
    assert (untrusted.returncode, "is not trusted" in untrusted.stderr) == (75, True)
    assert removed.returncode == 0, removed.stderr


def test_a_server_that_is_not_there_or_none_of_ours_is_reported(tmp_path: Path) -> None:
    gone = run("demo", "--days", "1", "--to", f"http://127.0.0.1:{free_port()}", home=tmp_path)
    nonsense = run("demo", "--days", "1", "--to", "localhost:5600", home=tmp_path)

    assert (gone.returncode, nonsense.returncode) == (75, 65)
    assert "Traceback" not in gone.stderr + nonsense.stderr


def test_a_file_of_its_own_is_served_by_the_command_that_it_prints(tmp_path: Path) -> None:
    database = tmp_path / "my demo.db"
    port = str(free_port())

    done = run("demo", "--days", "1", "--database", str(database), "--port", port, home=tmp_path)
    [line] = re.findall(r"^  (dayline serve .*?)     serves it$", done.stderr, re.MULTILINE)

    assert shlex.split(line) == ["dayline", "serve", "--database", str(database), "--port", port]
    with Service(*shlex.split(line)[2:], home=tmp_path) as service:
        assert str(service.port) == port


def test_it_can_be_served_at_once_apart_from_ones_own_data(tmp_path: Path) -> None:
    port = free_port()
    process = subprocess.Popen(
        [*COMMAND, "demo", "--days", "1", "--serve", "--port", str(port)],
        env=environment(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    other = RunningServer(tmp_path / "unused.db", port=port)  # for its calls alone
    try:
        eventually(lambda: _count(other) == 9)
    finally:
        process.terminate()

    assert process.wait(PATIENCE_S) == 0
    assert [path.name for path in (tmp_path / ".local" / "share" / "dayline").glob("*.db")] == ["demo.db"]


def _count(server: RunningServer) -> int:
    try:
        return len(buckets(server))
    except OSError:
        return 0


def test_a_document_has_its_name_only_when_it_is_complete(tmp_path: Path) -> None:
    there = tmp_path / "demo.json"
    there.write_text("what was there")
    process = subprocess.Popen(
        [*COMMAND, "demo", "--days", "4000", "--output", str(there), "--force"], env=environment(tmp_path),
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    eventually(lambda: any(each.stat().st_size > 0 for each in tmp_path.glob("demo.json.*.unfinished")))
    process.kill()
    process.wait()

    kept = there.read_text()
    done = run("demo", "--days", "1", "--output", str(there), "--force", home=tmp_path)

    assert kept == "what was there"
    assert done.returncode == 0
    assert there.stat().st_size > 1000
    assert stat.S_IMODE(there.stat().st_mode) == 0o600


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "America/Los_Angeles"])
def test_the_last_day_is_today_where_the_machine_is(zone: str) -> None:
    program = (
        "from dayline.cli.data.demo import _history; "
        "h = _history(seed=7, days=2, devices=1, end=None); print(h.zone, h.end)"
    )
    before = datetime.now(ZoneInfo(zone)).date()

    printed = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "TZ": zone}, capture_output=True, text=True, check=True
    )

    name, day = printed.stdout.split()
    assert name == zone
    assert day in (str(before), str(before + timedelta(days=1)))
