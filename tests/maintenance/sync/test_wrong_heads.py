"""Heads that their device has signed, and that are wrong nevertheless."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from dayline.envelope.jwe import seal
from dayline.maintenance.sync import passes, pulling
from dayline.maintenance.sync.heads import Head, HeadBucket, read_head, write_head
from dayline.maintenance.sync.keys import SpaceKey, to_text
from dayline.maintenance.sync.state import SyncState, read_state
from tests.maintenance.sync.devices import SyncedDevice, event
from tests.maintenance.sync.test_faults import device_id, only, two_devices
from tests.support.storage.engines import Engines

Change = Callable[[HeadBucket], HeadBucket]


def state_of(device: SyncedDevice) -> SyncState:
    state = read_state(device.store.mirrors)
    assert state is not None
    return state


def next_head(device: SyncedDevice, folder: Path) -> Head:
    """What the device could publish next."""
    state = state_of(device)
    head = read_head((folder / state.device / "head").read_bytes(), state.space_keys, device=state.device)
    return structs.replace(head, number=head.number + 1, replaces=head.number, nonce="next")


def publish(device: SyncedDevice, folder: Path, change: Change) -> None:
    """Write a head in which the first bucket is changed."""
    state, head = state_of(device), next_head(device, folder)
    first, *others = head.buckets
    file = write_head(structs.replace(head, buckets=[change(first), *others]), state.space_key, state.signing_key)
    (folder / state.device / "head").write_bytes(file)


def renamed_span(old: str, new: str) -> Change:
    def change(bucket: HeadBucket) -> HeadBucket:
        spans = {new if span == old else span: digest for span, digest in bucket.spans.items()}
        return structs.replace(bucket, spans=spans)

    return change


def with_null(bucket: HeadBucket) -> HeadBucket:
    return structs.replace(bucket, hostname="a\0b")


def as_annotations(bucket: HeadBucket) -> HeadBucket:
    return structs.replace(bucket, type="dayline.annotation")


def with_unknown_key(bucket: HeadBucket) -> HeadBucket:
    return structs.replace(bucket, former={"k7f3q2ab": ["2025-11"]})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (with_unknown_key, "the former keys of"),
        (renamed_span("2025-11", "2025-11-02"), "are not those of the time of its head"),
        (renamed_span("2025-11", "٢٠٢٥-11"), "are not those of the time of its head"),
        (with_null, "NUL"),
        (as_annotations, "annotations"),
    ],
    ids=["former", "span", "digits", "NUL", "annotations"],
)
def test_a_wrong_head_is_rejected_and_changes_nothing(
    files: Engines, tmp_path: Path, change: Change, reason: str
) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            before = desktop.events(desktop.mirrors[0])
            publish(laptop, tmp_path, change)

            report = only(await desktop.sync.run())

            assert report.state == "rejected"
            assert reason in report.text
            assert desktop.events(desktop.mirrors[0]) == before

    asyncio.run(run())


def test_a_head_that_another_device_of_the_space_has_signed_is_rejected(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            before, state = desktop.events(desktop.mirrors[0]), state_of(laptop)
            head = structs.replace(next_head(laptop, tmp_path), buckets=[])
            file = write_head(head, state.space_key, state_of(desktop).signing_key)
            (tmp_path / state.device / "head").write_bytes(file)

            report = only(await desktop.sync.run())

            assert (report.state, report.text) == ("rejected", "the signature of its head is invalid")
            assert desktop.events(desktop.mirrors[0]) == before

    asyncio.run(run())


def test_a_head_that_is_nested_deeply_is_rejected(files: Engines, tmp_path: Path) -> None:
    from joserfc import jws
    from joserfc.jwk import OKPKey

    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            key, space = state_of(laptop).signing_key, state_of(laptop).space_key
            private = OKPKey.import_key(
                {"kty": "OKP", "crv": "Ed25519", "x": to_text(key.public), "d": to_text(key.secret)}
            )
            start, end = msgspec.json.encode(next_head(laptop, tmp_path)).split(b'"data":{}', 1)
            text = start + b'"data":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + end
            signed = jws.serialize_compact({"alg": "Ed25519"}, text, private, algorithms=["Ed25519"])
            file = seal(signed.encode("ascii"), space.for_heads, kid=str(space.generation))
            (tmp_path / await device_id(laptop) / "head").write_bytes(file)

            report = only(await desktop.sync.run())

            assert report.state == "rejected"
            assert "nested deeper" in report.text

    asyncio.run(run())


def test_a_device_with_many_buckets_is_read(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            for number in range(120):
                await laptop.add(f"window-{number}-{'x' * 450}", hostname="h" * 500)
            state = state_of(laptop)
            for _ in range(2):
                report = await laptop.sync.run()
                assert report.stopped is None
                assert report.warnings == []
            assert (tmp_path / state.device / "head").stat().st_size > 150_000

            assert only(await desktop.sync.run()).state == "identical"
            assert len(desktop.mirrors) == 121

    asyncio.run(run())


def test_a_bucket_that_others_would_reject_is_named_and_its_head_not_written(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            file = tmp_path / await device_id(laptop) / "head"
            before = file.read_bytes()
            await laptop.add("long" * 127, event("2026-03-18T15:20:00Z"))

            report = await laptop.sync.run()

            assert report.stopped is not None
            assert "the id of bucket longlong" in report.stopped
            assert only(report).state == "identical"
            assert file.read_bytes() == before
            assert only(await desktop.sync.run()).state == "identical"

            await laptop.store.moves.rename("long" * 127, "short", keeps_alias=False)
            assert (await laptop.sync.run()).stopped is None
            assert only(await desktop.sync.run()).state == "identical"

    asyncio.run(run())


def test_a_mirror_that_differs_from_its_head_is_never_identical(files: Engines, tmp_path: Path) -> None:
    def two_spans(bucket: HeadBucket) -> HeadBucket:
        """The same event in two spans: it cannot be in both."""
        (digest,) = (bucket.spans[span] for span in bucket.spans if "T" in span)
        return structs.replace(bucket, spans=bucket.spans | {"2026-03-18T14": digest})

    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            publish(laptop, tmp_path, two_spans)
            report = only(await desktop.sync.run())
            assert report.state == "waiting"
            assert "do not fit together" in report.text

            await laptop.add("window", event("2026-03-18T15:20:00Z", title="new"))
            state = state_of(laptop)
            (tmp_path / state.device / "head").unlink()  # as if it had never been written
            await laptop.sync.run()

            assert only(await desktop.sync.run()).state == "identical"
            assert desktop.events(desktop.mirrors[0]) == laptop.events("window")

    asyncio.run(run())


def test_heads_are_read_on_threads(files: Engines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[threading.Thread] = set()

    def noted(file: bytes, keys: Sequence[SpaceKey], *, device: str) -> Head:
        threads.add(threading.current_thread())
        return read_head(file, keys, device=device)

    async def run() -> None:
        async with two_devices(files, tmp_path) as (_, desktop):
            for module in (passes, pulling):
                monkeypatch.setattr(module, "read_head", noted)
            await desktop.sync.run()

    asyncio.run(run())
    assert threads
    assert threading.main_thread() not in threads
