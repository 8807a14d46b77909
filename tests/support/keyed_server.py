"""A real server that asks for keys, and keys of every kind."""

from pathlib import Path
from typing import Any, Self

import msgspec

from dayline.cli.calls.call import token_file
from tests.support.server import Answer, RunningServer

MANY: int = 1_000_000  # wrong keys a minute: tests show many of them


class KeyedServer(RunningServer):
    """`dayline serve --require-keys`. Calls without a key are made by `call`; `with_key` makes one with a key."""

    def __init__(self, database: Path, *flags: str, settings: str = "", port: int | None = None) -> None:
        config = database.with_suffix(".toml")
        config.write_text(f"[access]\nrequire_keys = true\nfailed_keys_per_minute = {MANY}\n{settings}")
        super().__init__(database, "--config", str(config), *flags, port=port)

    def start(self, **environment: str) -> None:
        super().start(**environment)
        self.owner: str = msgspec.json.decode(self.token_place.read_bytes())["token"]

    @property
    def token_place(self) -> Path:
        """Where the server leaves what lets its owner in."""
        return token_file(self.database)

    def __enter__(self) -> Self:
        self.start()
        return self

    def with_key(
        self,
        key: str | None,
        method: str,
        path: str,
        body: object = None,
        *,
        raw: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """A call with a key; None for none."""
        shown = {} if key is None else {"Authorization": f"Bearer {key}"}
        return self.call(method, path, body, raw=raw, headers={**shown, **(headers or {})})

    def as_owner(self, method: str, path: str, body: object = None, *, headers: dict[str, str] | None = None) -> Answer:
        """A call as the commands of this machine make it."""
        return self.with_key(self.owner, method, path, body, headers=headers)

    def key(self, scope: str, *buckets: str, **fields: object) -> str:
        """A new key."""
        return str(self.made_key(scope, *buckets, **fields)["key"])

    def made_key(self, scope: str, *buckets: str, **fields: object) -> dict[str, Any]:
        """A new key, with all that is reported about it."""
        body = {"name": f"{scope} key", "scope": scope, "buckets": list(buckets), **fields}
        answer = self.as_owner("POST", "/api/1/keys", body)
        assert answer.status == 201, answer.body
        made: dict[str, Any] = answer.json
        return made

    def create(self, bucket_id: str, **fields: object) -> Answer:
        body = {"client": "test-client", "type": "test.type", "hostname": "test-host", **fields}
        return self.as_owner("POST", f"/api/0/buckets/{bucket_id}", body)
