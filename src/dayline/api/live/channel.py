"""The messages of one audience: numbered, stored for replay, and sent to its listeners."""

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec
from msgspec import Struct

from dayline.api.live.goal_watch import AnswerGoals, GoalWatch
from dayline.api.live.listener import StreamListener, StreamTuning, Throttle
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
from dayline.api.live.now_watch import AnswerNow, NowWatch
from dayline.maintenance.jobs import BackgroundJob
from dayline.model.access import BucketNames
from dayline.storage.writing.notices import BucketNotice, ChangeNotice, Commit

_MAX_BYTES: Final = 4 << 20


class SentMessage(Struct, frozen=True):
    """A message, and the loop time at which it was sent."""

    number: int
    topic: Topic
    at: float
    message: bytes


class Replay:
    """The latest messages in order, limited by age, number and size."""

    def __init__(self, *, seconds: float, messages: int) -> None:
        self._seconds = seconds
        self._messages = messages
        self._sent: deque[SentMessage] = deque()
        self._bytes = 0
        self._dropped: dict[Topic, int] = {}  # the number of the last message of a topic that is gone

    def add(self, sent: SentMessage) -> None:
        """Store a message, and drop those that are too old or too many."""
        self._sent.append(sent)
        self._bytes += len(sent.message)
        self._drop_expired(sent.at)
        while self._sent and (len(self._sent) > self._messages or self._bytes > _MAX_BYTES):
            self._drop_first()

    def after(self, number: int, topics: AbstractSet[Topic], *, now: float) -> list[SentMessage] | None:
        """The messages after a number on these topics; None if some of them were dropped."""
        self._drop_expired(now)
        if any(self._dropped.get(topic, 0) > number for topic in topics):
            return None
        return [sent for sent in self._sent if sent.number > number and sent.topic in topics]

    def _drop_expired(self, now: float) -> None:
        while self._sent and self._sent[0].at < now - self._seconds:
            self._drop_first()

    def _drop_first(self) -> None:
        first = self._sent.popleft()
        self._bytes -= len(first.message)
        self._dropped[first.topic] = first.number


# The channel.
INTERVAL_S: Final = 1.0  # min time between two messages of one kind about one object
SOON_S: Final = 0.05
_EPOCH_BYTES: Final = 8


class ChannelQueries(Struct, frozen=True, kw_only=True):
    """The endpoints that a channel calls for its audience."""

    now: AnswerNow
    goals: AnswerGoals
    has_bucket: Callable[[str], bool]


