"""Several people on one server: no response ever holds what is another's, and each has what they have written."""

import threading
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.storage.postgres.tenants.diaries import BUCKETS, LOOKS, Diary
from tests.support.postgres.cluster import Cluster
from tests.support.postgres.servers import SharedServer
from tests.support.profile import examples

SLOW: Final = [HealthCheck.too_slow, HealthCheck.data_too_large]
NAMES = st.sampled_from(BUCKETS)
EVENTS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9), st.booleans()), min_size=1, max_size=3)
WAYS = st.sampled_from(["beats", "beats", "insert", "import"])
STEPS = st.one_of(
    st.tuples(st.just("write"), NAMES, WAYS, EVENTS),
    st.tuples(st.just("write"), NAMES, WAYS, EVENTS),
    st.tuples(st.just("delete"), NAMES),
    st.tuples(st.just("undo")),
    st.tuples(st.just("set"), st.sampled_from(["theme", "views"]), st.booleans()),
    st.tuples(st.just("keep")),
    st.tuples(st.just("redact"), st.booleans()),
    st.tuples(st.just("look"), st.integers(0, len(LOOKS) - 1)),
    st.tuples(st.just("look"), st.integers(0, len(LOOKS) - 1)),
    st.tuples(st.just("search")),
)


@pytest.fixture(scope="module")
def shared(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServer]:
    with SharedServer(postgres.new_database(), tmp_path_factory.mktemp("shared")) as server:
        yield server


@settings(max_examples=examples(24, daily=3), suppress_health_check=SLOW)
@given(steps=st.lists(st.tuples(st.integers(0, 1), STEPS), min_size=8, max_size=16))
def test_each_of_two_people_reads_what_a_model_of_their_own_data_has(
    shared: SharedServer, steps: list[tuple[int, tuple[Any, ...]]]
) -> None:
    people = Diary(shared, "ann"), Diary(shared, "bob")
    for who, step in steps:
        people[who].step(*step)
    for person in people:
        person.check()


@settings(max_examples=examples(12, daily=2), suppress_health_check=SLOW)
@given(all_steps=st.tuples(*[st.lists(STEPS, min_size=8, max_size=12)] * 3))
def test_so_does_each_of_three_at_the_same_moment(
    shared: SharedServer, all_steps: tuple[list[tuple[Any, ...]], ...]
) -> None:
    people = [Diary(shared, name) for name in ("ann", "bob", "cleo")]
    failures: list[BaseException] = []

    def play(person: Diary, steps: list[tuple[Any, ...]]) -> None:
        try:
            for step in steps:
                person.step(*step)
            person.check()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=play, args=each) for each in zip(people, all_steps, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_every_look_of_one_who_has_everything_shows_nothing_of_another_who_has_it_too(shared: SharedServer) -> None:
    people = Diary(shared, "ann"), Diary(shared, "bob")
    for person in people:
        for way in ("beats", "insert", "import"):
            person.step("write", "window", way, [(1, 2, True), (4, 1, False)])
        person.step("write", "tabs", "insert", [(1, 2, True)])
        person.step("keep")
        person.step("delete", "tabs")
        person.step("redact", True)
        person.step("set", "theme", True)
    for person in people:
        for place in range(len(LOOKS)):
            person.step("look", place)
        person.step("search")
        person.check()
