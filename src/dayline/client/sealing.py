"""The client's side of the envelope: a call sealed, and the answer to exactly this call opened."""

from msgspec import UNSET, Raw, Struct

from dayline.client.connection import Response
from dayline.client.errors import UntrustedAnswer
from dayline.envelope.errors import EnvelopeError
from dayline.envelope.keys import EnvelopeKeys
from dayline.envelope.messages import EnvelopedAnswer, EnvelopedCall, new_nonce, open_answer, seal_call
from dayline.model.errors import Invalid, Malformed
from dayline.model.keys import key_id_of
from dayline.model.timestamps import Microseconds, format_timestamp

IDEMPOTENCY_KEY = "idempotency-key"  # the one header that goes into an envelope


class Inner(Struct, frozen=True, kw_only=True):
    """A call before it is sealed. `token` is that of an `Idempotency-Key`."""

    method: str
    path: str
    query: str
    body: bytes | None
    token: str | None
    time: Microseconds


class SealedCall(Struct, frozen=True, kw_only=True):
    """A message on its way, and the nonce that its answer must have."""

    message: bytes
    nonce: str


class Seal:
    """Seals and opens with one key, whose text it does not keep."""

    def __init__(self, key: str | None) -> None:
        kid = None if key is None else key_id_of(key)
        if key is None or kid is None:
            raise Invalid(
                "an envelope needs a key of the form dayline_…", hint="dayline keys create --envelope makes one"
            )
        self._kid = kid
        self._keys = EnvelopeKeys.of_text(key)

    def sealed(self, inner: Inner) -> SealedCall:
        """The message for a call, with a nonce of its own. Raises Malformed where the body is not JSON."""
        call = EnvelopedCall(
            method=inner.method,
            path=inner.path,
            query=inner.query,
            body=UNSET if inner.body is None else Raw(inner.body),
            headers={} if inner.token is None else {IDEMPOTENCY_KEY: inner.token},
            time=format_timestamp(inner.time),
            nonce=new_nonce(),
        )
        try:
            message = seal_call(call, self._keys, kid=self._kid)
        except ValueError as error:
            raise Malformed(str(error), hint="an enveloped call takes JSON alone") from error
        return SealedCall(message=message, nonce=call.nonce)

    def opened(self, response: Response, sent: SealedCall) -> EnvelopedAnswer | None:
        """The answer to a call; None where the server refused the message itself. Raises UntrustedAnswer."""
        if response.status >= 400:
            return None
        try:
            answer = open_answer(response.body, self._keys)
        except EnvelopeError as error:
            raise UntrustedAnswer(f"the answer is not sealed with our key: {error.message}") from error
        if answer.nonce != sent.nonce:
            raise UntrustedAnswer("the answer belongs to another call")
        return answer

    def __repr__(self) -> str:
        return f"Seal(kid={self._kid!r})"
