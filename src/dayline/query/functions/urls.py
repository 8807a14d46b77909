"""The function that adds the parts of a URL to events."""

from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from dayline.query.columns.dictionaries import Joined, Subset, WithFields, compact, with_fields
from dayline.query.columns.distinct import used_codes
from dayline.query.columns.table import Table
from dayline.query.urls import domain_of, split_url
from dayline.storage.columns.dictionaries import member_texts
from dayline.storage.columns.source import MISSING, Codes, Column, Dictionary, Items

URL: Final = "url"
DOMAIN: Final = "$domain"
OTHER_PARTS: Final = ("$protocol", "$path", "$params", "$options", "$identifier")
PARTS: Final = (DOMAIN, *OTHER_PARTS)

_UNKNOWN: Final = -2  # the code of what has not been computed
_TEXTS_REMEMBERED: Final = 5000  # of one part


def split_url_events(events: Table) -> Table:
    """The events with the parts of their URL as fields. Those without an absolute URL are unchanged.

    Fields are computed on demand.
    """
    if _is_split(events.data):
        return events
    events = compact(events)
    url = events.data.column(URL)
    return with_fields(events, {part: UrlPart(url, part) for part in PARTS})


class UrlPart:
    """One part of the URLs in a column."""

    def __init__(self, url: Column, part: str) -> None:
        self._url = url
        self._part = part

    def of(self, codes: Codes) -> Column:
        return self._known().column(self._url.items, self._url.codes[codes], self._part)

    def member_texts(self, codes: Codes) -> list[bytes]:
        return self._known().member_texts(self._url.items, self._url.codes[codes], self._part)

    def subset(self, codes: Codes) -> "UrlPart":
        return UrlPart(self._url.take(codes), self._part)

    def _known(self) -> "_KnownUrls":
        known = _KNOWN.get(self._url.items)
        if known is None:
            known = _KNOWN[self._url.items] = _KnownUrls(self._url.items)
        return known


class _KnownUrls:
    """Cached parts of the URLs among some items. The domain, which is used most, is computed without the rest."""

    def __init__(self, items: Items) -> None:
        self._parts = {part: _Part(items) for part in PARTS}

    def column(self, items: Items, urls: Codes, name: str) -> Column:
        part = self._parts[name]
        used = used_codes(urls, len(items))
        unknown = used[part.codes[used] == _UNKNOWN]
        if len(unknown):
            (self._find_domains if name == DOMAIN else self._split)(items, unknown)
        return Column(part.codes[urls], part.items())

    def member_texts(self, items: Items, urls: Codes, name: str) -> list[bytes]:
        """The text of a part as a member. A few recent ones are cached: the lists of one view show the same URLs."""
        if len(urls) > _TEXTS_REMEMBERED:
            return member_texts(name, self.column(items, urls, name))
        texts, listed = self._parts[name].member_texts, urls.tolist()
        if not texts.keys() >= {*listed}:
            if len(texts) > _TEXTS_REMEMBERED:
                texts.clear()
            texts.update(zip(listed, member_texts(name, self.column(items, urls, name)), strict=True))
        return [texts[url] for url in listed]

    def _find_domains(self, items: Items, unknown: Codes) -> None:
        domain = self._parts[DOMAIN]
        for number, raw in zip(unknown.tolist(), items.raws(unknown), strict=True):
            domain.add(number, domain_of(raw))

    def _split(self, items: Items, unknown: Codes) -> None:
        others = [(self._parts[name], name.removeprefix("$")) for name in OTHER_PARTS]
        for number, raw in zip(unknown.tolist(), items.raws(unknown), strict=True):
            parts = split_url(raw)
            for part, name in others:
                part.add(number, None if parts is None else getattr(parts, name))


class _Part:
    """One part of each URL, as far as it is computed."""

    def __init__(self, items: Items) -> None:
        # One code more than there are items, for events without a URL.
        self.codes: Codes = np.append(np.where(items.is_string, _UNKNOWN, MISSING), MISSING).astype(np.int32)
        self._numbers: dict[bytes, int] = {}
        self._items = Items.of([], [])
        self.member_texts: dict[int, bytes] = {}  # by URL

    def add(self, number: int, raw: bytes | None) -> None:
        self.codes[number] = MISSING if raw is None else self._numbers.setdefault(raw, len(self._numbers))

    def items(self) -> Items:
        if len(self._items) != len(self._numbers):
            self._items = Items.of(list(self._numbers), np.ones(len(self._numbers), dtype=np.bool_))
        return self._items


# While a store caches the items, a later query of the same events finds their parts here.
_KNOWN: Final[WeakKeyDictionary[Items, _KnownUrls]] = WeakKeyDictionary()


def _is_split(data: Dictionary) -> bool:
    """Whether the parts exist already and match the current URLs."""
    if URL not in data.fields():
        return True
    match data:
        case Subset():
            return _is_split(data.base)
        case Joined():
            return all(map(_is_split, data.parts))
        case WithFields() if data.new.keys() & {URL, *PARTS}:
            return URL not in data.new and all(isinstance(data.new.get(part), UrlPart) for part in PARTS)
        case WithFields():
            return _is_split(data.base)
        case _:
            return False
