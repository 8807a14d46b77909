"""A keyring in a file, for the package `keyring`: what the system's keyring is for a user."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

VARIABLE = "DAYLINE_TEST_KEYRING"
BACKEND = "tests.storage.encryption.file_keyring.FileKeyring"


class FileKeyring(KeyringBackend):
    """The entries of the file that DAYLINE_TEST_KEYRING names."""

    priority = 0.5  # pyright: ignore[reportAssignmentType]  # only used if it is asked for

    def get_password(self, service: str, username: str) -> str | None:
        return self._entries().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        _file().write_text(json.dumps({**self._entries(), f"{service}/{username}": password}), "utf-8")

    def delete_password(self, service: str, username: str) -> None:
        raise PasswordDeleteError("not needed")

    def _entries(self) -> dict[str, str]:
        entries: dict[str, str] = json.loads(_file().read_text("utf-8")) if _file().exists() else {}
        return entries


def _file() -> Path:
    return Path(os.environ[VARIABLE])
