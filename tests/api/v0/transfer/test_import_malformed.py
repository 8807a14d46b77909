"""A document that is not JSON is 400 and changes nothing; tests/storage has many more of them (decision 4)."""

import pytest

from tests.api.documents import bucket_entry, everything, import_form, import_text, text_of
from tests.api.remote_bucket import event
from tests.support.calls.clients import at
from tests.support.server import RunningServer

GOOD = text_of(
    {
        "buckets": {
            "first": bucket_entry(
                "first", [event(at("10:00:00"), 1.5, {"t": "x", "n": [1, {"m": 2}]}), event(at("10:00:01"))]
            ),
            "second": bucket_entry(
                "second", [event(at("10:00:00")), event(at("10:00:01"), data={"deep": {"er": [[1]]}})]
            ),
        }
    }
)

BROKEN: dict[str, bytes] = {
    "cut off at the beginning": GOOD[:5],
    "cut off inside the first bucket": GOOD[:120],
    "cut off inside the last event": GOOD[:-20],
    "cut off before the last brace": GOOD[:-1],
    "text behind": GOOD + b"x",
    "comma too many": GOOD.replace(b"},{", b"},,{", 1),
    "literal of no sense in the last bucket": GOOD.replace(b"[[1]]", b"[tru]"),
    "unusable event, then broken JSON": GOOD.replace(b'{"timestamp"', b'{"timestamp":5},{"timestamp"').replace(
        b"[[1]]", b"[tru]"
    ),
    "broken UTF-8 in an event": GOOD.replace(b'"t":"x"', b'"t":"\xff"'),
    "broken UTF-8 in a field": GOOD.replace(b'"hostname":"h"', b'"hostname":"\xff"', 1),
    "lone surrogate in a field": GOOD.replace(b'"hostname":"h"', b'"hostname":"\\ud800 and more"', 1),
    "bytes of no meaning": bytes(range(256)),
    "nothing": b"",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_broken_document_is_400_and_changes_nothing(shared_server: RunningServer, text: bytes) -> None:
    before = everything(shared_server)

    answer = import_text(shared_server, text)

    assert (answer.status, answer.json["type"]) == (400, "Malformed")
    assert answer.message
    assert everything(shared_server) == before


@pytest.mark.parametrize("files", [(GOOD, GOOD[:-5]), (GOOD[:-5], GOOD)])
def test_one_broken_file_of_a_form_keeps_all_of_them_out(
    shared_server: RunningServer, files: tuple[bytes, ...]
) -> None:
    before = everything(shared_server)

    assert import_form(shared_server, *files).status == 400
    assert everything(shared_server) == before


def test_message_names_the_position_at_which_the_document_is_invalid(shared_server: RunningServer) -> None:
    text = GOOD.replace(b'"second":', b'"second"x', 1)

    answer = import_text(shared_server, text)

    assert f"byte {text.index(b'x{')}" in answer.message


def test_nothing_of_a_refused_import_is_left_on_the_disk(shared_server: RunningServer) -> None:
    import_text(shared_server, GOOD[:-5])

    assert list(shared_server.database.parent.glob("*scratch*")) == []
