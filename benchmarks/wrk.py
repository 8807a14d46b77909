"""Runs wrk with the heartbeat script and reads what it prints."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from benchmarks.table import NotMeasured

SCRIPT = Path(__file__).parent / "yardstick" / "heartbeat.lua"
BY_CLOCK = SCRIPT.with_name("heartbeat_by_clock.lua")
FLEET = Path(__file__).parent / "fleet.lua"

MILLISECONDS_IN = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0}


class Round(Struct, frozen=True, kw_only=True):
    """One run of wrk."""

    rate: float  # answers per second
    p50_ms: float
    p99_ms: float


def heartbeat_round(
    port: int,
    *,
    clients: int,
    seconds: int,
    base_s: int,
    key: str | None = None,
    first: int = 0,
    script: Path = SCRIPT,
) -> Round:
    """Heartbeats of as many clients into as many buckets, `hb0` or a later one onwards, as fast as they are answered.

    `base_s` shifts the time of the heartbeats, so that every round brings new events.
    """
    options = ["-t1", f"-c{clients}", f"-d{seconds}s", "--latency", "--timeout", "30s", "-s", str(script)]
    if key is not None:
        options += ["-H", f"Authorization: Bearer {key}"]
    command = [wrk_path(), *options, f"http://127.0.0.1:{port}", "--", str(clients), str(base_s), str(first)]
    return parse(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def fleet_round(port: int, *, clients: int, seconds: int, arguments: Sequence[str]) -> Round:
    """Heartbeats of a fleet, as fast as they are answered. The arguments are those of `fleet.lua`."""
    options = ["-t1", f"-c{clients}", f"-d{seconds}s", "--latency", "--timeout", "30s", "-s", str(FLEET)]
    command = [wrk_path(), *options, f"http://127.0.0.1:{port}", "--", *arguments]
    return parse(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def wrk_path() -> str:
    """Where wrk is; a measure that prepares for long asks first."""
    path = shutil.which("wrk")
    if path is None:
        raise NotMeasured("wrk missing")
    return path


def parse(output: str) -> Round:
    """What wrk's report says; a report with errors counts as not measured."""
    for complaint in ("Non-2xx or 3xx responses", "Socket errors"):
        if complaint in output:
            raise NotMeasured(next(line.strip() for line in output.splitlines() if complaint in line))
    rate = re.search(r"Requests/sec:\s+([\d.]+)", output)
    if rate is None:
        raise NotMeasured("wrk printed no rate")
    return Round(rate=float(rate[1]), p50_ms=_percentile(output, 50), p99_ms=_percentile(output, 99))


def _percentile(output: str, percent: int) -> float:
    found = re.search(rf"^\s+{percent}%\s+([\d.]+)(us|ms|s|m)\s*$", output, re.MULTILINE)
    if found is None:
        raise NotMeasured("wrk printed no latencies")
    return float(found[1]) * MILLISECONDS_IN[found[2]]
