"""Coming back with the last id: nothing is missing, nothing comes twice, and what cannot be known is said."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from dayline.api.live.channel import Replay, SentMessage
from dayline.api.live.listener import StreamTuning
from dayline.api.live.messages import TOPICS, Topic
from tests.api.live.conftest import streaming
from tests.support.calls.listening import STREAM, Message, OpenStream
from tests.support.server import RunningServer


def test_a_client_that_reconnects_often_gets_everything_once(server: RunningServer) -> None:
    random, heard, last_id, topics = Random(7), list[Message](), None, "topic=settings&topic=bucket"
    numbers = iter(range(120))

    def change(times: int) -> None:
        for number in islice(numbers, times):
            server.post(f"/api/0/settings/again_{number}", number)
            if random.random() < 0.2:
                server.create(f"again_{number}")

    for _ in range(12):
        with OpenStream(server, topics, last_id=last_id) as stream:
            hello = stream.next()
            assert hello.data["resumed"] is (last_id is not None)
            last_id = hello.id  # of the last that it had, if it came back
            change(6)
            for _ in range(random.randrange(5)):  # it may be cut off before it has read all
                heard.append(stream.next())
                last_id = heard[-1].id
        change(4)
    with OpenStream(server, topics, last_id=last_id) as stream:
        stream.next("hello")
        while heard[-1].data.get("key") != "again_119":
            heard.append(stream.next())

    settings = [message.data["key"] for message in heard if message.event == "settings"]
    assert settings == [f"again_{number}" for number in range(120)]
    reported = [message.number for message in heard]
    assert reported == sorted(set(reported))


def test_the_id_can_stand_in_the_address(server: RunningServer) -> None:
    with OpenStream(server, "topic=settings") as stream:
        last_id = stream.next("hello").id
        server.post("/api/0/settings/address", 1)

    with OpenStream(server, f"topic=settings&last_event_id={last_id}") as stream:
        assert stream.next().data["resumed"] is True
        assert stream.next().data == {"key": "address"}


def test_the_window_that_became_active_in_between_is_sent_last(server: RunningServer) -> None:
    with OpenStream(server) as stream:
        last_id = stream.next("hello").id
        server.post("/api/0/settings/between", 1)
        stream.next("settings")

    with OpenStream(server, last_id=last_id) as stream:
        reported = [stream.next().event for _ in range(2)]
        stream.next("now")

    assert reported == ["hello", "settings"]


def test_after_a_restart_everything_is_to_be_read_again(tmp_path: Path) -> None:
    with streaming(tmp_path) as server:
        with OpenStream(server) as stream:
            last_id = stream.next("hello").id
        server.stop()
        server.start()
        with OpenStream(server, last_id=last_id) as stream:
            reported = [stream.next() for _ in range(3)]

    assert [message.event for message in reported] == ["hello", "reset", "now"]
    assert reported[0].data["resumed"] is False
    assert reported[1].data == {}
    assert reported[0].epoch != last_id.rpartition("-")[0]


def test_what_has_left_the_window_is_to_be_read_again(tmp_path: Path) -> None:
    with streaming(tmp_path, StreamTuning(replay_messages=20)) as server:
        with OpenStream(server, "topic=settings") as stream:
            last_id = stream.next("hello").id
            for number in range(30):
                server.post(f"/api/0/settings/gone_{number}", number)
            ids = [stream.next("settings").id for _ in range(30)]

        assert events(server, f"topic=settings&last_event_id={last_id}") == ["hello", "reset"]
        assert events(server, f"topic=settings&last_event_id={ids[-3]}") == ["hello", "settings", "settings"]
        # Of what it listens to nothing is gone.
        assert events(server, f"topic=job&last_event_id={last_id}") == ["hello"]


def test_ids_that_were_never_sent_are_not_known(server: RunningServer) -> None:
    with OpenStream(server, "topic=job") as stream:
        epoch, number = (hello := stream.next("hello")).epoch, hello.number
        for last_id in (
            f"{epoch}-{number + 1}",
            f"{epoch}-x",
            f"{epoch}-",
            epoch,
            "-1",
            f"0{epoch}-{number}",
            "x" * 99,
        ):
            assert events(server, f"topic=job&last_event_id={last_id}") == ["hello", "reset"]
        assert events(server, f"topic=job&last_event_id={epoch}-{number}") == ["hello"]


def events(server: RunningServer, query: str) -> list[str]:
    """The events of a stream that ends after what was missed."""
    lines = server.get(f"{STREAM}?follow=0&{query}").body.decode().splitlines()
    return [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]


@given(
    topics=st.lists(st.sampled_from(TOPICS), max_size=30),
    most=st.integers(0, 10),
    seconds=st.integers(0, 20),
    after=st.integers(0, 30),
    wanted=st.frozensets(st.sampled_from(TOPICS)),
)
def test_what_is_replayed_is_complete_or_nothing(
    topics: Sequence[Topic], most: int, seconds: int, after: int, wanted: frozenset[Topic]
) -> None:
    replay = Replay(seconds=seconds, messages=most)
    everything = [SentMessage(number, topic, float(number), b"") for number, topic in enumerate(topics, 1)]
    for sent in everything:
        replay.add(sent)

    found = replay.after(after, wanted, now=float(len(topics)))

    missed = [sent for sent in everything if sent.number > after and sent.topic in wanted]
    kept = {sent.number for sent in everything[-most or len(everything) :] if sent.at >= len(topics) - seconds}
    assert found == (missed if all(sent.number in kept for sent in missed) else None)
