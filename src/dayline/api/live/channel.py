"""The messages of one audience: numbered, kept for replay, and sent to its listeners."""

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec
from msgspec import Struct

from dayline.api.live.listener import Listener, Pulse, StreamTuning
from dayline.api.live.messages import (
    RETRY,
    Audience,
    StreamBucket,
    StreamGoal,
    StreamHello,
    StreamReset,
    StreamRevision,
    StreamSetting,
    Topic,
    message_bytes,
    number_of,
    own_message_bytes,
)
from dayline.api.live.watches import AnswerGoals, AnswerNow, GoalWatch, NowWatch
from dayline.maintenance.jobs import Job
from dayline.model.access import BucketNames
from dayline.storage.store import BucketNotice, ChangeNotice, Commit

_MOST_BYTES: Final = 4 << 20


class Sent(Struct, frozen=True):
    """A message as it was sent, and when."""

    number: int
    topic: Topic
    at: float
    message: bytes


class Replay:
    """Messages in order, for so many seconds, and at most so many."""

    def __init__(self, *, seconds: float, messages: int) -> None:
        self._seconds = seconds
        self._messages = messages
        self._sent: deque[Sent] = deque()
        self._bytes = 0
        self._forgotten: dict[Topic, int] = {}  # the number of the last message of a topic that is gone

    def add(self, sent: Sent) -> None:
        """Keep a message, and let go of those that are too old or too many."""
        self._sent.append(sent)
        self._bytes += len(sent.message)
        self._forget(sent.at)
        while self._sent and (len(self._sent) > self._messages or self._bytes > _MOST_BYTES):
            self._forget_first()

    def after(self, number: int, topics: AbstractSet[Topic], *, now: float) -> list[Sent] | None:
        """What came after a number on these topics; None where some of it is gone."""
        self._forget(now)
        if any(self._forgotten.get(topic, 0) > number for topic in topics):
            return None
        return [sent for sent in self._sent if sent.number > number and sent.topic in topics]

    def _forget(self, now: float) -> None:
        while self._sent and self._sent[0].at < now - self._seconds:
            self._forget_first()

    def _forget_first(self) -> None:
        first = self._sent.popleft()
        self._bytes -= len(first.message)
        self._forgotten[first.topic] = first.number


# The messages of one audience: numbered, kept for a while, and given to those who listen.


INTERVAL_S: Final = 1.0  # between two messages of one kind about one thing, while it goes on
SOON_S: Final = 0.05
_EPOCH_BYTES: Final = 8


class Sight(Struct, frozen=True, kw_only=True):
    """What an audience can be told when it is asked for, as its own calls would answer."""

    now: AnswerNow
    goals: AnswerGoals
    has_bucket: Callable[[str], bool]


