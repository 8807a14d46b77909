"""Single pages are encrypted and decrypted exactly as SQLite does it."""

import os
from contextlib import closing
from pathlib import Path
from traceback import format_exception

import apsw
import pytest

from dayline.model.errors import SettingsInvalid
from dayline.runtime.encrypted_file import DatabaseKey, FileKind, PageCipher, kind_of
from dayline.runtime.encryption import converting, set_key
from dayline.runtime.sqlite_file import READ_ONLY, UNCHANGING, attach, connect
from dayline.storage.sqlite.file.conversion import convert_file
from tests.support.storage.encrypting import KEY, encrypting

PAGE = 4096


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.db"
    with encrypting(), closing(connect(path)) as db:
        db.execute("CREATE TABLE t(a)")
        db.execute("INSERT INTO t VALUES('a secret text')")
        db.executemany("INSERT INTO t VALUES(?)", [("x" * 5000,)] * 20)
    return path


def pages(path: Path) -> list[bytes]:
    content = path.read_bytes()
    return [content[at : at + PAGE] for at in range(0, len(content), PAGE)]


def decrypted(path: Path) -> list[bytes | None]:
    return [PageCipher(KEY).decrypt(number, page) for number, page in enumerate(pages(path), 1)]


def test_a_file_of_a_process_with_a_key_has_no_readable_text(file: Path) -> None:
    assert kind_of(file) is FileKind.ENCRYPTED
    assert b"secret" not in file.read_bytes()
    assert b"CREATE TABLE" not in file.read_bytes()


def test_decrypted_pages_are_the_plain_database(file: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.db"
    plain.write_bytes(b"".join(page or b"" for page in decrypted(file)))

    with closing(connect(plain, READ_ONLY)) as db:
        assert db.execute("SELECT count(*) FROM t").get == 21
        assert db.execute("PRAGMA integrity_check").get == "ok"


# The last four bytes of the nonce count blocks: near the end of 32 bits the count carries over within a page.
@pytest.mark.parametrize("count", [0, 0x7FFFFFFF, 0xFFFFFFB0, 0xFFFFFFC5, 0xFFFFFFF0, 0xFFFFFFFE, 0xFFFFFFFF])
def test_sqlite_reads_pages_that_we_encrypted(
    file: Path, tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = decrypted(file)

    def nonce(size: int) -> bytes:
        return b"n" * (size - 4) + count.to_bytes(4, "little")

    monkeypatch.setattr(os, "urandom", nonce)
    written = tmp_path / "written.db"
    written.write_bytes(b"".join(PageCipher(KEY).encrypt(number, page or b"") for number, page in enumerate(plain, 1)))
    monkeypatch.undo()

    with encrypting(), closing(connect(written, READ_ONLY, options=UNCHANGING)) as db:
        assert db.execute("SELECT count(*) FROM t").get == 21
        assert db.execute("PRAGMA integrity_check").get == "ok"
    assert decrypted(written) == plain


@pytest.mark.parametrize("at", [0, 20, 100, PAGE - 20, PAGE - 1])
def test_a_changed_page_is_not_decrypted(file: Path, at: int) -> None:
    page = bytearray(pages(file)[0])
    page[at] ^= 1

    assert PageCipher(KEY).decrypt(1, bytes(page)) is None


def test_a_page_at_another_place_is_not_decrypted(file: Path) -> None:
    assert PageCipher(KEY).decrypt(2, pages(file)[2]) is None


def test_without_a_key_an_encrypted_file_is_not_opened(file: Path) -> None:
    with pytest.raises(SettingsInvalid, match="no key is configured"):
        connect(file)


def test_with_another_key_an_encrypted_file_is_not_opened(file: Path) -> None:
    with encrypting(DatabaseKey(bytes(32))), pytest.raises(SettingsInvalid, match="another key"):
        connect(file)


def test_a_library_without_ciphers_creates_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(apsw, "mc_version")

    with encrypting(), pytest.raises(SettingsInvalid, match="cannot encrypt"):
        connect(tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()


def test_the_key_is_in_no_error_message(file: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.db"
    with closing(connect(plain)) as db:
        db.execute("CREATE TABLE p(a)")
    (tmp_path / "folder").mkdir()

    with pytest.raises(apsw.Error) as raised:
        convert_file(plain, tmp_path / "folder", KEY)

    assert KEY.secret.hex() not in "".join(format_exception(raised.value))
    assert KEY.secret.hex() not in repr(KEY)


def test_plain_and_encrypted_files_can_be_attached_to_each_other(file: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.db"
    with closing(connect(plain)) as db:
        db.execute("CREATE TABLE p(a)")

    with encrypting(), converting(), closing(connect(plain)) as db:
        attach(db, file, "other", options=UNCHANGING)
        assert db.execute("SELECT count(*) FROM other.t").get == 21
    with encrypting(), converting(), closing(connect(file)) as db:
        attach(db, plain, "other", options=UNCHANGING)
        assert db.execute("SELECT count(*) FROM other.p").get == 0
    set_key(None)
    assert kind_of(plain) is FileKind.PLAIN
