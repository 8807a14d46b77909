"""The demo as an export document: valid, the same bytes for the same seed, and written in bounded memory."""

import hashlib
import os
import subprocess
import sys
import tracemalloc
from datetime import date, datetime
from io import BytesIO
from typing import Any

import msgspec
import pytest

from dayline.demo.export import write_export
from dayline.demo.history import History
from dayline.demo.routine import EPOCH, MICROSECOND

END = date(2026, 3, 31)

PRINT_DIGEST = """
import hashlib, io
from datetime import date
from dayline.demo.export import write_export
from dayline.demo.history import History
file = io.BytesIO()
write_export(History(seed=7, days=1, devices=3, end=date(2026, 3, 31)).buckets(), file)
print(hashlib.sha256(file.getvalue()).hexdigest())
"""


def export(*, seed: int = 7, days: int = 1, devices: int = 3) -> bytes:
    file = BytesIO()
    write_export(History(seed=seed, days=days, devices=devices, end=END).buckets(), file)
    return file.getvalue()


class NullFile(BytesIO):
    """Counts what is written and keeps nothing."""

    size = 0

    def write(self, data: Any, /) -> int:
        self.size += len(data)
        return len(data)


def test_same_seed_gives_the_same_bytes() -> None:
    assert export() == export()


def test_other_seed_gives_other_bytes() -> None:
    assert export(seed=7) != export(seed=8)


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_bytes_do_not_depend_on_the_hash_seed(hash_seed: str) -> None:
    command = [sys.executable, "-c", PRINT_DIGEST]
    printed = subprocess.run(
        command, env={**os.environ, "PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True
    )

    assert printed.stdout.strip() == hashlib.sha256(export()).hexdigest()


def test_document_holds_every_bucket_with_its_events() -> None:
    history = History(seed=7, days=1, devices=3, end=END)

    document = msgspec.json.decode(export(), type=dict[str, dict[str, dict[str, Any]]])

    assert {bucket.id: len(list(bucket.events())) for bucket in history.buckets()} == {
        bucket_id: len(bucket["events"]) for bucket_id, bucket in document["buckets"].items()
    }


def test_times_and_durations_survive_the_document() -> None:
    bucket = next(History(seed=7, days=1, devices=1, end=END).buckets())
    first = next(bucket.events())

    document = msgspec.json.decode(export(devices=1), type=dict[str, dict[str, dict[str, Any]]])

    written = document["buckets"][bucket.id]["events"][0]
    assert (datetime.fromisoformat(written["timestamp"]) - EPOCH) // MICROSECOND == first.start
    assert round(written["duration"] * 1_000_000) == first.duration
    assert written["data"] == first.data


def test_number_of_events_is_returned() -> None:
    history = History(seed=7, days=1, devices=1, end=END)

    count = write_export(history.buckets(), BytesIO())

    assert count == sum(len(list(bucket.events())) for bucket in history.buckets())


def test_memory_does_not_grow_with_the_number_of_days() -> None:
    few, many = peak_memory(days=1), peak_memory(days=3)

    assert many < few + 300_000


def peak_memory(*, days: int) -> int:
    """The most bytes that Python held at once while writing."""
    tracemalloc.start()
    try:
        write_export(History(seed=7, days=days, devices=1, end=END).buckets(), NullFile())
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
