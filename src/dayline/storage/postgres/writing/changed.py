"""What a transaction has changed, and how the other servers hear of it.

A message names the buckets, not what became of them: whoever hears it reads them. It is sent in the transaction of a
change; of heartbeats, which are many, one tells for all of a moment (listener.py).
"""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.timestamps import Microseconds
from dayline.storage.news import BucketNews, BucketTurn, SettingNews, Told
from dayline.storage.postgres.connections.connection import Connection
from dayline.storage.postgres.schema.schema import CHANNEL
from dayline.storage.postgres.writing.turn import Found

_MOST_BYTES: Final = 7_900  # PostgreSQL takes 8,000


class Grown(Struct, frozen=True):
    """Where a bucket that heartbeats went to begins and ends now. All else of it is as it was."""

    key: int
    version: int
    start: Microseconds
    end: Microseconds


class Changed(Struct, frozen=True, kw_only=True):
    """What a transaction did to the data of one tenant. `aliases` are all of them, where they may have changed."""

    tenant: str
    buckets: Sequence[Found]
    grown: Sequence[Grown] = ()
    aliases: dict[str, str] | None
    told: Sequence[Told]
    is_access: bool = False


class News(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message between servers. `is_all`: so much has changed that everything is to be read again."""

    server: str
    tenant: str
    buckets: list[int] = []
    turns: list[tuple[str, BucketTurn]] = []
    settings: list[tuple[str, bool]] = []
    is_access: bool = False
    is_all: bool = False

    @property
    def told(self) -> list[Told]:
        turns = [BucketNews(bucket_id, change) for bucket_id, change in self.turns]
        return [*turns, *(SettingNews(key, is_own) for key, is_own in self.settings)]


def news_of(changed: Changed, *, server: str) -> News:
    """What the others need to know of it."""
    return News(
        server=server,
        tenant=changed.tenant,
        buckets=[state.key for state in changed.buckets],
        turns=[(each.id, each.change) for each in changed.told if isinstance(each, BucketNews)],
        settings=[(each.key, each.is_own) for each in changed.told if isinstance(each, SettingNews)],
        is_access=changed.is_access,
    )


def send_news(db: Connection, messages: Sequence[News]) -> None:
    """Tell the other servers, when the transaction is committed."""
    for news in messages:
        if not (news.buckets or news.turns or news.settings or news.is_access or news.is_all):
            continue
        text = msgspec.json.encode(news)
        if len(text) > _MOST_BYTES:
            text = msgspec.json.encode(News(server=news.server, tenant=news.tenant, is_access=True, is_all=True))
        db.execute("SELECT pg_notify(%s, %s)", (CHANNEL, text.decode()))
