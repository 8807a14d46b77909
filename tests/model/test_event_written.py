"""The JSON of an event: exactly four keys, because a fifth breaks the released Python client."""

import msgspec

from dayline.model.event import Event, encode_event


def test_event_has_exactly_the_keys_that_clients_know() -> None:
    event = Event(id=4711, start=1_770_106_531_250_000, duration=12_500_000, data=b'{"app":"Editor"}')

    assert msgspec.json.decode(encode_event(event)) == {
        "id": 4711,
        "timestamp": "2026-02-03T08:15:31.250Z",
        "duration": 12.5,
        "data": {"app": "Editor"},
    }
