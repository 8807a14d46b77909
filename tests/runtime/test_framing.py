from io import BytesIO

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dayline.runtime.framing import frame, read_frame


@given(st.lists(st.binary(max_size=300), max_size=5))
def test_messages_are_read_as_they_were_framed(messages: list[bytes]) -> None:
    pipe = BytesIO(b"".join(map(frame, messages)))

    read = [encoded for encoded in iter(lambda: read_frame(pipe), None)]

    assert [msgspec.msgpack.decode(encoded) for encoded in read] == messages


@given(st.binary(max_size=300), st.data())
def test_a_message_that_was_truncated_is_none(message: bytes, data: st.DataObject) -> None:
    whole = frame(message)

    cut = data.draw(st.integers(0, len(whole) - 1))

    assert read_frame(BytesIO(whole[:cut])) is None
