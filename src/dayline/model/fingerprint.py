"""SHA-256 fingerprints of certificates, written as browsers and OpenSSL show them: `3F:A0:…`."""

import hashlib
import re
from typing import Final

from dayline.model.errors import Invalid

_PREFIX: Final = re.compile(r"sha-?256(?: fingerprint=|[ :=])", re.IGNORECASE)
_DIGEST: Final = re.compile(r"[0-9A-F]{64}")


def fingerprint_of(certificate: bytes) -> str:
    """The fingerprint of a certificate in DER form."""
    return hashlib.sha256(certificate).digest().hex(":").upper()


def parse_fingerprint(text: str) -> str:
    """A fingerprint in its one form. Accepts lower case, no colons or spaces between bytes, and a leading `SHA-256`.

    Raises Invalid.
    """
    digits = re.sub(r"[:\s]", "", _PREFIX.sub("", text.strip(), count=1)).upper()
    if not _DIGEST.fullmatch(digits):
        raise Invalid(
            f"invalid fingerprint {text!r}: a SHA-256 fingerprint has 64 hexadecimal digits",
            hint="`dayline tls show` on the server prints it",
            field="fingerprint",
        )
    return bytes.fromhex(digits).hex(":").upper()
