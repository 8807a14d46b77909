"""A real server that asks for keys: keys of every kind, signed-in browsers, and its audit log."""

from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode

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


class Browser:
    """Sign in, then call. `is_page` says whether calls come from our own pages, which send the secret in X-Dayline."""

    def __init__(self, server: KeyedServer) -> None:
        self.server = server
        self.cookie = ""
        self.secret = ""

    def sign_in(self, **shown: object) -> Answer:
        """With `key=…` or `code=…`."""
        return self.keep(self.server.call("POST", "/api/1/session", shown, headers={"User-Agent": "test-browser"}))

    def keep(self, answer: Answer) -> Answer:
        """Keep the cookie and the secret of a sign-in."""
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
            self.secret = str(answer.json["secret"])
        return answer

    def call(self, method: str, path: str, body: object = None, *, is_page: bool = True, **headers: str) -> Answer:
        shown = {"Cookie": self.cookie} if self.cookie else {}
        confirmed = {"X-Dayline": self.secret} if is_page else {}
        return self.server.call(method, path, body, headers={**shown, **confirmed, **headers})

    @property
    def token(self) -> str:
        """What the cookie holds."""
        return self.cookie.partition("=")[2]


def new_code(server: KeyedServer) -> str:
    """A one-time code, as `dayline open` gets it."""
    answer = server.as_owner("POST", "/api/1/session/codes")
    assert answer.status == 201, answer.body
    return str(answer.json["code"])


def signed_in(server: KeyedServer, key: str | None = None) -> Browser:
    """A browser signed in with a key; without one as the owner."""
    browser = Browser(server)
    answer = browser.sign_in(code=new_code(server)) if key is None else browser.sign_in(key=key)
    assert answer.status == 201, answer.body
    return browser


def audit_lines(server: KeyedServer, **parameters: object) -> list[dict[str, Any]]:
    """Lines of the log, the latest begun first; as many as there are, unless a limit is given."""
    answer = server.as_owner("GET", f"/api/1/audit?{urlencode({'limit': 1000, **parameters})}")
    assert answer.status == 200, answer.body
    lines: list[dict[str, Any]] = answer.json["lines"]
    return lines


def counts(lines: list[dict[str, Any]]) -> list[tuple[str, str, int, int]]:
    """Call, bucket, status and count of each line."""
    return [(line["call"], line["bucket"], line["status"], line["count"]) for line in lines]
