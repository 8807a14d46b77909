"""Several people on one server and one database. Whatever one of them writes has a mark that no one else is to see."""

import itertools
import re
from pathlib import Path
from typing import Any, Final

from tests.support.keyed_server import KeyedServer
from tests.support.server import Answer

_MARK = re.compile(rb"zz([a-z]+[0-9]+)zz", re.IGNORECASE)
_numbers = itertools.count(1)

TEXT: Final = "plain"  # a title that everybody has, also those with a mark


class SharedServer(KeyedServer):
    """`dayline serve --require-keys` on a PostgreSQL database."""

    def __init__(self, address: str, home: Path, *flags: str, settings: str = "") -> None:
        home.mkdir(exist_ok=True)
        super().__init__(home / "days.db", *flags, settings=settings)
        self._address = address

    @property
    def place(self) -> str:
        return self._address

    @property
    def token_place(self) -> Path:
        [found] = self.database.parent.rglob(f"postgres-*-{self.port}.token")
        return found


class Person:
    """A client with a full key to their own data. Every answer is looked through for the marks of others."""

    def __init__(self, server: KeyedServer, name: str = "ann") -> None:
        self.server = server
        self.tenant = f"{name}{next(_numbers)}"
        self.mark = f"zz{self.tenant}zz"
        made = server.made_key("full", name=f"key of {self.mark}", tenant=self.tenant)
        self.key, self.key_id = str(made["key"]), str(made["id"])

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        raw: bytes | None = None,
        headers: dict[str, str] | None = None,
        through: KeyedServer | None = None,
    ) -> Answer:
        """A call, through another server than the usual one where that is given."""
        return self.checked((through or self.server).with_key(self.key, method, path, body, raw=raw, headers=headers))

    def get(self, path: str) -> Any:
        answer = self.call("GET", path)
        assert answer.status == 200, answer.body
        return answer.json

    def done(self, method: str, path: str, body: object = None) -> Answer:
        """A call that has to succeed."""
        answer = self.call(method, path, body)
        assert answer.status < 300, answer.body
        return answer

    def checked(self, answer: Answer) -> Answer:
        """An answer without anything of anyone else."""
        texts = [answer.body, *(f"{name}: {value}".encode() for name, value in answer.headers.items())]
        marks = {found.decode().lower() for text in texts for found in _MARK.findall(text)}
        assert marks <= {self.tenant}, (marks, answer)
        return answer

    def create(self, bucket_id: str, **fields: object) -> Answer:
        body = {"client": f"client {self.mark}", "type": "currentwindow", "hostname": f"host-{self.mark}", **fields}
        return self.call("POST", f"/api/0/buckets/{bucket_id}", body)
