"""A large document is decoded in a second process: with the same result, and never with half of one."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dayline.runtime.encrypted_file import DatabaseKey
from dayline.runtime.encryption import set_key
from dayline.runtime.spool import create_spool
from dayline.runtime.sqlite_file import connect
from dayline.storage.operations.children import child_command
from dayline.storage.transfer import document_reader, staging_worker
from dayline.storage.transfer.staging import StagingResult, StagingRules
from dayline.storage.transfer.staging_worker import stage

HEAD = {"type": "t", "client": "c", "hostname": "h"}
EVENTS: list[Any] = [
    {
        "timestamp": f"2026-01-01T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}Z",
        "duration": n / 7,
        "data": {"n": n % 900},
    }
    for n in range(20_000)
]
UNUSABLE: list[Any] = [
    {"timestamp": "2026-02-31T00:00:00Z", "data": {"of": "no day"}},
    {"timestamp": "2026-02-01T00:00:00Z", "duration": "long"},
    {"timestamp": "2026-02-01T00:00:00Z", "data": [1]},
]
DOCUMENT = msgspec.json.encode(
    {
        "buckets": {
            "one": {**HEAD, "events": EVENTS + UNUSABLE},
            "two": {**HEAD, "data": {"large": 2**63, "small": -(2**63)}, "events": EVENTS[::-1]},
            "empty": HEAD,
        }
    }
)

KILLED_AFTER_A_BUCKET = """
import os, signal, sys
from pathlib import Path
from dayline.runtime.framing import frame
from dayline.storage.transfer.document_reader import BucketEnd, read_document

def send(content):
    sys.stdout.buffer.write(frame(content))
    sys.stdout.flush()
    if isinstance(content, BucketEnd):
        os.kill(os.getpid(), signal.SIGKILL)

read_document(Path(sys.argv[1]), send)
"""


@pytest.fixture(autouse=True)
def in_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging_worker, "_LARGE_BYTES", 0)


@pytest.fixture
def keyed() -> Generator[None]:
    set_key(DatabaseKey(bytes(range(32))))
    yield
    set_key(None)


def replace_reader(monkeypatch: pytest.MonkeyPatch, *program: str) -> None:
    """Run this program instead of the one that reads the document."""

    def command(*_: object) -> list[str]:
        return [sys.executable, "-c", *program]

    monkeypatch.setattr(document_reader, "child_command", command)


def staged(folder: Path, content: bytes) -> tuple[StagingResult, list[Any]]:
    """The result, and the rows of the file if there is one."""
    folder.mkdir()
    document, path = folder / "0.json", folder / "staged.db"
    with create_spool(document) as file:
        file.write(content)
    result = stage(path, [document, document], StagingRules())
    if result.staged is None:
        return result, []
    with closing(connect(path)) as db:
        query = "SELECT row.number, start, duration, json FROM row JOIN value ON value.number = row.value ORDER BY 1"
        return result, db.execute(query).fetchall()


def test_the_result_is_that_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apart = staged(tmp_path / "apart", DOCUMENT)
    monkeypatch.setattr(staging_worker, "_LARGE_BYTES", len(DOCUMENT))
    together = staged(tmp_path / "together", DOCUMENT)

    assert apart[0].staged is not None
    assert [(bucket.events, bucket.invalid) for bucket in apart[0].staged.buckets[:3]] == [
        (20_000, 3),
        (20_000, 0),
        (0, 0),
    ]
    assert apart == together


@pytest.mark.usefixtures("keyed")
def test_an_encrypted_document_is_read_with_the_key_of_the_process(tmp_path: Path) -> None:
    result, rows = staged(tmp_path / "keyed", DOCUMENT)

    assert result.refusal is None
    assert len(rows) == 80_000
    assert b"2026-01-01" not in (tmp_path / "keyed" / "0.json").read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        DOCUMENT + b"x",
        DOCUMENT[:-1],
        DOCUMENT[: len(DOCUMENT) // 2],
        DOCUMENT.replace(b'"two":{"type":"t"', b'"two":{"type":5'),
        b'{"buckets":{"one":{"type":"t","client":"c","hostname":"h","events":5}}}',
        b"",
    ],
)
def test_a_document_is_rejected_with_the_error_of_one_process(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart, _ = staged(tmp_path / "apart", content)
    monkeypatch.setattr(staging_worker, "_LARGE_BYTES", 1 << 30)
    together, _ = staged(tmp_path / "together", content)

    assert apart.refusal is not None
    assert apart == together


def test_a_process_that_ends_early_stages_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_reader(monkeypatch, "pass")

    with pytest.raises(SystemExit):
        staged(tmp_path / "silent", DOCUMENT)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
def test_a_process_that_is_killed_in_the_middle_stages_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_reader(monkeypatch, KILLED_AFTER_A_BUCKET, str(tmp_path / "killed" / "0.json"))

    with pytest.raises(SystemExit, match="was ended by signal 9"):
        staged(tmp_path / "killed", DOCUMENT)


def test_the_process_ends_without_an_error_of_its_own_if_its_reader_is_gone(tmp_path: Path) -> None:
    document = tmp_path / "0.json"
    document.write_bytes(DOCUMENT)
    command = child_command("dayline.storage.transfer.document_reader", document)

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, complaint = process.communicate()

    assert (process.returncode, complaint) == (1, b"")
