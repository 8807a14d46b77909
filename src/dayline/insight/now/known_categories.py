"""Cached categories of active windows. A missing one needs a query process, for which callers wait briefly."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

import msgspec

from dayline.insight.now.model import Front, NowCategoriesRequest
from dayline.model.category import UNCATEGORIZED, Category, Path
from dayline.model.errors import DaylineError
from dayline.query.processes.messages import Task
from dayline.query.processes.workers import Queries
from dayline.runtime.background import DetachedTasks

# A warm process answers in about 2 ms; starting one takes a third of a second.
_WAIT_S: Final = 0.005
_MAX_KNOWN: Final = 1000
_CLIENT: Final = "active windows"  # name in the queue for a process

_paths = msgspec.json.Decoder(list[Path])


class KnownCategories:
    """Caches categories by rules and data. Use it on the event loop."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries
        self._known: OrderedDict[bytes, Path] = OrderedDict()
        self._questions = DetachedTasks("category of the active window")
        self._asking: asyncio.Task[None] | None = None

    async def find(self, categories: Sequence[Category], fronts: Sequence[Front | None]) -> list[Path | None]:
        """The category of each; None if it is not known yet, in which case it will be soon."""
        if not categories:
            return [None if front is None else UNCATEGORIZED for front in fronts]
        # A digest, because a thousand keys with the rules themselves would be large.
        rules = blake2b(msgspec.msgpack.encode(categories), digest_size=16).digest()
        keys = [b"" if front is None else msgspec.msgpack.encode((rules, front)) for front in fronts]
        missing = {
            key: front for key, front in zip(keys, fronts, strict=True) if front is not None and key not in self._known
        }
        if missing:
            await self._ask(tuple(categories), missing)
        return [self._known.get(key) for key in keys]

    async def _ask(self, categories: tuple[Category, ...], missing: dict[bytes, Front]) -> None:
        if self._asking is None or self._asking.done():
            self._asking = self._questions.start(self._fetch(categories, missing))
        await asyncio.wait({self._asking}, timeout=_WAIT_S)

    async def _fetch(self, categories: tuple[Category, ...], missing: dict[bytes, Front]) -> None:
        asked = NowCategoriesRequest(categories=categories, fronts=tuple(missing.values()))
        task = Task(name="now_categories", request=msgspec.json.encode(asked))
        try:
            answered = await self._queries.run(task, client=_CLIENT, seconds=self._queries.settings.seconds)
        except DaylineError:
            return  # too many requests, or the server is stopping: the next call tries again
        if not isinstance(answered.body, bytes):  # too large to be sent at once, which does not happen
            answered.body.close()
            return
        for key, path in zip(missing, _paths.decode(answered.body), strict=True):
            self._known[key] = path
        while len(self._known) > _MAX_KNOWN:
            self._known.popitem(last=False)
