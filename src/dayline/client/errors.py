"""Errors of client calls.

ClientError
├── CallRefused         the server answered with an error
├── UnexpectedResponse    what answered is not a Dayline server
└── ServerUnreachable   no response: the call may or may not have arrived
    └── UntrustedResponse the response to an enveloped call was not encrypted with the key, or is not for this call

Separate from the server's errors, because an error of another server is not a failure of this program.
"""


class ClientError(Exception):
    """Base class. `message` describes the error; `hint`, if there is one, the fix."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class CallRefused(ClientError):
    """A response other than 2xx. `message` and `hint` are the server's, `type` is the kind of error."""

    def __init__(
        self, status: int, message: str, *, type: str = "", hint: str | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.type = type
        self.request_id = request_id


class UnexpectedResponse(ClientError):
    """A success that cannot be decoded, such as the page of a proxy or another server."""


class ServerUnreachable(ClientError):
    """No complete response. The call may have been executed if it `is_sent`, so repeat it only if that is harmless."""

    is_sent = True


class UntrustedResponse(ServerUnreachable):
    """A response that cannot be authenticated. Treat it like no response."""
