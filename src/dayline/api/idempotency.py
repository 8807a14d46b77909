"""`Idempotency-Key`: whoever does not know whether a change has arrived sends it again with the same token."""

import re
from typing import Final

from dayline.access.caller import Caller
from dayline.model.audit import Once
from dayline.model.errors import Malformed
from dayline.model.timestamps import SECOND, Microseconds

IDEMPOTENCY_KEY: Final = "idempotency-key"
_KEPT: Final[Microseconds] = 30 * 86_400 * SECOND  # how long a relay may have been away between two tries
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")


def once_of(text: str, caller: Caller, *, now: Microseconds) -> Once:
    """The token as the store keeps it; those of two keys never meet. Raises Malformed."""
    if not _TOKEN.fullmatch(text):
        raise Malformed("Idempotency-Key must have 1 to 64 letters, digits, - or _", field="Idempotency-Key")
    return Once(token=f"{caller.key_id}/{text}", until=now + _KEPT)
