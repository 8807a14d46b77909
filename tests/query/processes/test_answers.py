"""What a query process answers arrives as it is, whatever its size; what goes wrong in it is reported as what it is."""

import asyncio
import logging
import os

import msgspec
import pytest

from dayline.model.errors import DaylineError, StoreUnusable
from dayline.query.errors import QueryFunctionError, QueryMemoryError, QueryProcessLost
from dayline.query.processes.process import STREAMED_BYTES
from dayline.query.processes.workers import ResultStream
from tests.support.query.scripted import ask, children, eventually, pid_of, result_of, run, started, under_way, workers


async def read_all(stream: ResultStream) -> bytes:
    body = b""
    while piece := await stream.read():
        body += piece
    return body


@pytest.mark.parametrize("size", [10, 65_536, 70_000, STREAMED_BYTES])
def test_results_arrive_as_they_are(size: int) -> None:
    async def test() -> None:
        async with workers() as pool:
            answered = await ask(pool, f"body {size}")

            assert answered.body == b'["%s"]' % (b"x" * (size - 4))
            assert answered.outcome.statistics.result_bytes == size

    run(test)


def test_large_results_are_read_piece_by_piece_and_the_process_is_used_again() -> None:
    async def test() -> None:
        async with workers(workers=1) as pool:
            pid, size = await pid_of(pool), STREAMED_BYTES + 1
            answered = await ask(pool, f"body {size}")
            assert isinstance(answered.body, ResultStream)
            assert answered.body.size == size

            assert await read_all(answered.body) == b'["%s"]' % (b"x" * (size - 4))

            answered.body.close()
            assert await pid_of(pool) == pid

    run(test)


def test_the_process_is_busy_until_large_results_are_taken() -> None:
    async def test() -> None:
        async with workers(workers=1) as pool:
            answered = await ask(pool, f"body {STREAMED_BYTES * 2}")
            assert isinstance(answered.body, ResultStream)
            waiting = await started(ask(pool, "report"))
            await read_all(answered.body)

            assert not waiting.done()

            answered.body.close()
            await waiting

    run(test)


def test_abandoned_large_results_cost_the_process_but_not_the_next_query() -> None:
    async def test() -> None:
        async with workers(workers=1) as pool:
            pid = await pid_of(pool)
            answered = await ask(pool, f"body {STREAMED_BYTES * 8}")
            assert isinstance(answered.body, ResultStream)
            await answered.body.read()
            answered.body.close()

            assert await pid_of(pool) != pid
            assert pid not in children()

    run(test)


def test_a_process_killed_in_the_middle_of_large_results_is_reported_to_its_readers() -> None:
    async def test() -> None:
        async with workers(workers=1) as pool:
            answered = await ask(pool, f"body {STREAMED_BYTES * 8}")
            assert isinstance(answered.body, ResultStream)
            [pid] = children()
            os.kill(pid, 9)

            with pytest.raises(QueryProcessLost, match="killed by signal 9"):
                await read_all(answered.body)

            answered.body.close()

    run(test)


def test_a_query_that_fails_is_reported_with_its_place() -> None:
    async def test() -> None:
        async with workers() as pool:
            with pytest.raises(QueryFunctionError, match="no such bucket") as caught:
                await ask(pool, "refuse no such bucket")

            error = caught.value
            assert error.hint == "a hint"
            assert error.expected == ("y",)
            assert error.place is not None
            assert (error.place.line, error.place.column, error.place.excerpt) == (2, 3, "x\n ^")

    run(test)


def test_a_query_that_fails_leaves_the_process_as_it_is() -> None:
    async def test() -> None:
        async with workers() as pool:
            pid = await pid_of(pool)
            await asyncio.gather(ask(pool, "refuse this"), return_exceptions=True)
            await asyncio.gather(ask(pool, "cannot-read this"), return_exceptions=True)

            assert await pid_of(pool) == pid

    run(test)


def test_a_store_that_cannot_be_read_is_no_fault_of_the_query() -> None:
    async def test() -> None:
        async with workers() as pool:
            with pytest.raises(StoreUnusable, match="the file is gone") as caught:
                await ask(pool, "cannot-read the file is gone")

            assert caught.value.hint == "a hint"

    run(test)


def test_a_defect_is_an_internal_error_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with workers() as pool:
            pid = await pid_of(pool)
            with pytest.raises(DaylineError) as caught:
                await ask(pool, "fail no one thought of this")

            assert type(caught.value) is DaylineError
            assert "ValueError: no one thought of this" in caplog.text
            assert await pid_of(pool) != pid

    run(test)


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ("signal 9", r"\(killed by signal 9, SIGKILL\): it may have run out of memory"),
        ("signal 11", r"\(killed by signal 11, SIGSEGV\)"),
        ("exit 3", r"\(exit status 3\)"),
    ],
)
def test_a_process_that_dies_is_an_error_for_its_query_alone(order: str, reason: str) -> None:
    async def test() -> None:
        async with workers(workers=2) as pool:
            others = [await under_way(pool, "sleep 0.4"), await under_way(pool, order)]
            queued = [await started(result_of(pool, "sleep 0")) for _ in range(6)]

            with pytest.raises(QueryProcessLost, match=reason):
                await others[1]

            await others[0]
            assert await asyncio.gather(*queued) == ["slept"] * 6

    run(test)


def test_more_memory_than_there_may_be_is_reported_and_the_next_query_gets_a_new_process() -> None:
    async def test() -> None:
        async with workers() as pool:
            pid = await pid_of(pool)
            with pytest.raises(QueryMemoryError, match="more memory than it may have"):
                await ask(pool, "allocate 600")

            assert await result_of(pool, "allocate 200") == 200 << 20
            assert await pid_of(pool) != pid

    run(test)


def test_printed_text_is_returned_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "dayline")

    async def test() -> None:
        async with workers() as pool:
            answered = await ask(pool, "print one,two")

            assert answered.outcome.printed == ["one", "two"]
            assert [record.getMessage() for record in caplog.records] == ["Query print: one", "Query print: two"]

    run(test)


def test_of_much_that_is_printed_the_log_has_the_beginning(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "dayline")

    async def test() -> None:
        async with workers() as pool:
            answered = await ask(pool, "print " + ",".join(map(str, range(1000))))

            assert len(answered.outcome.printed) == 1000
            assert [record.getMessage() for record in caplog.records][19:] == [
                "Query print: 19",
                "Query print: and 980 lines more",
            ]

    run(test)


def test_what_others_write_to_standard_output_does_not_stand_between_answers(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with workers(idle_s=0.1) as pool:
            assert await result_of(pool, "say good morning") == "said"
            assert await result_of(pool, "sleep 0") == "slept"
            await eventually(lambda: children() == set())

        assert "good morninggood morning" in caplog.text

    run(test)


def test_what_statements_did_comes_in_place_of_the_results() -> None:
    async def test() -> None:
        async with workers() as pool:
            answered = await ask(pool, "report", mode="explain")

            assert isinstance(answered.body, bytes)
            assert msgspec.json.decode(answered.body) == []
            assert answered.outcome.statements == []

    run(test)


def test_a_program_of_megabytes_arrives() -> None:
    async def test() -> None:
        async with workers() as pool:
            assert await result_of(pool, "sleep 0" + " " * (8 << 20)) == "slept"

    run(test)
