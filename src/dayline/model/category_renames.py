"""Own fields of categories follow them when a program that knows only `classes` renames or moves one."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from msgspec.structs import replace

from dayline.model.categories import Path
from dayline.model.category_settings import OwnFields, entries_of, path_of

_MOST: Final = 2000  # categories; to compare more would hold up recording, and nobody has them

_Entries = dict[Path, Mapping[str, Any]]


def following(fields: Sequence[OwnFields], before: object, after: object) -> tuple[OwnFields, ...]:
    """The own fields under the paths that their categories have after a change of `classes`, both decoded.

    Fields of a category that is gone are kept, without effect: they are there again when it comes back.
    """
    if not fields:
        return ()
    renamed = _renamed(_by_path(before), _by_path(after))
    taken = set(renamed.values())
    kept = (each for each in fields if each.name not in taken)
    return tuple(replace(each, name=renamed.get(each.name, each.name)) for each in kept)


def _renamed(before: _Entries, after: _Entries) -> dict[Path, Path]:
    """From the former path to the new one, for each category that is gone and seems to be there by another name."""
    if len(before) > _MOST or len(after) > _MOST:
        return {}
    gone = [path for path in before if path not in after]
    new = [path for path in after if path not in before]
    renamed: dict[Path, Path] = {}
    # The rule first: whoever renames a parent renames all its children, and their rules tell them apart. Ids are only
    # the places of a list, which the existing web UI counts anew whenever it loads them.
    for key in ("rule", "id"):
        for path in list(new):
            found = next((each for each in gone if _are_alike(before[each], after[path], key)), None)
            if found is not None:
                renamed[found] = path
                gone.remove(found)
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
