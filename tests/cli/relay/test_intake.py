"""The way into the queue: every call is answered, whatever becomes of its batch."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from dayline.cli.relay.intake import Intake
from dayline.client.queue import CallQueue, Outcome
from dayline.client.queued_call import Heartbeat, NewCall
from tests.support.storage.opened import beat


class Defective(CallQueue):
    """A queue with a defect that shows once."""

    has_failed = False

    def add(self, calls: Sequence[NewCall]) -> list[Outcome]:
        if not self.has_failed:
            self.has_failed = True
            raise ValueError("a defect")
        return super().add(calls)


def heartbeat(second: int) -> Heartbeat:
    return Heartbeat(bucket_id="window", event=beat(second), pulsetime=0)


def test_a_client_that_has_gone_does_not_keep_the_others_of_its_batch_from_their_answer(tmp_path: Path) -> None:
    # Giving the error to a call that was cancelled raised another one, and the rest of the batch waited for ever.
    async def scenario() -> None:
        queue = Defective(tmp_path / "queue.db")
        intake = Intake(queue, on_queued=lambda: None)
        gone, stays = (asyncio.ensure_future(intake.put(heartbeat(second))) for second in (0, 1))
        await asyncio.sleep(0)  # both have arrived
        gone.cancel()

        with pytest.raises(ValueError, match="a defect"):
            async with asyncio.timeout(60):
                await stays

        assert await intake.put(heartbeat(2)) == beat(2)
        queue.close()

    asyncio.run(scenario())
