"""Reads and changes the stored categories, their additional fields, and their versions.

Every change of the setting `classes`, by any program, is a version; its number is that of the change.
"""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from dayline.api.http.call import Call, ExpectedTags, permits
from dayline.insight.categories.following import following
from dayline.insight.categories.model import CategoryVersion
from dayline.model.category import (
    CATEGORIES,
    CLASSES,
    Category,
    OwnCategories,
    StoredCategories,
    own_categories,
    stored_categories,
)
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import NotFound, Stale
from dayline.model.settings.history import HistoryFilter, SettingBefore, SettingChange, SettingPair
from dayline.model.time import format_timestamp

OTHER_PROGRAM: Final = "ActivityWatch client"
_PAGE: Final = 100
_TRIES: Final = 5

Compose = Callable[[SettingBefore], tuple[CanonicalJson | None, OwnCategories]]


class CategoryState(Struct, frozen=True, kw_only=True):
    """Both settings at one time. `change` is the last change of `classes`, None if there was none."""

    change: SettingChange | None
    own: CanonicalJson | None

    @property
    def classes(self) -> CanonicalJson | None:
        return None if self.change is None else self.change.value

    @property
    def stored(self) -> StoredCategories:
        return stored_categories(self.classes, self.own)

    @property
    def version(self) -> CategoryVersion | None:
        return None if self.change is None else _version(self.change, own_categories(self.own))

    @property
    def tag(self) -> str:
        return tag_of(self.change.number if self.change else 0)


def tag_of(number: int) -> str:
    """The entity tag of a version, without quotes."""
    return f"categories-{number}"


def current_state(call: Call) -> CategoryState:
    """The current categories."""
    state = _read_state(call)
    for _ in range(_TRIES):
        if own_categories(state.own).change <= (state.change.number if state.change else 0):
            break
        state = _read_state(call)  # they were changed between the two reads
    return state


def current_categories(call: Call) -> tuple[Category, ...]:
    """The current categories. They are rules, not data, so this does not depend on the caller's buckets."""
    store = call.tenant.store
    return stored_categories(store.setting(CLASSES), call.access.own_setting(CATEGORIES)).categories


def state_at(call: Call, number: int) -> CategoryState:
    """The categories of a version. Raises NotFound."""
    changes = call.store.setting_history(HistoryFilter(key=CLASSES, before=number + 1, limit=1))
    if not changes or changes[0].number != number:
        raise no_version(str(number))
    return CategoryState(change=changes[0], own=_own_at(call, number))


def versions(call: Call, *, before: int | None, limit: int) -> list[CategoryVersion]:
    """Versions, the latest first."""
    changes = call.store.setting_history(HistoryFilter(key=CLASSES, before=before, limit=limit))
    if not changes:
        return []
    authors: dict[int, OwnCategories] = {}
    for own in _own_changes(call):
        authors[own.change] = own
        if own.change <= changes[-1].number:
            break
    return [_version(change, authors.get(change.number)) for change in changes]


async def change_categories(
    call: Call, compose: Compose, *, expected: ExpectedTags | None, author: str, comment: str
) -> int:
    """Store what `compose` returns as a new version. Returns its number. Raises Stale if `expected` does not match."""

    def pair(before: SettingBefore) -> SettingPair:
        if expected is not None and not permits(expected, tag_of(before.number)):
            raise _stale(before)
        value, own = compose(before)
        own = replace(own, change=before.next, author=author, comment=comment)
        return SettingPair(value=value, own=canonical_json(msgspec.to_builtins(own)))

    return await call.store.change_setting_pair(CLASSES, CATEGORIES, pair)


async def change_classes(call: Call, value: CanonicalJson | None, *, comment: str = "") -> None:
    """Set the setting `classes` to what another program sent. Additional fields of known categories stay."""
    after: object = None if value is None else msgspec.json.decode(value)

    def compose(before: SettingBefore) -> tuple[CanonicalJson | None, OwnCategories]:
        own = own_categories(before.own)
        former: object = None if before.value is None else msgspec.json.decode(before.value)
        return value, OwnCategories(fields=following(own.fields, former, after))

    await change_categories(call, compose, expected=None, author=_author_of_classes(call), comment=comment)


def author_of(call: Call) -> str:
    """The author of a change, for the history."""
    match call.caller.kind:
        case "key" | "envelope":
            return _key_name(call)
        case "local":
            return "command line"
        case "session":
            return "web UI"
        case _:
            # Without keys the caller is unknown, but a browser can be recognized.
            return "web UI" if call.request.get_header("Sec-Fetch-Site") else "a program without a key"


def no_version(number: str) -> NotFound:
    """The error for an unknown version."""
    return NotFound(
        f"there is no version {number[:40]!r} of the categories",
        hint="GET /api/1/categories/versions lists the versions",
    )


def _read_state(call: Call) -> CategoryState:
    changes = call.store.setting_history(HistoryFilter(key=CLASSES, limit=1))
    return CategoryState(change=changes[0] if changes else None, own=call.access.own_setting(CATEGORIES))


def _author_of_classes(call: Call) -> str:
    return f"{OTHER_PROGRAM} ({_key_name(call)})" if call.caller.key_id else OTHER_PROGRAM


def _key_name(call: Call) -> str:
    key = call.server.gate.keyring.find(call.caller.key_id)
    return f"key {key.name or key.id}"


def _version(change: SettingChange, own: OwnCategories | None) -> CategoryVersion:
    # A change without additional fields was made by another program, or before Dayline stored them.
    known = own if own is not None and own.change == change.number else OwnCategories(author=OTHER_PROGRAM)
    return CategoryVersion(
        number=change.number, changed=format_timestamp(change.changed), author=known.author, comment=known.comment
    )


def _own_at(call: Call, number: int) -> CanonicalJson | None:
    for own in _own_changes(call):
        if own.change <= number:
            return canonical_json(msgspec.to_builtins(own))
    return None


def _own_changes(call: Call) -> Iterator[OwnCategories]:
    """The additional fields of each change, the latest first."""
    before: int | None = None
    while changes := call.access.own_setting_history(HistoryFilter(key=CATEGORIES, before=before, limit=_PAGE)):
        yield from (own_categories(change.value) for change in changes)
        before = changes[-1].number


def _stale(before: SettingBefore) -> Stale:
    if before.changed is None:
        return Stale(
            "the categories were deleted by another client", hint="GET /api/1/categories returns the current ones"
        )
    own = own_categories(before.own)
    author = own.author if own.change == before.number else OTHER_PROGRAM
    return Stale(
        f"the categories were changed by {author} at {format_timestamp(before.changed)}: version {before.number}",
        hint=f"GET /api/1/categories/versions/{before.number} shows it; to overwrite it, send the change with If-Match "
        f'"{tag_of(before.number)}"',
        tag=f'"{tag_of(before.number)}"',
    )
