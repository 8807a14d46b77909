"""Receives changes of other servers by LISTEN and NOTIFY, on its own connection and thread.

Messages are lost with the connection, so everything is read again after a reconnect. It is also compared periodically,
because a server may have stopped between a commit and its message.
"""

import contextlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from time import monotonic
from typing import Final

import msgspec
import psycopg
from psycopg import sql

from dayline.model.errors import StoreUnusable
from dayline.model.privacy.rules import FILTERS_KEY, OWN_RULES_KEY
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.postgres.connection import (
    FAULTS,
    Connection,
    connect,
    error_text,
    interrupt,
    server_start,
    transaction,
)
from dayline.storage.postgres.rows.buckets import BucketRecord
from dayline.storage.postgres.schema.tables import CHANNEL
from dayline.storage.postgres.writing.catalogue import ChangeMessage, read_all, read_some, send_messages
from dayline.storage.postgres.writing.transaction import read_aliases
from dayline.storage.writing.notices import ChangeNotice

_SEND_S: Final = 0.1  # how often other servers are notified of recorded events
# The other servers read the buckets of each tenant that is announced: at most this many per second, so that many
# tenants do not cost more than their heartbeats. Each is announced once a second at least.
_TENANTS_PER_S: Final = 100
_MAX_PAUSE_S: Final = 1.0
_COMPARE_S: Final = 10.0
_TENANTS_AT_ONCE: Final = 100  # row security compares each row with all of them
_RULE_KEYS: Final = [FILTERS_KEY, OWN_RULES_KEY]
_RULES: Final = """
SELECT tenant, string_agg(key || json, ' ' ORDER BY key) FROM (
    SELECT tenant, key, json FROM setting UNION ALL SELECT tenant, key, json FROM own_setting
) AS stored
WHERE tenant = ANY(%(tenants)s) AND key = ANY(%(keys)s) GROUP BY tenant
"""
_RETRY_S: Final = 0.1
_MAX_RETRY_S: Final = 1.0  # short: until then this server does not know of keys that others revoke


class RemoteChange(msgspec.Struct, frozen=True, kw_only=True):
    """The current data of a tenant. `is_whole`: it is complete, and messages may have been missed; then
    `has_new_rules` reports whether privacy rules may have changed.
    """

    tenant: str
    buckets: Sequence[BucketRecord]
    aliases: Mapping[str, str] | None
    notices: Sequence[ChangeNotice]
    is_access: bool
    is_whole: bool
    has_new_rules: bool = False
    read: float  # the monotonic time when reading began


