"""Where a page of a list has ended, as a text that clients send back."""

import base64
import binascii

from dayline.api.call import Call
from dayline.model.errors import Malformed
from dayline.model.event import MAX_EVENT_ID
from dayline.model.timestamps import EARLIEST, LATEST
from dayline.storage.history.edits import EventPlace


def cursor_text(place: EventPlace) -> str:
    """The cursor that goes on after a place."""
    return base64.urlsafe_b64encode(f"{place.start}.{place.id}".encode()).decode().rstrip("=")


def cursor_of(call: Call) -> EventPlace | None:
    """The place after which to go on; None at the beginning. Raises Malformed."""
    text = call.request.get_param("cursor")
    if text is None:
        return None
    try:
        padded = text + "=" * (-len(text) % 4)
        start, _, event_id = base64.b64decode(padded, altchars=b"-_", validate=True).partition(b".")
        place = EventPlace(int(start), int(event_id))
        if not (EARLIEST <= place.start <= LATEST and 0 < place.id <= MAX_EVENT_ID):
            raise ValueError(text)
        return place
    except (ValueError, binascii.Error) as error:
        raise Malformed(
            f"cursor: {text[:40]!r} is not a cursor", hint="send it as the page before has told it", field="cursor"
        ) from error
