"""Folders of commands are removed afterwards, and those of killed commands by a later one."""

import os
import time
from pathlib import Path

from dayline.config.data_folder import scratch_folder


def test_the_folder_is_removed_after_the_block(tmp_path: Path) -> None:
    with scratch_folder("dayline-look-", tmp_path) as folder:
        (folder / "copy.db").write_bytes(b"rows")

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_left_is_removed_after_a_day_and_no_other(tmp_path: Path) -> None:
    left, recent, other = (tmp_path / name for name in ("dayline-look-1", "dayline-look-2", "photos"))
    yesterday = time.time() - 90_000
    for folder, changed in ((left, yesterday), (recent, time.time()), (other, yesterday)):
        folder.mkdir()
        (folder / "copy.db").write_bytes(b"rows")
        os.utime(folder, (changed, changed))

    with scratch_folder("dayline-look-", tmp_path):
        pass

    assert sorted(tmp_path.iterdir()) == [recent, other]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "photo.jpg").write_bytes(b"pixels")
    os.utime(theirs, (0, 0))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "dayline-look-1").symlink_to(theirs)

    with scratch_folder("dayline-look-", scratch):
        pass

    assert (theirs / "photo.jpg").read_bytes() == b"pixels"
