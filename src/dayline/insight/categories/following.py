"""Internal fields follow their category when a program that only knows `classes` renames or moves it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from msgspec.structs import replace

from dayline.model.category import OwnFields, Path, entries_of, path_of

_MAX_CATEGORIES_COMPARED: Final = 2000  # categories; comparing more would delay recording

_Entries = dict[Path, Mapping[str, Any]]


def following(fields: Sequence[OwnFields], before: object, after: object) -> tuple[OwnFields, ...]:
    """The internal fields under the paths that their categories have after a change of `classes`, both decoded.

    Fields of a deleted category are kept, without effect, in case it comes back.
    """
    if not fields:
        return ()
    renamed = _renamed(_by_path(before), _by_path(after))
    taken = set(renamed.values())
    kept = (each for each in fields if each.name not in taken)
    return tuple(replace(each, name=renamed.get(each.name, each.name)) for each in kept)


def _renamed(before: _Entries, after: _Entries) -> dict[Path, Path]:
    """Maps former paths to new ones, for each deleted category that seems to have been renamed."""
    if len(before) > _MAX_CATEGORIES_COMPARED or len(after) > _MAX_CATEGORIES_COMPARED:
        return {}
    gone = [path for path in before if path not in after]
    new = [path for path in after if path not in before]
    renamed: dict[Path, Path] = {}
    # By rule first: renaming a parent renames all its children, and their rules distinguish them. Ids are only
    # positions in a list, which the existing web UI numbers again whenever it loads them.
    for key in ("rule", "id"):
        for path in list(new):
            former = next((each for each in gone if _are_alike(before[each], after[path], key)), None)
            if former is not None:
                renamed[former] = path
                gone.remove(former)
                new.remove(path)
    return renamed


def _are_alike(before: Mapping[str, Any], after: Mapping[str, Any], key: str) -> bool:
    if key == "rule":
        return bool(_regex(before)) and before.get("rule") == after.get("rule")
    return before.get("id") is not None and before.get("id") == after.get("id")


def _regex(entry: Mapping[str, Any]) -> object:
    rule: object = entry.get("rule")
    return cast("dict[str, object]", rule).get("regex") if isinstance(rule, dict) else None


def _by_path(classes: object) -> _Entries:
    return {path: entry for entry in entries_of(classes) if (path := path_of(entry)) is not None}
