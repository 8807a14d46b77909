"""A TLS connection to a server that must show one certificate, under whatever name."""

import http.client
import ssl
from pathlib import Path


class PinnedConnection(http.client.HTTPSConnection):
    """Raises OSError when it is opened, unless the server shows exactly the certificate of this file."""

    def __init__(self, host: str, port: int | None, certificate: Path, *, timeout_s: float) -> None:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # the comparison below is stricter than any authority
        super().__init__(host, port, timeout=timeout_s, context=context)
        self._certificate = certificate

    def connect(self) -> None:
        super().connect()
        expected = ssl.PEM_cert_to_DER_cert(_first_certificate(self._certificate.read_text("ascii")))
        if self.sock.getpeercert(binary_form=True) != expected:
            self.close()
            raise OSError("it shows another certificate than its own")


def _first_certificate(text: str) -> str:
    end = "-----END CERTIFICATE-----"
    return text[text.index("-----BEGIN CERTIFICATE-----") : text.index(end) + len(end)] + "\n"
