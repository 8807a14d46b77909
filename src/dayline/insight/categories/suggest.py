"""Suggests rules for the largest groups of uncategorized time. Only query processes import this.

Time in a browser is grouped by domain if that is known, all other time by app: a rule for the browser would match
everything in it. Words of titles are added unless they are just another name for such a group.

The knowledge base of common apps and sites is in known_names.txt.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import numpy as np
from msgspec import Struct

from dayline.insight.active.pieces import Pieces, active_pieces, filter_pieces
from dayline.insight.categories.model import (
    ConditionView,
    Suggestion,
    SuggestionBasis,
    SuggestionKind,
    Suggestions,
    SuggestionSample,
)
from dayline.insight.categories.preview import decode_layers, shown_fields
from dayline.insight.categories.tasks import SuggestTask
from dayline.insight.now.buckets import is_browser
from dayline.insight.request import range_answer
from dayline.model.category import UNCATEGORIZED, Category, Path
from dayline.model.time import SECOND
from dayline.storage.columns.source import MISSING, Codes, ColumnSource, Flags, Ids, Times


def proposed_category(
    kind: SuggestionKind, value: str, categories: Sequence[Category]
) -> tuple[Path, str, SuggestionBasis]:
    """A category for an app, a domain or a word, the reason as a sentence, and what it is based on."""
    match kind:
        case "app" if is_browser(value):
            # A category for everything in a browser; rules for sites are below it, and win.
            reason = f"{value} is a web browser: its watcher extension distinguishes sites"
            return in_categories(_BROWSING, categories), reason, "browser"
        case "app" if known := known_app(value):
            return in_categories(known.category, categories), f"{value} is {known.with_article} app", "known_app"
        case "domain" if known := known_site(value):
            return in_categories(known.category, categories), f"{value} is {known.with_article} site", "known_site"
        case "domain" if known := known_host(value):
            first = value.partition(".")[0]
            reason = f"an address that starts with “{first}.” is usually {known.with_article} site"
            return in_categories(known.category, categories), reason, "known_host"
        case _:
            return in_categories((_own_name(kind, value),), categories), _UNKNOWN[kind], kind


_BROWSING: Final[Path] = ("Web",)
_UNKNOWN: Final[dict[SuggestionKind, str]] = {
    "app": "you spent time in this app, and no rule matches it",
    "domain": "you spent time on this site, and no rule matches it",
    "word": "several titles without a category contain this word",
}


def _own_name(kind: SuggestionKind, value: str) -> str:
    if kind != "domain":
        return value[:1].upper() + value[1:]
    labels = value.split(".")
    # docs.example.co.uk: the longest label before the last one, which is usually the name of the owner.
    name = max(labels[:-1] or labels, key=len)
    return name[:1].upper() + name[1:]


_MIN_TIME: Final = 60 * SECOND  # less is not worth a rule
_SAMPLES: Final = 3
_TITLES: Final = 5000  # the titles with the most time are searched for words
_MIN_TITLES: Final = 2  # titles that must contain a word
_OWN_SHARE: Final = 0.8  # if one group has this share of a word's time, the word is just another name for it
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
# Words that do not distinguish activities: function words, and the browsers' names in the titles of their windows.
_COMMON: Final = frozenset((
    "about", "after", "also", "auch", "aber", "been", "dans", "diese", "eine", "einen", "from", "have", "home", "http",
    "https", "into", "mehr", "more", "most", "nach", "nicht", "noch", "oder", "page", "para", "pour", "seite", "sind",
    "sobre", "some", "that", "their", "then", "there", "they", "this", "untitled", "welcome", "were", "what", "when",
    "will", "window", "wird", "with", "your",
    "brave", "browser", "chrome", "chromium", "edge", "firefox", "google", "microsoft", "mozilla", "opera", "private",
    "safari", "vivaldi",
))  # fmt: skip


class _Spent(Struct, frozen=True, eq=False):
    """Uncategorized combinations, and the time of each."""

    pieces: Pieces
    numbers: Codes
    time: Times


class _SuggestionGroup(Struct, frozen=True, eq=False):
    """Time that has something in common; `members` are indices of combinations."""

    kind: SuggestionKind
    value: str
    time: int
    members: Ids

    @property
    def id(self) -> str:
        return f"{self.kind}:{self.value}"


def suggest_categories(task: SuggestTask, source: ColumnSource) -> Suggestions:
    """The task: the largest groups of uncategorized time."""
    common = task.common
    pieces = filter_pieces(common, active_pieces(source, common.scope, common.start, common.end, common))
    spent = _uncategorized_time(pieces)
    by_name = [*_by_field(spent, "domain"), *_apps(spent)]
    groups = sorted([*by_name, *_words(spent, by_name)], key=lambda group: (-group.time, group.id))
    wanted = [group for group in groups if group.id not in task.ignored]
    return Suggestions(
        range=range_answer(common.calendar, common.start, common.end),
        uncategorized=int(spent.time.sum()) / SECOND,
        suggestions=[_suggestion(task, spent, group) for group in wanted[: task.limit]],
        ignored=len(groups) - len(wanted),
    )


def _uncategorized_time(pieces: Pieces) -> _Spent:
    keys = pieces.combinations.keys("category")
    is_without = np.array([name == UNCATEGORIZED for name in keys.names], dtype=np.bool_)[keys.codes]
    is_without[pieces.combinations.recorded_count :] = False  # annotated time needs no rule
    time = np.zeros(len(pieces.combinations), dtype=np.int64)
    np.add.at(time, pieces.combination, pieces.duration)
    numbers = np.flatnonzero(is_without & (time > 0)).astype(np.int32)
    return _Spent(pieces, numbers, time[numbers])


def _apps(spent: _Spent) -> Iterator[_SuggestionGroup]:
    without = spent.pieces.combinations.keys("domain").codes[spent.numbers] == MISSING
    return _by_field(spent, "app", without)


def _by_field(spent: _Spent, field: Literal["app", "domain"], which: Flags | None = None) -> Iterator[_SuggestionGroup]:
    keys = spent.pieces.combinations.keys(field)
    codes = keys.codes[spent.numbers]
    if which is not None:
        codes = np.where(which, codes, np.int32(MISSING))
    time = np.zeros(len(keys.names) + 1, dtype=np.int64)  # MISSING is the last entry
    np.add.at(time, codes, spent.time)
    for number in np.flatnonzero(time[:-1] >= _MIN_TIME).tolist():
        name = keys.names[number]
        if isinstance(name, str) and name.strip():
            yield _SuggestionGroup(field, name, int(time[number]), np.flatnonzero(codes == number))


def _words(spent: _Spent, by_name: Sequence[_SuggestionGroup]) -> Iterator[_SuggestionGroup]:
    keys = spent.pieces.combinations.keys("title")
    codes = keys.codes[spent.numbers]
    time = np.zeros(len(keys.names) + 1, dtype=np.int64)
    np.add.at(time, codes, spent.time)
    largest: list[int] = np.argsort(-time[:-1], kind="stable")[:_TITLES].tolist()
    titles: dict[str, list[int]] = {}
    for number in largest:
        if time[number]:
            for word in {each.casefold() for each in _WORD.findall(str(keys.names[number]))} - _COMMON:
                titles.setdefault(word, []).append(number)
    for word, numbers in titles.items():
        total = int(time[numbers].sum())
        if len(numbers) >= _MIN_TITLES and total >= _MIN_TIME:
            group = _SuggestionGroup("word", word, total, np.flatnonzero(np.isin(codes, numbers)))
            if not any(_is_other_name(spent, group, other) for other in by_name):
                yield group


def _is_other_name(spent: _Spent, group: _SuggestionGroup, other: _SuggestionGroup) -> bool:
    """Whether nearly all time of a word belongs to one app or domain."""
    shared = np.intersect1d(group.members, other.members, assume_unique=True)
    return int(spent.time[shared].sum()) >= _OWN_SHARE * group.time


def _suggestion(task: SuggestTask, spent: _Spent, group: _SuggestionGroup) -> Suggestion:
    category, reason, basis = proposed_category(group.kind, group.value, task.common.scope.categories)
    return Suggestion(
        id=group.id,
        kind=group.kind,
        value=group.value,
        seconds=group.time / SECOND,
        count=len(group.members),
        samples=_samples(spent, group),
        condition=ConditionView(
            field="title" if group.kind == "word" else group.kind,
            op="word" if group.kind == "word" else "is",
            value=group.value,
        ),
        category=category,
        reason=reason,
        basis=basis,
        is_known=basis.startswith("known_"),
    )


def _samples(spent: _Spent, group: _SuggestionGroup) -> list[SuggestionSample]:
    order = group.members[np.argsort(-spent.time[group.members], kind="stable")[: 4 * _SAMPLES]]
    samples: dict[tuple[str | None, str | None, str | None], int] = {}
    for row in order.tolist():
        shown = shown_fields(decode_layers(spent.pieces.combinations.data(int(spent.numbers[row]))))
        samples[shown] = samples.get(shown, 0) + int(spent.time[row])
    largest = sorted(samples.items(), key=lambda item: -item[1])[:_SAMPLES]
    return [
        SuggestionSample(app=app, title=title, url=url, seconds=time / SECOND) for (app, title, url), time in largest
    ]


# org.gnome.Nautilus, com.slack.Slack: identifiers of Flatpak and macOS.
_REVERSE_DNS: Final = re.compile(r"(?:[a-z][\w-]*\.){2,}(?=[\w -]+$)")


class KnownName(Struct, frozen=True):
    """The category of a name, and the noun that completes "Slack is a … app"."""

    category: Path
    noun: str

    @property
    def with_article(self) -> str:
        return f"{'an' if self.noun[0] in 'aeiouA' else 'a'} {self.noun}"


class _KnownNames(Struct, frozen=True):
    apps: dict[str, KnownName]
    sites: dict[str, KnownName]
    hosts: dict[str, KnownName]


def known_app(app: str) -> KnownName | None:
    name = app.strip().casefold().removesuffix(".exe")
    apps = _known_names().apps
    return apps.get(name) or apps.get(_REVERSE_DNS.sub("", name, count=1))


def known_site(domain: str) -> KnownName | None:
    """The entry of the site or, for a subdomain, of the site that it belongs to."""
    labels = domain.strip(".").casefold().split(".")
    sites = _known_names().sites
    return next((known for start in range(len(labels)) if (known := sites.get(".".join(labels[start:])))), None)


def known_host(domain: str) -> KnownName | None:
    """The category suggested by the first label of a domain, as in mail.example.org."""
    first, _, rest = domain.casefold().partition(".")
    return _known_names().hosts.get(first) if rest else None


def in_categories(known: Path, categories: Sequence[Category]) -> Path:
    """The user's category of the same name, anywhere in their tree, or else the one of the knowledge base."""
    name = known[-1].casefold()
    return next((each.name for each in categories if each.name[-1].casefold() == name), known)


@cache
def _known_names() -> _KnownNames:
    names = _KnownNames({}, {}, {})
    by_word = {"app": names.apps, "site": names.sites, "host": names.hosts}
    known: KnownName | None = None
    text = (files("dayline.insight.categories") / "known_names.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "=":
            category, _, noun = rest.partition(": ")
            known = KnownName(tuple(category.split(" > ")), noun)
        elif known is not None and word in by_word:
            by_word[word].update(dict.fromkeys(rest.split(", "), known))
    return names
