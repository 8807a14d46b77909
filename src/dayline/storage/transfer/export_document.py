"""Reads an export document as a stream: memory is bounded by one read, whatever the size of the file.

The outer structure is parsed by hand, because no JSON library in use decodes a document incrementally. Events are
decoded in runs, as many as the buffer holds. The end of a run is guessed from its last `},` and verified by decoding
it: a text from the start of an event to that position that is valid JSON can only be whole events. If the guess is
wrong, a regular expression that recognises strings finds the end.
"""

import re
from collections.abc import Callable, Iterator
from typing import IO, Any, Final, TypeVar

import msgspec

from dayline.model.data import check_depth, decode_json, kind_of, lone_surrogate, reason_of
from dayline.model.errors import Invalid, Malformed
from dayline.model.event import HeartbeatBody

T = TypeVar("T")

BLOCK: Final = 1 << 20
# A single value (a bucket's data, one event) larger than this is not activity, and would not fit in memory.
MAX_VALUE: Final = 64 << 20
# A bucket's data, or any other value that is decoded as a whole: its objects take twenty times as much memory.
MAX_DECODED: Final = 4 << 20

_BLANK = re.compile(rb"[ \t\r\n]*")
_SCALAR = re.compile(rb"[^ \t\r\n,:\[\]{}\"]*")
_QUOTE_OR_BRACKET = re.compile(rb'["\[\]{}]')
# Groups are repeated a limited number of times, because `re` needs about 100 bytes of memory for each repetition, and
# are atomic, so that a text cannot be divided in more than one way.
_IN_STRING = rb'[^"\\]*(?>(?:\\.[^"\\]*){0,1000})'
_STRING_PART = re.compile(_IN_STRING, re.DOTALL)
# An event whose data nests at most one level, as nearly all do. For deeper and for larger ones, brackets are counted.
_FLAT = rb'[^{}\[\]"]+|"' + _IN_STRING + rb'"'
_LIST = rb"\[(?>(?:" + _FLAT + rb"){0,1000})\]"
_DATA = rb"\{(?>(?:" + _FLAT + rb"|" + _LIST + rb"){0,1000})\}"
_EVENT = rb"\{(?>(?:" + _FLAT + rb"|" + _DATA + rb"){0,1000})\}"
_ONE = re.compile(_EVENT, re.DOTALL)
_RUN = re.compile(rb"(?>(?:" + _EVENT + rb"[ \t\r\n]*,[ \t\r\n]*){1,1000})", re.DOTALL)

_FIRST: Final = b'{["-0123456789tfn'  # what a JSON text can begin with
_GUESSES: Final = 4

_events = msgspec.json.Decoder(list[HeartbeatBody])
_event = msgspec.json.Decoder(HeartbeatBody)

OnEvents = Callable[[list[HeartbeatBody]], None]
Head = dict[str, Any]  # a bucket's fields other than its events, not validated yet


