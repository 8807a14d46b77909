"""How many events begin in each of several stretches of time."""

import asyncio

import pytest

from dayline.model.access import BucketNames
from dayline.model.errors import BucketNotFound
from dayline.model.time import SECOND
from tests.support.storage.engines import Engine
from tests.support.storage.opened import BEGIN, beat, bucket, opened_on


def test_events_count_where_they_begin(engine: Engine) -> None:
    async def test() -> None:
        async with opened_on(engine) as store:
            for name in ("one", "other"):
                await store.create_bucket(bucket(name))
            await store.insert("one", [beat(second) for second in (0, 1, 9, 10, 30)])
            await store.insert("other", [beat(5)])
            edges = [BEGIN + second * SECOND for second in (0, 10, 20, 30)]

            assert store.counts("one", edges) == [3, 1, 0]
            assert store.counts("one", edges[:1]) == []

    asyncio.run(test())


def test_what_a_caller_may_not_see_is_not_counted(engine: Engine) -> None:
    async def test() -> None:
        async with opened_on(engine) as store:
            await store.create_bucket(bucket("one"))
            with pytest.raises(BucketNotFound):
                store.limited_to(BucketNames(("other",))).counts("one", [BEGIN, BEGIN + SECOND])

    asyncio.run(test())