class NotificationListener:
    """Calls `hear` on its thread, from `start` to `close`, for the tenants that `tenants` returns."""

    def __init__(
        self,
        address: str,
        server: str,
        *,
        tenants: Callable[[], Iterable[str]],
        hear: Callable[[RemoteChange], None],
        background: BackgroundWorkers,
    ) -> None:
        self._address = address
        self._server = server
        self._tenants = tenants
        self._hear = hear
        self._db: Connection | None = None
        self._server_start: datetime | None = None
        self._compared = 0.0  # monotonic time of the last complete read
        self._rules: dict[str, str] = {}  # privacy rules by tenant, as of the last complete read
        self._recorded: dict[str, set[int]] = {}
        self._next_send = 0.0  # monotonic
        self._lock = threading.Lock()
        self._thread = background.thread(
            "listener for other servers",
            self._run,
            interval_s=0,
            retry_s=_RETRY_S,
            max_retry_s=_MAX_RETRY_S,
            on_stop=self._stop,
        )

    def start(self) -> None:
        self._thread.start()

    def recorded(self, tenant: str, keys: Iterable[int]) -> None:
        """Notify the other servers soon of recorded events. Call it from any thread."""
        with self._lock:
            self._recorded.setdefault(tenant, set()).update(keys)

    def leave(self, primary: datetime) -> None:
        """Interrupt a connection to another server than this one, by its start. Call it from any thread."""
        db = self._db
        if db is not None and self._server_start != primary:
            interrupt(db)

    def close(self) -> None:
        self._thread.close(10)

    def _run(self) -> None:
        """Wait briefly for messages, and send those that are due. After any error the connection is replaced."""
        try:
            self._listen(self._connected())
        except FAULTS as error:
            self._disconnect()
            raise StoreUnusable(f"the database does not respond: {error_text(error)}") from error
        except Exception:
            self._disconnect()
            raise

    def _connected(self) -> Connection:
        if self._db is None:
            db = self._db = connect(self._address)
            self._server_start = server_start(db)
            db.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))
            self._compared = -_COMPARE_S
        return self._db

    def _disconnect(self) -> None:
        db, self._db = self._db, None
        self._rules.clear()  # messages are missed from now on
        if db is not None:
            with contextlib.suppress(psycopg.Error):
                db.close()

    def _stop(self) -> None:
        self._next_send = 0.0
        with contextlib.suppress(*FAULTS):
            if self._db is not None:
                self._send(self._db)
        self._disconnect()

    def _listen(self, db: Connection) -> None:
        if monotonic() - self._compared >= _COMPARE_S:
            self._compared = monotonic()
            tenants = list(self._tenants())
            for first in range(0, len(tenants), _TENANTS_AT_ONCE):
                self._read_whole(db, tenants[first : first + _TENANTS_AT_ONCE])
        decoded = [_decode_message(each) for each in db.notifies(timeout=_SEND_S, stop_after=100)]
        messages = [each for each in decoded if each is not None]
        for each in messages:  # our own too: the rules that were read last may be older than those in use
            if each.settings or each.is_all:
                self._rules.pop(each.tenant, None)
        self._take([each for each in messages if each.server != self._server], db)
        self._send(db)

    def _read_whole(self, db: Connection, tenants: Sequence[str], *, is_access: bool = False) -> None:
        """Read everything of some tenants in one transaction."""
        began = monotonic()
        with transaction(db, tenants[0], is_snapshot=True):
            db.execute("SELECT set_config('dayline.tenants', %s, true)", (",".join(tenants),))
            buckets, aliases = read_all(db, tenants), read_aliases(db, tenants)
            rules: dict[str, str] = dict(db.execute(_RULES, {"tenants": list(tenants), "keys": _RULE_KEYS}).fetchall())
        for tenant in tenants:
            self._hear(
                RemoteChange(
                    tenant=tenant,
                    buckets=buckets[tenant],
                    aliases=aliases[tenant],
                    notices=[],
                    is_access=is_access or not tenant,  # keys are shared by all tenants: once is enough
                    is_whole=True,
                    has_new_rules=self._rules.get(tenant) != rules.get(tenant, ""),
                    read=began,
                )
            )
            self._rules[tenant] = rules.get(tenant, "")

    def _take(self, messages: Sequence[ChangeMessage], db: Connection) -> None:
        """Read what the messages are about, once for all of them."""
        for tenant in dict.fromkeys(each.tenant for each in messages):
            mine = [each for each in messages if each.tenant == tenant]
            is_access = any(each.is_access for each in mine)
            if tenant not in self._tenants() and not is_access:
                continue
            if any(each.is_all for each in mine):
                self._read_whole(db, [tenant], is_access=is_access)
                continue
            keys = {key for each in mine for key in each.buckets}
            began = monotonic()
            with transaction(db, tenant, is_snapshot=True):
                buckets = read_some(db, tenant, keys)
                aliases = read_aliases(db, [tenant])[tenant] if any(each.turns for each in mine) else None
            notices = list(dict.fromkeys(news for each in mine for news in each.notices))
            self._hear(
                RemoteChange(
                    tenant=tenant,
                    buckets=buckets,
                    aliases=aliases,
                    notices=notices,
                    is_access=is_access,
                    is_whole=False,
                    read=began,
                )
            )

    def _send(self, db: Connection) -> None:
        if monotonic() < self._next_send:
            return
        with self._lock:
            recorded, self._recorded = self._recorded, {}
        self._next_send = monotonic() + min(len(recorded) / _TENANTS_PER_S, _MAX_PAUSE_S)
        news = [
            ChangeMessage(server=self._server, tenant=tenant, buckets=sorted(keys)) for tenant, keys in recorded.items()
        ]
        try:
            send_messages(db, news)
        except BaseException:
            for tenant, keys in recorded.items():
                self.recorded(tenant, keys)
            raise


def _decode_message(notify: psycopg.Notify) -> ChangeMessage | None:
    """Decode a message; None if it is not ours."""
    try:
        return msgspec.json.decode(notify.payload, type=ChangeMessage)
    except msgspec.DecodeError:
        return None
