"""Hints for commands: the API names its endpoints, a command names the command that does the same."""

import re
from typing import Final

# The first that matches wins. Endpoints without a command stay as they are: a program may have called.
_COMMANDS: Final = (
    (r"\w+ /api/\S+ or (dayline )", r"\1"),
    (r"; create one with POST /api/0/buckets/<id>", ""),
    (r"; to overwrite it, send the change with If-Match .*", ""),
    (r"send `rules`, or set some with PUT /api/1/privacy/rules", "add a rule with dayline privacy add"),
    (r"GET /api/0/buckets/", "dayline buckets"),
    (r"DELETE /api/0/buckets/<id>", "dayline buckets delete"),
    (r"GET /api/0/export", "dayline export"),
    (r"GET /api/1/aliases", "dayline buckets"),
    (r"DELETE /api/1/aliases/(\S+)", r"dayline buckets unalias \1"),
    (r"GET /api/1/annotations", "dayline annotations"),
    (r"POST /api/1/buckets/(\S+)/merge", r"dayline buckets merge \1"),
    (r"GET /api/1/categories/versions(/\d+)?", "dayline categories history"),
    (r"GET /api/1/categories", "dayline categories"),
    (r"DELETE /api/1/demo", "dayline demo --remove"),
    (r"GET /api/1/goals", "dayline goals"),
    (r"GET /api/1/health", "dayline status"),
    (r"GET /api/1/privacy/redactions", "dayline privacy history"),
    (r"PUT /api/1/privacy/rules", "dayline privacy add"),
    (r"GET /api/1/relay", "dayline relay status"),
    (r"GET /api/1/trash", "dayline trash"),
    (r"POST /api/1/undo/(\d+)", r"dayline undo \1"),
)


def command_hint(hint: str) -> str:
    """The hint with every endpoint replaced by its command."""
    for pattern, command in _COMMANDS:
        hint = re.sub(pattern, command, hint)
    return hint
