"""Stored categories: the setting `classes`, which all clients know, and an internal setting.

`classes` is authoritative for names, order, classic rules and its colors. What other programs would not keep
(conditions, priority, time that counts while idle, colors of our palette) is stored in `categories`, by the path of the
category. `change` is the number of the change of `classes` that it was stored with: every version is one such change.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

import msgspec
from msgspec import Meta, Struct

from dayline.model.data import CanonicalJson, canonical_json, invalid, kind_of

Path: TypeAlias = tuple[str, ...]  # from the root: ("Work", "Code")
Operator: TypeAlias = Literal["is", "has", "word", "starts", "ends", "regex"]

ANY_FIELD: Final = "any"
UNCATEGORIZED: Final[Path] = ("Uncategorized",)
_UNCATEGORIZED: Final = frozenset(f"uncategori{letter}ed" for letter in "sz")  # British and American


class Condition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A condition on one field of an event."""

    field: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=100,
            description="`app`, `title`, `url`, `domain`, `path`, `project`, any other key of the data, or `any`",
            examples=["domain"],
        ),
    ]
    op: Annotated[
        Operator,
        Meta(description="how the text is compared: equal, contained, as a word, at the start or end, or by pattern"),
    ]
    value: Annotated[str, Meta(min_length=1, max_length=10_000, examples=["docs.python.org"])]
    ignore_case: bool = True


class ClassicRule(Struct, frozen=True, kw_only=True):
    """The rule of a category in the setting `classes`, as all clients understand it.

    It applies to every text of a window event, or only to those in `select_keys`.
    """

    regex: str
    ignore_case: bool = False
    select_keys: tuple[str, ...] | None = None
    priority: int | None = None


class Category(Struct, frozen=True, kw_only=True):
    """A category with everything that assigns time to it: its classic rule, or any one of its conditions.

    Of several matching categories, the highest priority wins, by default ten times the depth of its path; of equal ones
    the later.
    """

    id: int
    name: Path
    rule: ClassicRule | None = None
    conditions: tuple[Condition, ...] = ()
    priority: int | None = None
    color: str | None = None
    is_always_active: bool = False  # its time counts without keyboard or mouse input: films, meetings


CLASSES: Final = "classes"  # the setting of clients
CATEGORIES: Final = "categories"  # the internal setting
PALETTE: Final = ("blue", "bronze", "teal", "rose", "gold", "violet", "petrol", "maroon")

_COLOR: Final = "color"


