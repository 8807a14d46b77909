"""A TLS connection to a server that must present one certificate, whatever its name and issuer."""

import http.client
import ssl

from dayline.model.fingerprint import fingerprint_of


class WrongCertificate(OSError):
    """The server presented another certificate. Nothing was sent to it."""

    def __init__(self, presented: str) -> None:
        super().__init__(f"it presents the certificate {presented}, which is not the expected one")
        self.presented = presented


class PinnedConnection(http.client.HTTPSConnection):
    """Raises WrongCertificate when it connects, unless the server's own certificate has this fingerprint."""

    def __init__(
        self, host: str, port: int | None, fingerprint: str, *, timeout_s: float, block_bytes: int = 8192
    ) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # comparing the certificate itself is stricter than trusting its issuer
        super().__init__(host, port, timeout=timeout_s, context=context, blocksize=block_bytes)
        self._fingerprint = fingerprint

    def connect(self) -> None:
        super().connect()
        presented = fingerprint_of(self.sock.getpeercert(binary_form=True) or b"")
        if presented != self._fingerprint:
            self.close()
            raise WrongCertificate(presented)
