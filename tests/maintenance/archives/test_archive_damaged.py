"""Archives that are not what was written: each is recognized, and nothing is made of it."""

import re
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec
import pytest
import zstandard

from dayline.model.errors import Invalid
from tests.support.maintenance.backups import events_in, filled
from tests.support.maintenance.documents import EXAMPLE, PAGE, archived, example, lines, packed, raw_lines, restored

CUTS: Final = 12


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of some hundred events."""
    folder = tmp_path_factory.mktemp("good")
    filled(folder / "days.db", *(f"app {number}" for number in range(300)))
    archived(folder / "days.db", folder / "days.zst")
    return folder / "days.zst"


def sealed(target: Path, *content: bytes) -> Path:
    """An archive of these lines, with a trailer that fits them."""
    counts: dict[str, int] = {}
    for line in content[1:]:
        kind = msgspec.json.decode(line)["kind"]
        counts[kind] = counts.get(kind, 0) + 1
    checksum = blake2b(b"".join(content), digest_size=32).hexdigest()
    trailer = {"kind": "trailer", "counts": counts, "checksum": checksum}
    return packed(target, *content, msgspec.json.encode(trailer) + b"\n")


def refusal(archive: Path, database: Path) -> str:
    """Why it is not restored; nothing is made of it."""
    with pytest.raises(Invalid) as refused:
        restored(archive, database)
    assert sorted(path.name for path in database.parent.glob(f"{database.name}*")) == [f"{database.name}.lock"]
    return refused.value.message


def test_the_documented_archive_is_one_and_is_written_again_as_it_is(tmp_path: Path) -> None:
    restored(packed(tmp_path / "shown.zst", EXAMPLE.encode()), tmp_path / "days.db")
    archived(tmp_path / "days.db", tmp_path / "again.zst")

    assert raw_lines(tmp_path / "again.zst")[1:-1] == example()[1:-1]
    assert lines(tmp_path / "again.zst")[-1]["counts"] == msgspec.json.decode(example()[-1])["counts"]


def test_the_documented_archive_shows_every_kind_and_every_field() -> None:
    shown = {line["kind"]: set(line) - {"kind"} for line in map(msgspec.json.decode, example())}

    for kind, fields in shown.items():
        [row] = re.findall(rf"^\| `{kind}` \| (.*) \|$", PAGE, re.M)
        assert set(re.findall(r"`(\w+)`", row)) >= fields


@pytest.mark.parametrize("part", range(CUTS))
def test_a_file_that_is_cut_off_anywhere_is_refused(good: Path, tmp_path: Path, part: int) -> None:
    content = good.read_bytes()
    cut = tmp_path / "cut.zst"
    cut.write_bytes(content[: len(content) * part // CUTS])

    assert refusal(cut, tmp_path / "days.db")


@pytest.mark.parametrize("dropped", [1, 2, 150])
def test_a_file_that_lost_its_last_lines_is_refused(good: Path, tmp_path: Path, dropped: int) -> None:
    cut = packed(tmp_path / "cut.zst", *raw_lines(good)[:-dropped])

    assert refusal(cut, tmp_path / "days.db").endswith("the archive is truncated: it has no trailer")


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
def test_a_flipped_bit_is_found(good: Path, tmp_path: Path, place: float) -> None:
    content = bytearray(good.read_bytes())
    content[round(len(content) * place)] ^= 1
    (tmp_path / "flipped.zst").write_bytes(content)

    assert refusal(tmp_path / "flipped.zst", tmp_path / "days.db")


def test_a_changed_line_is_found_by_the_checksum(good: Path, tmp_path: Path) -> None:
    changed = [line.replace(b"app 77", b"app 78") for line in raw_lines(good)]

    reported = refusal(packed(tmp_path / "changed.zst", *changed), tmp_path / "days.db")

    assert reported == f"changed.zst: line {len(changed)}: wrong checksum: the archive was modified"


def test_counts_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    content = [*example()[:-1], example()[-1].replace(b'"event":2', b'"event":3')]

    assert "the trailer counts" in refusal(packed(tmp_path / "counted.zst", *content), tmp_path / "days.db")


def test_lines_after_the_trailer_are_refused(tmp_path: Path) -> None:
    content = [*example(), example()[1]]

    assert "there is data after the trailer" in refusal(packed(tmp_path / "more.zst", *content), tmp_path / "days.db")


def test_a_newer_version_of_the_format_is_refused_by_name(tmp_path: Path) -> None:
    content = [example()[0].replace(b'"version":1', b'"version":2'), *example()[1:]]

    reported = refusal(packed(tmp_path / "newer.zst", *content), tmp_path / "days.db")

    assert reported == "newer.zst: archive format version 2 is not supported (supported: 1)"


@pytest.mark.parametrize(
    "content", [b"", b"plain text", zstandard.ZstdCompressor().compress(b"plain text\n"), b'{"kind":"header"}\n']
)
def test_any_other_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other").write_bytes(content)

    assert refusal(tmp_path / "other", tmp_path / "days.db")


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        (
            b'{"kind":"event","bucket":"x","id":3,"timestamp":"2026-02-03T08:15:31Z","duration":1,"data":{}}',
            "no bucket",
        ),
        (
            b'{"kind":"event","bucket":"B","id":2,"timestamp":"2026-02-03T08:15:31Z","duration":1,"data":{}}',
            "two events",
        ),
        (
            b'{"kind":"event","bucket":"B","id":0,"timestamp":"2026-02-03T08:15:31Z","duration":1,"data":{}}',
            "not a valid event id",
        ),
        (b'{"kind":"event","bucket":"B","id":3,"timestamp":"soon","duration":1,"data":{}}', "is not a time like"),
        (b'{"kind":"event","bucket":"B","id":3,"timestamp":"2262-02-03T08:15:31Z","duration":1,"data":{}}', "outside"),
        (
            b'{"kind":"event","bucket":"B","id":3,"timestamp":"2026-02-03T08:15:31Z","duration":1e99,"data":{}}',
            "too long",
        ),
        (
            b'{"kind":"event","bucket":"B","id":3,"timestamp":"2026-02-03T08:15:31Z","duration":1,"data":[]}',
            "an object",
        ),
        (b'{"kind":"alias","id":"old","bucket":"x","made":"2026-02-03T08:15:31Z"}', "no bucket named 'x'"),
        (b'{"kind":"setting","own":false,"key":"startOfDay","value":1}', "two settings have the key 'startOfDay'"),
        (b'{"kind":"goal"}', "goal"),
    ],
)
def test_a_line_that_cannot_be_stored_is_named(tmp_path: Path, line: bytes, reported: str) -> None:
    line = line.replace(b'"B"', b'"aw-watcher-window_laptop"') + b"\n"

    message = refusal(sealed(tmp_path / "wrong.zst", *example()[:-1], line), tmp_path / "days.db")

    assert message.startswith("wrong.zst: line 1")
    assert reported in message


def test_an_archive_that_was_packed_again_in_several_frames_is_restored(good: Path, tmp_path: Path) -> None:
    content = raw_lines(good)
    frames = [packed(tmp_path / "frame", *content[first : first + 50]).read_bytes() for first in range(0, 400, 50)]
    (tmp_path / "again.zst").write_bytes(b"".join(frames))

    restored(tmp_path / "again.zst", tmp_path / "days.db")

    assert len(events_in(tmp_path / "days.db")) == 300
