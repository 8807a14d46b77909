"""The token that lets the owner's own commands in, and the proof that a server is the one that issued it.

A server writes its token to a file that only its owner can read. A command never sends the token to a server that has
not proved that it knows it: after a crash the file stays, and any program may listen on the port.
"""

import hmac
import os
from typing import Final

# Not the form of a key, which has an id of eight characters here: a server tells an old token from a foreign key.
_PREFIX: Final = "dayline_local_"
_TOKEN_BYTES: Final = 32


def new_local_token() -> str:
    """A token for one run of a server."""
    return f"{_PREFIX}{os.urandom(_TOKEN_BYTES).hex()}"


def is_local_token(text: str) -> bool:
    """Whether a server issued this as a local token, in this run or in another one."""
    return text.startswith(_PREFIX)


def proof_of(token: str, *, store: str, nonce: str) -> str:
    """What only the holder of the token can compute: that it serves this store, in answer to this nonce."""
    return hmac.digest(token.encode(), f"dayline store proof v1\0{store}\0{nonce}".encode(), "sha256").hex()
