"""Projects: names for time that belongs together, with rules, an hourly rate and a color. No numpy."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from dayline.model.category import Category, Condition, Path
from dayline.model.data import CanonicalJson, canonical_json

MAX_PROJECTS: Final = 200
_MAX_RULES: Final = 200
_MAX_RATE: Final = 1_000_000

CategoryPath = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...],
    Meta(min_length=1, max_length=20, description="a category, with its subcategories", examples=[["Work", "ACME"]]),
]


class Project(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A project. Time belongs to it if it is in one of its categories, or if one of its conditions matches.

    Of several projects, the first one counts. Time that no project matches belongs to the project that an editor has
    recorded.
    """

    name: Annotated[str, Meta(min_length=1, max_length=100, examples=["ACME"])]
    categories: Annotated[tuple[CategoryPath, ...], Meta(max_length=_MAX_RULES)] = ()
    conditions: Annotated[tuple[Condition, ...], Meta(max_length=_MAX_RULES)] = ()
    rate: Annotated[float, Meta(ge=0, le=_MAX_RATE, description="price of an hour", examples=[80.0])] | None = None
    is_billable: Annotated[bool, Meta(description="whether timesheets compute its price")] = True
    color: Annotated[str, Meta(max_length=40, description="`#rrggbb`, or a name of the palette")] | None = None

    def has_category(self, path: Path) -> bool:
        """Whether one of its categories is this one, or above it."""
        return any(path[: len(each)] == each for each in self.categories)


class Projects(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All projects, in order: the first one that matches counts."""

    projects: Annotated[tuple[Project, ...], Meta(max_length=MAX_PROJECTS)] = ()


_projects = msgspec.json.Decoder(Projects)


# Cached by text: every insight request needs them, and they rarely change.
@lru_cache(maxsize=8)
def projects_of(stored: CanonicalJson | None) -> Projects:
    """The projects in the setting; a setting that this version does not understand counts as not set."""
    try:
        return Projects() if stored is None else _projects.decode(stored)
    except msgspec.MsgspecError:
        return Projects()


def stored_projects(projects: Projects) -> CanonicalJson:
    """The setting for these projects."""
    return canonical_json(msgspec.to_builtins(projects))


def project_rules(projects: Sequence[Project]) -> tuple[Category, ...]:
    """The conditions of the projects as rules of categories, by which a Classifier finds the first match."""
    return tuple(
        Category(id=number, name=rule_name(each), conditions=each.conditions, priority=-number)
        for number, each in enumerate(projects)
    )


def rule_name(project: Project) -> Path:
    """The name of a project's rules, which no category of one level has."""
    return ("Project", project.name)
