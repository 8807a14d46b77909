"""Heartbeats of a server that asks for keys and has privacy rules, and what an envelope costs."""

import json
import statistics
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Raw

from benchmarks.connection import Connection
from benchmarks.heartbeats import CLIENTS, best_rounds, in_words, rate_figure
from benchmarks.server import create_buckets, dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.workbench import Workbench
from benchmarks.wrk import Round
from dayline.envelope.keys import EnvelopeKeys
from dayline.envelope.messages import EnvelopedCall, new_nonce, open_answer, seal_call

MIN_SHARE = 0.65
ENVELOPES = 500
# Of each kind one, none of which fits: the usual heartbeat is looked at by all rules and changed by none.
RULES = [
    {"pattern": "(?i)incognito|private browsing", "field": "title", "action": "drop"},
    {"pattern": "(?i)payroll", "field": "title", "action": "redact", "replacement": "REDACTED"},
    {"pattern": "token=[^&]+", "field": "*", "action": "rewrite", "replacement": "token=x"},
]


def measure(bench: Workbench) -> Iterator[Figure]:
    """A line for each number of clients, then the envelope beside the same calls without one."""
    for clients in CLIENTS:
        name = f"heartbeats/s with keys and privacy rules, {in_words(clients)}"
        yield rate_figure(name, *_best_rounds(bench, clients), least_share=MIN_SHARE)
    yield _envelope(bench)


def _best_rounds(bench: Workbench, clients: int) -> tuple[Round, Round]:
    database = bench.database(f"guarded-{clients}")
    owner, watcher = _key(bench, database, "full"), _key(bench, database, "append")
    settings = database.with_suffix(".toml")
    settings.write_text("[limits]\nkey_requests_per_second = 1000000\nkey_mib_per_day = 1000000\n")
    with dayline_server(bench.command, database, "--require-keys", "--config", str(settings)) as server:
        create_buckets(server.port, [f"hb{number}" for number in range(clients)], key=owner)
        _set_rules(server.port, owner)
        return best_rounds(bench, server, clients=clients, key=watcher)


def _envelope(bench: Workbench) -> Figure:
    database = bench.database("envelope")
    key = _key(bench, database, "full", "--envelope")
    with dayline_server(bench.command, database) as server, Connection(server.port) as connection:
        create_buckets(server.port, ["hb0"])
        keys = EnvelopeKeys.of_text(key)
        plain = [_timed_ms(connection, _beat(number), keys=None, kid="") for number in range(ENVELOPES)]
        kid = key.split("_")[1]
        enveloped = [_timed_ms(connection, _beat(number), keys=keys, kid=kid) for number in range(ENVELOPES)]
    ordinary_ms, sealed_ms = statistics.median(plain), statistics.median(enveloped)
    return Figure(
        name="a heartbeat in an envelope, p50, both ends",
        measured=f"{sealed_ms:.2f} ms, {sealed_ms - ordinary_ms:.2f} more than without",
        values={"enveloped_ms": sealed_ms, "plain_ms": ordinary_ms},
    )


def _timed_ms(connection: Connection, body: bytes, *, keys: EnvelopeKeys | None, kid: str) -> float:
    path, query = "/api/0/buckets/hb0/heartbeat", "pulsetime=5"
    begun = time.perf_counter()
    if keys is None:
        status = connection.post(f"{path}?{query}", body).status
    else:
        moment = datetime.now(UTC).isoformat()
        call = EnvelopedCall(method="POST", path=path, query=query, body=Raw(body), time=moment, nonce=new_nonce())
        answer = connection.post("/api/1/envelope", seal_call(call, keys, kid=kid), media="application/jose")
        status = open_answer(answer.body, keys).status if answer.status == 200 else answer.status
    if status != 200:
        raise NotMeasured(f"a heartbeat was answered with {status}")
    return (time.perf_counter() - begun) * 1000


def _beat(number: int) -> bytes:
    moment = datetime.fromtimestamp(1_780_000_000 + number, UTC).isoformat()
    return msgspec.json.encode({"timestamp": moment, "data": {"app": "Firefox", "title": f"page number {number // 9}"}})


def _key(bench: Workbench, database: Path, scope: str, *flags: str) -> str:
    command = [*bench.command, "keys", "create", "--name", scope, "--scope", scope, "--database", str(database), *flags]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _set_rules(port: int, key: str) -> None:
    with Connection(port, key=key) as connection:
        body = json.dumps([{"enabled": True, **rule} for rule in RULES]).encode()
        answer = connection.send(connection.post_bytes("/api/1/privacy/rules", body).replace(b"POST", b"PUT", 1))
    if answer.status != 200:
        raise NotMeasured(f"the privacy rules were answered with {answer.status}: {answer.body[:200]!r}")