class OwnFields(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The internal fields of the category with this path."""

    name: Path
    conditions: tuple[Condition, ...] = ()
    priority: int | None = None
    color: str | None = None
    is_always_active: bool = False

    @property
    def says_nothing(self) -> bool:
        return self == OwnFields(name=self.name)


class OwnCategories(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The internal setting: fields of categories, who stored them, with which change of `classes`, and why."""

    change: int = 0
    author: str = ""
    comment: str = ""
    fields: tuple[OwnFields, ...] = ()


class StoredFault(Struct, frozen=True, kw_only=True):
    """An invalid part of the settings. `category` is its index in the list."""

    category: int
    name: Path
    message: str


class StoredCategories(Struct, frozen=True, kw_only=True):
    """The categories of the two settings. `data` is the class's data except its color."""

    categories: tuple[Category, ...] = ()
    data: tuple[dict[str, Any], ...] = ()
    faults: tuple[StoredFault, ...] = ()


class _Unusable(Exception):
    pass


# Cached by text, because every response about categories needs them and they rarely change.
@lru_cache(maxsize=8)
def stored_categories(classes: CanonicalJson | None, own: CanonicalJson | None) -> StoredCategories:
    """The categories of both settings. Invalid entries are returned as faults, not raised."""
    entries: object = None if classes is None else msgspec.json.decode(classes)
    if entries is None:
        return StoredCategories()
    if not isinstance(entries, list):
        message = f"the setting {CLASSES} must be a list, not {kind_of(entries)}"
        return StoredCategories(faults=(StoredFault(category=0, name=(), message=message),))
    fields = {each.name: each for each in own_categories(own).fields}
    categories: list[tuple[Category, dict[str, Any]]] = []
    faults: list[StoredFault] = []
    for number, entry in enumerate(cast("list[object]", entries)):
        read = _read(number, entry, fields, faults)
        if read is not None:
            categories.append(read)
    return StoredCategories(
        categories=tuple(category for category, _ in categories),
        data=tuple(data for _, data in categories),
        faults=tuple(faults),
    )


@lru_cache(maxsize=8)
def own_categories(own: CanonicalJson | None) -> OwnCategories:
    """The decoded internal setting; one that this version does not understand counts as not set."""
    try:
        return OwnCategories() if own is None else msgspec.json.decode(own, type=OwnCategories)
    except msgspec.MsgspecError:
        return OwnCategories()


def own_fields_of(categories: Sequence[Category]) -> tuple[OwnFields, ...]:
    """The internal fields of these categories."""
    fields = (
        OwnFields(
            name=each.name,
            conditions=each.conditions,
            priority=each.priority,
            color=each.color if each.color in PALETTE else None,
            is_always_active=each.is_always_active,
        )
        for each in categories
    )
    return tuple(each for each in fields if not each.says_nothing)


def classes_of(
    categories: Sequence[Category], data: Sequence[Mapping[str, Any]], before: CanonicalJson | None
) -> CanonicalJson:
    """The setting `classes` for these categories; unknown members of an entry are kept."""
    entries: object = None if before is None else msgspec.json.decode(before)
    known = {path: entry for entry in entries_of(entries) if (path := path_of(entry)) is not None}
    return canonical_json(
        [_entry(category, rest, known.get(category.name, {})) for category, rest in zip(categories, data, strict=True)]
    )


def entries_of(classes: object) -> list[dict[str, Any]]:
    """The usable entries of a decoded setting `classes`."""
    if not isinstance(classes, list):
        return []
    return [cast("dict[str, Any]", entry) for entry in cast("list[object]", classes) if isinstance(entry, dict)]


def path_of(entry: Mapping[str, Any]) -> Path | None:
    """The path of an entry; None if it has none."""
    name: object = entry.get("name")
    if not isinstance(name, list) or not name:
        return None
    names = cast("list[object]", name)
    if not all(isinstance(each, str) for each in names):
        return None
    return normal_path(tuple(str(each) for each in names))


def normal_path(path: Path) -> Path:
    """The path, or that of uncategorized time if it is another spelling of it."""
    return UNCATEGORIZED if len(path) == 1 and path[0].strip().casefold() in _UNCATEGORIZED else path


def _entry(category: Category, data: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    entry = {**known, "id": category.id, "name": list(category.name), "rule": _rule_entry(category.rule, known)}
    rest = dict(data)
    if category.color is not None and category.color not in PALETTE:
        rest[_COLOR] = category.color
    entry.pop("data", None)
    return {**entry, "data": rest} if rest else entry


def _rule_entry(rule: ClassicRule | None, known: Mapping[str, Any]) -> object:
    try:
        if "rule" in known and _classic(known["rule"]) == rule:
            return known["rule"]  # as it was written
    except _Unusable:
        pass
    if rule is None:
        return {"type": "none"}
    given: dict[str, Any] = {"type": "regex", "regex": rule.regex, "ignore_case": rule.ignore_case}
    if rule.select_keys is not None:
        given["select_keys"] = list(rule.select_keys)
    if rule.priority is not None:
        given["priority"] = rule.priority
    return given


def _read(
    number: int, entry: object, fields: Mapping[Path, OwnFields], faults: list[StoredFault]
) -> tuple[Category, dict[str, Any]] | None:
    if not isinstance(entry, dict):
        message = f"a category must be an object, not {kind_of(entry)}"
        faults.append(StoredFault(category=number, name=(), message=message))
        return None
    known = cast("dict[str, Any]", entry)
    path = path_of(known)
    if path is None:
        message = 'a category must have a name: a list of texts from the root, such as ["Work", "Code"]'
        faults.append(StoredFault(category=number, name=(), message=message))
        return None
    try:
        rule = _classic(known.get("rule"))
    except _Unusable as error:
        faults.append(StoredFault(category=number, name=path, message=str(error)))
        rule = None
    given: object = known.get("data")
    data = dict(cast("dict[str, Any]", given)) if isinstance(given, dict) else {}
    color: object = data.pop(_COLOR, None)
    own = fields.get(path, OwnFields(name=path))
    identity: object = known.get("id")
    category = Category(
        id=identity if isinstance(identity, int) and not isinstance(identity, bool) else number,
        name=path,
        rule=rule,
        conditions=own.conditions,
        priority=own.priority,
        color=color if isinstance(color, str) else own.color,
        is_always_active=own.is_always_active,
    )
    return category, data


def _classic(rule: object) -> ClassicRule | None:
    """A rule of `classes`; None if it never matches. Raises _Unusable, as `categorize` would."""
    if rule is None:
        return None
    if not isinstance(rule, dict):
        raise _Unusable(f"the rule must be an object, not {kind_of(rule)}")
    given = cast("dict[str, Any]", rule)
    kind = given.get("type", "regex" if "regex" in given else None)
    if kind is None or kind == "none":
        return None
    if kind != "regex":
        raise _Unusable(f"the rule's type must be regex or none, not {str(kind)[:80]!r}")
    known: dict[str, Any] = {name: given[name] for name in ("regex", "ignore_case", "select_keys") if name in given}
    priority = given.get("priority", given.get("weight"))
    if isinstance(priority, float) and priority.is_integer():
        priority = int(priority)
    try:
        classic = msgspec.convert({**known, "priority": priority}, ClassicRule)
    except msgspec.ValidationError as error:
        fault = invalid(error, ClassicRule, known | {"priority": priority}, subject="the rule")
        raise _Unusable(f"the rule cannot be used: {fault.message}") from error
    if classic.select_keys == ():
        raise _Unusable("the rule's select_keys must name at least one key")
    return classic
