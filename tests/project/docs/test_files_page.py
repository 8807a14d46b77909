"""The program in docs/reference/files.md decrypts a backup without Dayline."""

import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import zstandard

from dayline.config.data_folder import DataFile, data_file
from dayline.storage.sqlite.backup.encryption import KeyFile, PassphraseFile, Secret, make_key_file
from dayline.storage.sqlite.backup.snapshot import open_unchanging
from tests.support.maintenance.backups import filled, packed
from tests.support.project.files import ROOT
from tests.support.waiting import PATIENCE_S

PAGE = ROOT / "docs" / "reference" / "files.md"


def listed_files() -> set[str]:
    """The names in the table of the data folder."""
    table = PAGE.read_text("utf-8").partition("## Files in the data folder")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def names_of(database: str) -> set[str]:
    """The names of all files of a database, as the table writes them."""
    starts = {file: str(data_file(Path(database), file)) for file in DataFile}
    starts[DataFile.POSTGRES_TOKEN] = "postgres-….token"
    return {f"{name}…" if name.endswith("-") else name for name in starts.values()}


def test_the_table_lists_every_file_in_the_data_folder() -> None:
    own = names_of("dayline.db") - {"dayline.db.part"}  # files that are rarely there: of a recovery only
    of_files = (
        names_of("dayline.db-recovery") | names_of("dayline.db-recovery-staged") | names_of("dayline.db.d/derived")
    )

    assert own - listed_files() == set()
    assert listed_files() - own - of_files == {"dayline.db"}


def key_file(path: Path) -> Secret:
    make_key_file(path)
    return KeyFile(path=str(path))


def passphrase_file(path: Path) -> Secret:
    path.write_text("several words, and ümläuts\n", "utf-8")
    return PassphraseFile(path=str(path))


@pytest.mark.parametrize("make", [key_file, passphrase_file])
def test_the_example_decrypts_a_backup(tmp_path: Path, make: Callable[[Path], Secret]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    filled(tmp_path / "days.db", *(f"app {n}" for n in range(5000)))
    packed(tmp_path / "days.db", tmp_path / "days.enc", work=tmp_path, secret=make(tmp_path / "secret"))
    (tmp_path / "copy.db").unlink()

    names = [str(tmp_path / name) for name in ("days.enc", "secret", "days.zst")]
    subprocess.run([sys.executable, "-c", example, *names], check=True, timeout=PATIENCE_S)

    with (tmp_path / "days.zst").open("rb") as file, (tmp_path / "copy.db").open("wb") as plain:
        zstandard.ZstdDecompressor().copy_stream(file, plain, read_size=1 << 16)
    with closing(open_unchanging(tmp_path / "copy.db")) as db:
        assert db.execute("SELECT count(*) FROM event").get == 5000
