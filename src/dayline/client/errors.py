"""What a call can end with besides its answer.

ClientError
├── CallRefused         the server answered, and the answer is no
├── UnexpectedAnswer    whoever answered is not a server of this kind
└── ServerUnreachable   no answer: the call may have arrived or not
    └── UntrustedAnswer the answer to an enveloped call does not come from the holder of the key, or not to this call

A family of its own, apart from the server's errors: what another server said is no failure of this program.
"""


class ClientError(Exception):
    """The root of the family. `message` names the thing; `hint`, where there is one, says what mends it."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class CallRefused(ClientError):
    """An answer other than 2xx. `message` and `hint` are the server's words, `type` names the kind of error."""

    def __init__(
        self, status: int, message: str, *, type: str = "", hint: str | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.type = type
        self.request_id = request_id


class UnexpectedAnswer(ClientError):
    """A success that cannot be read: the page of a proxy, or of another server altogether."""


class ServerUnreachable(ClientError):
    """No answer, or not all of it. What was asked may have been done: only a repetition that is harmless is safe."""


class UntrustedAnswer(ServerUnreachable):
    """An answer that anybody could have made. To be treated like none."""
