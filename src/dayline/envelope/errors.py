"""What can be wrong with a message. The package stands alone, so whoever calls it says what each means over HTTP.

EnvelopeError
├── NotAnEnvelope   not a message of this kind, whatever the key
└── CannotOpen      of the right form, but sealed with another key, for another use, or changed since
"""


class EnvelopeError(Exception):
    """The root of the family. `message` is in lower case and never holds a part of a key or of a plaintext."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotAnEnvelope(EnvelopeError):
    """Not five parts of canonical base64url, another header than ours, or a plaintext that is no call or answer."""


class CannotOpen(EnvelopeError):
    """Another key, a call taken for an answer, or a changed byte: which of them, nobody can tell."""

    def __init__(self) -> None:
        super().__init__("the message was not sealed with this key for this use, or it was changed on its way")