class ExportDocument:
    """An export document in an open file. `invalid` counts the events with the wrong shape."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._buffer = b""
        self._position = 0
        self._guessed_end = 0  # no more guesses before it
        self._is_at_end = False
        self.invalid = 0

    def read(self, on_events: OnEvents) -> Iterator[tuple[str, Head]]:
        """Parse the document: pass events on in runs, unchecked; yield a bucket's key and head after its last run.

        Raises Malformed if it is not JSON, Invalid if it is not an export document.
        """
        self._fill()
        if self._buffer.startswith(b"\xef\xbb\xbf"):
            self._position = 3
        self._expect_object("an export document is a JSON object with the key 'buckets'", field="buckets")
        has_buckets = False
        for key in self._keys():
            if key == "buckets":
                has_buckets = True
                yield from self._buckets(on_events)
            else:
                self._decode_value()  # discarded, but it must be valid JSON
        if self._peek():
            raise Malformed("unexpected text after the end of the document")
        if not has_buckets:
            raise Invalid("the document has no key 'buckets'", field="buckets")

    def _buckets(self, on_events: OnEvents) -> Iterator[tuple[str, Head]]:
        self._expect_object("'buckets' must be an object: bucket id to bucket", field="buckets")
        for bucket_key in self._keys():
            self._expect_object(f"bucket {bucket_key!r} must be an object", field=f"buckets.{bucket_key}")
            head: Head = {}
            for key in self._keys():
                if key == "events" and self._peek() == b"[":
                    self._events(on_events)
                else:
                    head[key] = self._decode_value(f"buckets.{bucket_key}.{key}")
            events = head.pop("events", None)
            if events is not None:
                reason = f"the events of bucket {bucket_key!r} must be an array, not {kind_of(events)}"
                raise Invalid(reason, field=f"buckets.{bucket_key}.events")
            yield bucket_key, head

    def _events(self, on_events: OnEvents) -> None:
        self._take(b"[")
        if self._peek() == b"]":
            self._take(b"]")
            return
        while True:
            self._run(on_events)
            self._peek()
            # What the run did not include: the last event, an unusual one, or one that is only partly in the buffer.
            if not self._is_at_end and self._buffer.find(b"}", self._position) < 0:
                self._fill()
                continue
            on_events(self._decode_one(self._value()))
            if self._peek() == b"]":
                self._take(b"]")
                return
            self._take(b",")
            self._peek()

    def _run(self, on_events: OnEvents) -> None:
        """Decode the whole events in the buffer, each with the comma after it."""
        end = len(self._buffer)
        # A wrong guess decodes up to the whole buffer, so it must not be repeated for each of the events in it.
        for _ in range(_GUESSES if self._position >= self._guessed_end else 0):
            end = self._buffer.rfind(b"},", self._position, end)
            if end < 0:
                return
            self._guessed_end = max(self._guessed_end, end)
            try:
                bodies = _events.decode(b"[%b]" % self._buffer[self._position : end + 1])
            except (msgspec.ValidationError, RecursionError):
                break
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            self._position = end + 2
            on_events(bodies)
            return
        run = _RUN.match(self._buffer, self._position)
        if run is not None:
            self._position = run.end()
            on_events(self._decode_run(run[0]))

    def _decode_run(self, run: bytes) -> list[HeartbeatBody]:
        try:
            return _decode(b"[%b]" % run.rstrip(b", \t\r\n"), _events)
        except (msgspec.ValidationError, Malformed):
            # One of them is invalid, or not JSON: decode them one by one.
            return [body for piece in _ONE.finditer(run) for body in self._decode_one(piece[0])]

    def _decode_one(self, text: bytes) -> list[HeartbeatBody]:
        try:
            check_depth(text)
            return [_decode(text, _event)]
        except (msgspec.ValidationError, Invalid):
            pass
        except Malformed:
            # Half a surrogate pair makes one text invalid, not the document.
            if lone_surrogate(text) is None:
                raise
        self.invalid += 1
        return []

    def _expect_object(self, otherwise: str, *, field: str) -> None:
        """Raise Invalid with that reason if another kind of value begins here, Malformed if none does."""
        first = self._peek()
        if not first or first not in _FIRST:
            raise self._malformed("a value")
        if first != b"{":
            raise Invalid(otherwise, field=field)

    def _keys(self) -> Iterator[str]:
        """The keys of the object that begins here; the caller consumes the value after each."""
        self._take(b"{")
        if self._peek() == b"}":
            self._take(b"}")
            return
        while True:
            if self._peek() != b'"':
                raise self._malformed("a key")
            key = self._decode_value()
            self._take(b":")
            yield key
            if self._peek() == b"}":
                self._take(b"}")
                return
            self._take(b",")

    def _decode_value(self, field: str | None = None) -> Any:
        text = self._value()
        if len(text) > MAX_DECODED:
            raise Invalid(f"{field or 'a value of the document'} has more than {MAX_DECODED >> 20} MiB", field=field)
        return decode_json(text, field=field)

    def _value(self) -> bytes:
        """The text of the value that begins here, of any kind."""
        first = self._peek()
        if first == b'"':
            length = self._end_of_string(0)
        elif first in (b"{", b"["):
            length = self._end_of_nested()
        else:
            length = self._end_of_scalar()
        begin, self._position = self._position, self._position + length
        return self._buffer[begin : self._position]

    # Ends of values, counted from the position: reading more moves what is in the buffer.

    def _end_of_scalar(self) -> int:
        end = 0
        while True:
            end = self._after(_SCALAR, end)
            if self._is_at_end or self._position + end < len(self._buffer):
                break
            self._fill()
        if end == 0:
            raise self._malformed("a value")
        return end

    def _end_of_string(self, begin: int) -> int:
        end = begin + 1
        while True:
            end = self._after(_STRING_PART, end)
            following = self._buffer[self._position + end : self._position + end + 2]
            if following.startswith(b'"'):
                return end + 1
            if len(following) < 2:  # the string, or an escape in it, is only partly in the buffer
                self._fill()

    def _end_of_nested(self) -> int:
        depth, end = 0, 0
        while True:
            mark = _QUOTE_OR_BRACKET.search(self._buffer, self._position + end)
            if mark is None:
                end = len(self._buffer) - self._position
                self._fill()
                continue
            end = mark.end() - self._position
            if mark[0] == b'"':
                end = self._end_of_string(end - 1)
            else:
                depth += 1 if mark[0] in b"{[" else -1
                if depth == 0:
                    return end

    def _after(self, pattern: re.Pattern[bytes], begin: int) -> int:
        """Where a pattern that matches any text ends."""
        found = pattern.match(self._buffer, self._position + begin)
        assert found is not None
        return found.end() - self._position

    def _peek(self) -> bytes:
        """The next non-blank byte without consuming it; empty at the end."""
        while True:
            blank = _BLANK.match(self._buffer, self._position)
            if blank is not None:
                self._position = blank.end()
            if self._position < len(self._buffer):
                return self._buffer[self._position : self._position + 1]
            if self._is_at_end:
                return b""
            self._fill()

    def _take(self, mark: bytes) -> None:
        if self._peek() != mark:
            raise self._malformed(repr(mark.decode()))
        self._position += 1

    def _fill(self) -> None:
        """Read more, dropping consumed bytes."""
        if self._is_at_end:
            raise self._malformed("more")
        if len(self._buffer) - self._position > MAX_VALUE:
            raise Invalid(f"the document has a single value of more than {MAX_VALUE >> 20} MiB")
        block = self._file.read(BLOCK)
        self._is_at_end = not block
        self._buffer = self._buffer[self._position :] + block
        self._guessed_end -= self._position
        self._position = 0

    def _malformed(self, expected: str) -> Malformed:
        if self._is_at_end and self._position >= len(self._buffer):
            return Malformed(f"unexpected end of the document: {expected} expected")
        offset = self._file.tell() - len(self._buffer) + self._position
        return Malformed(f"the document is not valid JSON: {expected} expected at byte {offset}")


def _decode(text: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Raises Malformed for invalid JSON; JSON of another shape raises msgspec's own error."""
    try:
        return decoder.decode(text)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(f"the document is not valid JSON: {reason_of(error)}") from error
