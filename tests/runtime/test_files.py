"""A file appears under its name as a whole or not at all, and no one else chooses where it is written to."""

import os
import stat
from pathlib import Path

import pytest

from dayline.runtime.files import atomic_write


def unfinished(folder: Path) -> list[Path]:
    return list(folder.glob("*.unfinished"))


def test_a_file_has_its_name_when_the_block_ends_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "days.json"

    with atomic_write(path) as file:
        file.write(b"[]")
        assert not path.exists()

    assert path.read_bytes() == b"[]"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert unfinished(tmp_path) == []


@pytest.mark.parametrize("must_be_new", [True, False])
def test_a_block_that_fails_leaves_what_was_there(tmp_path: Path, must_be_new: bool) -> None:
    path = tmp_path / "days.json"
    path.write_text("before")

    with pytest.raises(ZeroDivisionError), atomic_write(path, must_be_new=must_be_new) as file:
        file.write(b"[" * (1 // 0))

    assert path.read_text() == "before"
    assert unfinished(tmp_path) == []


def test_a_new_file_never_replaces_one_that_appeared_while_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "days.zst"

    with pytest.raises(FileExistsError), atomic_write(path, must_be_new=True) as file:
        file.write(path.write_text("of another user").to_bytes())

    assert path.read_text() == "of another user"
    assert unfinished(tmp_path) == []


def test_a_new_file_is_put_in_place_on_a_file_system_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "days.zst"

    with atomic_write(path, must_be_new=True) as file:
        file.write(b"new")

    assert path.read_bytes() == b"new"
    assert unfinished(tmp_path) == []


def test_a_link_at_the_target_is_replaced_and_not_followed(tmp_path: Path) -> None:
    elsewhere, path = tmp_path / "elsewhere", tmp_path / "days.json"
    elsewhere.write_text("of another user")
    path.symlink_to(elsewhere)

    with atomic_write(path) as file:
        file.write(b"[]")

    assert elsewhere.read_text() == "of another user"
    assert path.read_bytes() == b"[]"


def test_a_temporary_name_that_is_taken_is_not_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def known(_: int) -> str:
        return "known"

    monkeypatch.setattr("secrets.token_hex", known)
    elsewhere, path = tmp_path / "elsewhere", tmp_path / "days.json"
    elsewhere.write_text("of another user")
    (tmp_path / "days.json.known.unfinished").symlink_to(elsewhere)

    with pytest.raises(FileExistsError), atomic_write(path):
        pytest.fail("it was opened")

    assert elsewhere.read_text() == "of another user"
