"""Files of several people in one database, and out of it again: each keeps what was in their file, and their keys."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.keyed_server import KeyedServer
from tests.support.postgres.cluster import cluster
from tests.support.postgres.servers import Person, SharedServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.long

QUERY = {"query": ['RETURN = query_bucket("window");'], "timeperiods": ["2026-02-01T00:00:00Z/2026-03-01T00:00:00Z"]}


def run(*arguments: str, home: Path, database: str = "") -> "subprocess.CompletedProcess[str]":
    """A command of ours, as it is typed."""
    done = subprocess.run(
        [sys.executable, "-m", "dayline", *arguments],
        env={**os.environ, "HOME": str(home), "DAYLINE_DATABASE": database},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def copy(source: str | Path, target: str | Path, *flags: str, home: Path) -> "subprocess.CompletedProcess[str]":
    return run("database", "copy", "--from", str(source), "--to", str(target), *flags, home=home)


def beat(server: KeyedServer, key: str, second: int, title: str) -> None:
    event = {"timestamp": f"2026-02-03T08:00:{second:02}Z", "data": {"title": title}}
    assert server.with_key(key, "POST", "/api/0/buckets/window/heartbeat?pulsetime=1", event).status == 200


def titles(server: KeyedServer, key: str) -> list[str]:
    """As rows and as a query has them."""
    events = server.with_key(key, "GET", "/api/0/buckets/window/events").json
    [found] = server.with_key(key, "POST", "/api/0/query/", QUERY).json
    assert sorted(each["id"] for each in found) == sorted(each["id"] for each in events)
    return sorted(str(each["data"]["title"]) for each in events)


def made_file(folder: Path, name: str) -> tuple[Path, str]:
    """A file with a bucket, two events, a setting, and a key to it."""
    with KeyedServer(folder / f"{name}.db") as server:
        key = server.key("full", name=f"key of {name}")
        server.create("window")
        for second, title in ((1, f"one of {name}"), (5, f"two of {name}")):
            beat(server, key, second, title)
        assert server.with_key(key, "POST", "/api/0/settings/theme", name).status == 201
    return folder / f"{name}.db", key


@pytest.fixture
def copied(address: str, tmp_path: Path) -> dict[str, tuple[Path, str]]:
    """Files with the same numbers in them, in one database: that of its owner, and Anna's."""
    files = {name: made_file(tmp_path, name) for name in ("owner", "anna")}
    for name, flags in (("owner", ()), ("anna", ("--tenant", "anna"))):
        done = copy(files[name][0], address, *flags, home=tmp_path)
        assert done.returncode == 0, done.stderr
    return files


def test_what_was_in_a_file_is_its_persons_and_so_is_the_key(
    address: str, copied: dict[str, tuple[Path, str]], tmp_path: Path
) -> None:
    keys = {name: key for name, (_, key) in copied.items()}
    with SharedServer(address, tmp_path / "home") as server:
        for name, key in keys.items():
            assert titles(server, key) == [f"one of {name}", f"two of {name}"]
            # The same buckets by number, and the same texts: one tenant's may not be taken for another's.
            beat(server, key, 6, "of both")
            beat(server, key, 9, f"three of {name}")
            assert titles(server, key) == ["of both", f"one of {name}", f"three of {name}", f"two of {name}"]
            assert server.with_key(key, "GET", "/api/0/settings/theme").json == name
        assert server.with_key(keys["anna"], "GET", "/api/0/log").status == 403
        assert [key["name"] for key in server.with_key(keys["anna"], "GET", "/api/1/keys").json] == ["key of anna"]

    back = copy(address, tmp_path / "back.db", "--tenant", "anna", home=tmp_path)
    assert back.returncode == 0, back.stderr
    assert "not copied: the data of the unnamed tenant" in back.stdout
    assert "Copied the tenant anna: source and target are equal." in back.stderr
    assert "Everything" not in back.stderr
    with KeyedServer(tmp_path / "back.db") as server:
        assert titles(server, keys["anna"]) == ["of both", "one of anna", "three of anna", "two of anna"]
        assert server.with_key(keys["owner"], "GET", "/api/0/buckets/").status == 401


def test_the_same_file_is_not_copied_for_two(address: str, copied: dict[str, tuple[Path, str]], tmp_path: Path) -> None:
    def refused(name: str) -> str:
        done = copy(copied["anna"][0], address, "--tenant", name, home=tmp_path)
        assert done.returncode
        return done.stderr

    assert "is not empty" in refused("anna")
    assert "already has the same keys" in refused("bert")
    assert "is not the name of a tenant" in refused("Bert")


def test_a_command_makes_a_key_for_a_person_and_lists_it(address: str, tmp_path: Path) -> None:
    make = ("keys", "create", "--scope", "full", "--name")
    made = run(*make, "k", "--tenant", "anna", home=tmp_path, database=address)
    other = run(*make, "own", home=tmp_path, database=address)
    listed = run("keys", "list", home=tmp_path, database=address)

    assert (made.returncode, other.returncode) == (0, 0), made.stderr
    assert "all buckets of anna" in made.stderr
    assert [line.split()[1:3] for line in listed.stdout.splitlines()[-2:]] == [["k", "anna"], ["own", "-"]]
    assert "other tenants with keys: anna" in run("database", "status", home=tmp_path, database=address).stdout


def test_a_tenant_whose_data_is_not_open_waits_for_an_unreachable_database(tmp_path: Path) -> None:
    with cluster() as own, SharedServer(own.address(), tmp_path / "home") as server:
        ann = Person(server)
        own.kill()
        away = ann.call("GET", "/api/0/buckets/")
        own.start()

        assert (away.status, "retry-after" in away.headers) == (503, True)
        eventually(lambda: ann.call("GET", "/api/0/buckets/").status == 200)
        assert all(line["status"] < 500 for line in server.as_owner("GET", "/api/1/audit").json["lines"])
