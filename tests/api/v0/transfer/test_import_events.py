"""Single events of an import: the unusable are counted and left out, the rest is imported (decision 4)."""

from typing import Any

from tests.api.documents import document, import_json, import_text, report, text_of
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer

UNUSABLE: list[object] = [
    {"duration": 1.0, "data": {}},
    {"timestamp": 5, "data": {}},
    {"timestamp": "yesterday"},
    {"timestamp": "1500-01-01T00:00:00Z"},
    {"timestamp": at("10:00:00"), "duration": "1"},
    {"timestamp": at("10:00:00"), "duration": 1e300},
    {"timestamp": at("10:00:00"), "data": [1]},
    5,
    None,
    [event(at("10:00:00"))],
]


def test_unusable_events_are_counted_and_the_others_are_imported(shared_server: RunningServer) -> None:
    events: list[object] = [event(at("10:00:01")), *UNUSABLE, event(at("10:00:02"))]

    answer = import_json(shared_server, document("mixed", events))

    assert (answer.status, answer.json) == (200, report(imported=2, invalid=len(UNUSABLE)))
    assert [timestamp for timestamp, _, _ in RemoteBucket(shared_server, "mixed").stored()] == [
        at("10:00:02"),
        at("10:00:01"),
    ]


def test_bucket_of_unusable_events_alone_is_created_empty(shared_server: RunningServer) -> None:
    assert import_json(shared_server, document("unusable", UNUSABLE)).json == report(invalid=len(UNUSABLE))
    assert RemoteBucket(shared_server, "unusable").count() == 0


def test_number_beyond_a_double_makes_one_event_unusable(shared_server: RunningServer) -> None:
    text = text_of(document("double", [event(at("10:00:00")), event(at("10:00:01"), data={"n": "NUMBER"})]))

    answer = import_text(shared_server, text.replace(b'"NUMBER"', b"1e999"))

    assert answer.json == report(imported=1, invalid=1)


def test_lone_surrogate_makes_one_event_unusable(shared_server: RunningServer) -> None:
    text = text_of(document("surrogate", [event(at("10:00:00")), event(at("10:00:01"), data={"t": "HALF"})]))

    answer = import_text(shared_server, text.replace(b"HALF", b"\\ud83d of a smile"))

    assert answer.json == report(imported=1, invalid=1)


def test_event_nested_200_levels_deep_is_unusable(shared_server: RunningServer) -> None:
    text = text_of(document("deep", [event(at("10:00:00")), event(at("10:00:01"), data={"n": "DEEP"})]))

    answer = import_text(shared_server, text.replace(b'"DEEP"', b"[" * 200 + b"]" * 200))

    assert answer.json == report(imported=1, invalid=1)


def test_event_nested_100_levels_deep_is_imported(shared_server: RunningServer) -> None:
    data: dict[str, Any] = {}
    for number in range(65):
        data = {"a": data} if number % 2 else {"a": [data]}

    import_json(shared_server, document("nested", [event(at("10:00:00"), data=data), event(at("10:00:01"))]))

    assert RemoteBucket(shared_server, "nested").stored()[1] == (at("10:00:00"), 0.0, data)


def test_strings_of_a_megabyte_are_imported(shared_server: RunningServer) -> None:
    titles = ["x" * 1_000_000, '"{[' * 250_000, "é\\" * 250_000]
    events = [event(at(f"10:00:0{n}"), data={"title": title}) for n, title in enumerate(titles)]

    assert import_json(shared_server, document("large", events)).json == report(imported=3)
    assert [data["title"] for _, _, data in RemoteBucket(shared_server, "large").stored()] == titles[::-1]


def test_ids_in_the_document_are_ignored_whatever_they_are(bucket: RemoteBucket, shared_server: RunningServer) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 1.0))
    events = [
        event(at(f"11:00:0{n}"), id=event_id) for n, event_id in enumerate([stored["id"], "text", -5, None, 2**70])
    ]

    assert import_json(shared_server, document("ids", events)).json == report(imported=5)
    assert bucket.events() == [stored]
    assert RemoteBucket(shared_server, "ids").count() == 5


def test_values_come_through_unchanged(shared_server: RunningServer) -> None:
    data: dict[str, Any] = {
        "int": 1,
        "float": 1.0,
        "big": 10**30,
        "unicode": "日本\U0001f600\u2028",
        "null": None,
        "list": [True, {}],
    }

    import_json(shared_server, document("values", [event(at("10:00:00.000001"), 0.000001, data)]))

    [(timestamp, duration, kept)] = RemoteBucket(shared_server, "values").stored()
    assert (timestamp, duration, kept) == (at("10:00:00.000001"), 0.000001, data)
    assert (type(kept["int"]), type(kept["float"])) == (int, float)


def test_events_without_data_or_duration_are_imported(shared_server: RunningServer) -> None:
    import_json(shared_server, document("sparse", [{"timestamp": at("10:00:00")}]))

    assert RemoteBucket(shared_server, "sparse").stored() == [(at("10:00:00"), 0.0, {})]