class Channel:
    """One audience. Used on the event loop; nothing that is called here waits, but for what says so."""

    def __init__(self, audience: Audience, sight: Sight, tuning: StreamTuning) -> None:
        self.audience = audience
        self.listeners: set[Listener] = set()
        self._wanted: frozenset[Topic] = frozenset()  # by anybody who listens
        self._buckets = BucketNames(audience.names)
        self._is_of_all = self._buckets.is_all
        self._has_bucket = sight.has_bucket
        self._epoch = secrets.token_hex(_EPOCH_BYTES)
        self._number = 0
        self._replay = Replay(seconds=tuning.replay_s, messages=tuning.replay_messages)
        self._pulse = Pulse(self._tell, interval_s=INTERVAL_S, soon_s=SOON_S)
        self._recorded: set[str] = set()
        self._changed: set[str] = set()
        self._jobs: dict[str, Job] = {}  # those that go on
        self._revision: int | None = None  # to be told
        self.now = NowWatch(sight.now, lambda body: self._publish("now", body), is_wanted=lambda: "now" in self._wanted)
        self.goals = GoalWatch(
            sight.goals,
            self._publish_goal,
            is_wanted=lambda: "goal" in self._wanted,
            interval_s=tuning.goals_interval_s,
        )

    def add(self, listener: Listener, *, last_id: str | None, hello: StreamHello) -> None:
        """Let somebody listen, after what is to be said first. `hello` says nothing yet of whether it is resumed."""
        first = self.first_bytes(listener.topics, last_id=last_id, hello=hello)
        self.listeners.add(listener)
        self._wanted |= listener.topics
        listener.begin(first)
        self.goals.touch()

    def remove(self, listener: Listener) -> None:
        """Somebody has gone."""
        self.listeners.discard(listener)
        self._wanted = frozenset(topic for other in self.listeners for topic in other.topics)

    def first_bytes(self, topics: AbstractSet[Topic], *, last_id: str | None, hello: StreamHello) -> bytes:
        """What somebody is told who has heard everything up to an id, or nothing at all."""
        number = None if last_id is None else number_of(last_id, epoch=self._epoch)
        missed = None
        if number is not None and number <= self._number:
            missed = self._replay.after(number, topics, now=asyncio.get_running_loop().time())
        if number is None or missed is None:
            pieces = [self._own("hello", hello, self._number)]
            pieces += [] if last_id is None else [self._own("reset", StreamReset(), self._number)]
        else:
            # With the id that it has: if it is cut off before the rest, that is still missing.
            pieces = [self._own("hello", msgspec.structs.replace(hello, resumed=True), number)]
            pieces += [sent.message for sent in missed]
        is_told = any(sent.topic == "now" for sent in missed or ())
        if "now" in topics and not is_told and self.now.latest is not None:
            pieces.append(message_bytes("now", self.now.latest, epoch=self._epoch, number=self._number))
        return b"".join([RETRY, *pieces])

    def note(self, commit: Commit) -> None:
        """Something was committed."""
        is_of_all = self._is_of_all
        recorded = commit.recorded if is_of_all else [each for each in commit.recorded if each in self._buckets]
        is_seen = bool(recorded)
        if commit.notices:
            is_seen |= self._note_told(commit.notices)
            told = {each.id for each in commit.notices if isinstance(each, BucketNotice)}
            recorded = [each for each in recorded if each not in told]
        self._recorded.update(recorded)
        if is_of_all:
            self._revision = commit.revision
            self.goals.touch()
        if is_of_all or is_seen:
            self._pulse.arm()
            self.now.touch()

    def note_job(self, job: Job) -> None:
        """A job has begun, gone on or ended."""
        if "job" not in self.audience.topics:
            return
        if job.state == "running":
            self._jobs[job.id] = job
            self._pulse.arm()
        else:
            self._jobs.pop(job.id, None)
            self._publish("job", msgspec.json.encode(job.view()))

    def end(self) -> None:
        """End all streams."""
        for listener in list(self.listeners):
            listener.end()

    async def close(self) -> None:
        self._pulse.stop()
        await self.now.close()
        await self.goals.close()

    def _note_told(self, told: Sequence[ChangeNotice]) -> bool:
        is_seen = False
        for each in told:
            if isinstance(each, BucketNotice):
                if each.id not in self._buckets:
                    continue
                is_seen = True
                if each.change == "changed":
                    self._changed.add(each.id)
                else:
                    self._publish_bucket(each)
            else:
                is_seen = True  # rules of categories hold for everybody
                if self.audience.may_hear_of(each):
                    self._publish("settings", msgspec.json.encode(StreamSetting(key=each.key)))
        return is_seen

    def _tell(self) -> None:
        """Tell all that has gathered."""
        changed, recorded = self._changed, self._recorded - self._changed
        self._changed, self._recorded = set(), set()
        for bucket_id in sorted(changed):
            if self._has_bucket(bucket_id):
                self._publish_bucket(BucketNotice(bucket_id, "changed"))
        for bucket_id in sorted(recorded):
            if self._has_bucket(bucket_id):
                self._publish_bucket(BucketNotice(bucket_id, "recorded"))
        revision, self._revision = self._revision, None
        if revision is not None:
            self._publish("revision", msgspec.json.encode(StreamRevision(revision=revision)))
        for job in self._jobs.values():
            self._publish("job", msgspec.json.encode(job.view()))
        if self._jobs:
            self._pulse.arm()

    def _publish_bucket(self, news: BucketNotice) -> None:
        self._publish("bucket", msgspec.json.encode(StreamBucket(id=news.id, change=news.change)))

    def _publish_goal(self, message: StreamGoal) -> None:
        self._publish("goal", msgspec.json.encode(message))

    def _publish(self, topic: Topic, data: bytes) -> None:
        self._number += 1
        message = message_bytes(topic, data, epoch=self._epoch, number=self._number)
        self._replay.add(Sent(self._number, topic, asyncio.get_running_loop().time(), message))
        for listener in list(self.listeners):
            listener.offer(topic, message)

    def _own(self, event: str, content: Struct, number: int) -> bytes:
        return own_message_bytes(event, content, epoch=self._epoch, number=number)
