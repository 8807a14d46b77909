"""Answers read: the value of a success, or the error that the server told of."""

from http import HTTPStatus
from typing import TypeVar

import msgspec

from dayline.client.documents import ErrorBody
from dayline.client.errors import CallRefused, UnexpectedAnswer
from dayline.client.transport import Reply

T = TypeVar("T")


def check_success(reply: Reply) -> None:
    """Raise CallRefused, in the server's words, unless the answer is a success."""
    if 200 <= reply.status < 300:
        return
    try:
        error = msgspec.json.decode(reply.body, type=ErrorBody)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Not a word of ours: a proxy's page, or nothing at all.
        error = ErrorBody(message=f"the server answered {reply.status} {_phrase(reply.status)}".rstrip())
    raise CallRefused(
        reply.status, error.message, type=error.type, hint=error.hint, request_id=error.request_id
    ) from None


def value_of(reply: Reply, kind: type[T]) -> T:
    """The value of a success. Raises UnexpectedAnswer for what no server of ours would send."""
    try:
        return msgspec.json.decode(reply.body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnexpectedAnswer(
            f"the answer cannot be understood: {error}", hint="is it the address of a Dayline server?"
        ) from error


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # a number that no standard knows
        return ""
