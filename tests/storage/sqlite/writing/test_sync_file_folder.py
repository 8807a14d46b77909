"""Files of devices that sync, in the folder of the database."""

import os
from pathlib import Path

import pytest

from dayline.storage.engine.sync_files import SyncFile
from dayline.storage.sqlite.writing.sync_files import FolderFiles


def test_a_file_that_its_device_deletes_while_all_are_counted_has_no_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, pack = FolderFiles(tmp_path), SyncFile("aaaaaaaa", "b" * 32)
    files.put(SyncFile("aaaaaaaa", "head"), b"head")
    files.put(pack, b"pack")
    scandir, folders = os.scandir, list[str]()

    def deleting(folder: Path) -> list["os.DirEntry[str]"]:
        entries = list(scandir(folder))
        folders.append(folder.name)
        if folders.count("aaaaaaaa") == 2:  # after the devices are known
            files.delete(pack)
        return entries

    monkeypatch.setattr(os, "scandir", deleting)

    assert files.used_bytes() == 4
