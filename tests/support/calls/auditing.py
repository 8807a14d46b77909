"""What the audit log of a server says."""

from typing import Any
from urllib.parse import urlencode

from tests.support.keyed_server import KeyedServer


def audit_lines(server: KeyedServer, **parameters: object) -> list[dict[str, Any]]:
    """Lines of the log, the latest begun first; as many as there are, unless a limit is given."""
    answer = server.as_owner("GET", f"/api/1/audit?{urlencode({'limit': 1000, **parameters})}")
    assert answer.status == 200, answer.body
    lines: list[dict[str, Any]] = answer.json["lines"]
    return lines


def counts(lines: list[dict[str, Any]]) -> list[tuple[str, str, int, int]]:
    """Call, bucket, status and count of each line."""
    return [(line["call"], line["bucket"], line["status"], line["count"]) for line in lines]