class Channel:
    """The channel of one audience. Use on the event loop; methods do not block unless they are async."""

    def __init__(self, audience: Audience, queries: ChannelQueries, tuning: StreamTuning) -> None:
        self.audience = audience
        self.listeners: set[StreamListener] = set()
        self._wanted: frozenset[Topic] = frozenset()  # the topics of all listeners
        self._buckets = BucketNames(audience.names)
        self._is_of_all = self._buckets.is_all
        self._has_bucket = queries.has_bucket
        self._epoch = secrets.token_hex(_EPOCH_BYTES)
        self._number = 0
        self._replay = Replay(seconds=tuning.replay_s, messages=tuning.replay_messages)
        self._throttle = Throttle(self._publish_pending, interval_s=INTERVAL_S, soon_s=SOON_S)
        self._recorded: set[str] = set()
        self._changed: set[str] = set()
        self._jobs: dict[str, BackgroundJob] = {}  # running jobs
        self._revision: int | None = None  # not sent yet
        self.now = NowWatch(
            queries.now, lambda body: self._publish("now", body), is_wanted=lambda: "now" in self._wanted
        )
        self.goals = GoalWatch(
            queries.goals,
            self._publish_goal,
            is_wanted=lambda: "goal" in self._wanted,
            interval_s=tuning.goals_interval_s,
        )

    def add(self, listener: StreamListener, *, last_id: str | None, hello: StreamHello) -> None:
        """Add a listener and send its first messages. `hello.resumed` is set here."""
        first = self.first_bytes(listener.topics, last_id=last_id, hello=hello)
        self.listeners.add(listener)
        self._wanted |= listener.topics
        listener.begin(first)
        self.goals.touch()

    def remove(self, listener: StreamListener) -> None:
        """Remove a listener."""
        self.listeners.discard(listener)
        self._wanted = frozenset(topic for other in self.listeners for topic in other.topics)

    def first_bytes(self, topics: AbstractSet[Topic], *, last_id: str | None, hello: StreamHello) -> bytes:
        """The first messages for a listener that has received everything up to an id, or nothing."""
        number = None if last_id is None else number_of(last_id, epoch=self._epoch)
        missed = None
        if number is not None and number <= self._number:
            missed = self._replay.after(number, topics, now=asyncio.get_running_loop().time())
        if number is None or missed is None:
            pieces = [self._own("hello", hello, self._number)]
            pieces += [] if last_id is None else [self._own("reset", StreamReset(), self._number)]
        else:
            # With the id that the client has: if it disconnects before the rest, the rest is still missing.
            pieces = [self._own("hello", msgspec.structs.replace(hello, resumed=True), number)]
            pieces += [sent.message for sent in missed]
        has_now = any(sent.topic == "now" for sent in missed or ())
        if "now" in topics and not has_now and self.now.latest is not None:
            pieces.append(message_bytes("now", self.now.latest, epoch=self._epoch, number=self._number))
        return b"".join([RETRY, *pieces])

    def note(self, commit: Commit) -> None:
        """Process a commit."""
        is_of_all = self._is_of_all
        recorded = commit.recorded if is_of_all else [each for each in commit.recorded if each in self._buckets]
        is_seen = bool(recorded)
        if commit.notices:
            is_seen |= self._note_changes(commit.notices)
            changed_ids = {each.id for each in commit.notices if isinstance(each, BucketNotice)}
            recorded = [each for each in recorded if each not in changed_ids]
        self._recorded.update(recorded)
        if is_of_all:
            self._revision = commit.revision
            self.goals.touch()
        if is_of_all or is_seen:
            self._throttle.arm()
            self.now.touch()

    def note_job(self, job: BackgroundJob) -> None:
        """Process a change of a job."""
        if "job" not in self.audience.topics:
            return
        if job.state == "running":
            self._jobs[job.id] = job
            self._throttle.arm()
        else:
            self._jobs.pop(job.id, None)
            self._publish("job", msgspec.json.encode(job.view()))

    def end(self) -> None:
        """End all streams."""
        for listener in list(self.listeners):
            listener.end()

    async def close(self) -> None:
        self._throttle.stop()
        await self.now.close()
        await self.goals.close()

    def _note_changes(self, changes: Sequence[ChangeNotice]) -> bool:
        is_seen = False
        for each in changes:
            if isinstance(each, BucketNotice):
                if each.id not in self._buckets:
                    continue
                is_seen = True
                if each.change == "changed":
                    self._changed.add(each.id)
                else:
                    self._publish_bucket(each)
            else:
                is_seen = True  # category rules apply to all buckets
                if self.audience.may_receive(each):
                    self._publish("settings", msgspec.json.encode(StreamSetting(key=each.key)))
        return is_seen

    def _publish_pending(self) -> None:
        """Send everything that has accumulated."""
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
            self._throttle.arm()

    def _publish_bucket(self, news: BucketNotice) -> None:
        self._publish("bucket", msgspec.json.encode(StreamBucket(id=news.id, change=news.change)))

    def _publish_goal(self, message: StreamGoal) -> None:
        self._publish("goal", msgspec.json.encode(message))

    def _publish(self, topic: Topic, data: bytes) -> None:
        self._number += 1
        message = message_bytes(topic, data, epoch=self._epoch, number=self._number)
        self._replay.add(SentMessage(self._number, topic, asyncio.get_running_loop().time(), message))
        for listener in list(self.listeners):
            listener.offer(topic, message)

    def _own(self, event: str, content: Struct, number: int) -> bytes:
        return own_message_bytes(event, content, epoch=self._epoch, number=number)
