"""Categories: paths in a tree of names, and what makes time belong to one."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

Path: TypeAlias = tuple[str, ...]  # from the root: ("Work", "Code")
Operator: TypeAlias = Literal["is", "has", "word", "starts", "ends", "regex"]

ANY_FIELD: Final = "any"
UNCATEGORIZED: Final[Path] = ("Uncategorized",)


class Condition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that makes time belong to a category: a field of what was recorded, and what has to be in it."""

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
        Meta(
            description="how: it is the text, has it anywhere, as a word, at its start or end, or matches the pattern"
        ),
    ]
    value: Annotated[str, Meta(min_length=1, max_length=10_000, examples=["docs.python.org"])]
    ignore_case: bool = True


class ClassicRule(Struct, frozen=True, kw_only=True):
    """The rule of a category as the setting `classes` has it, for all who read that setting.

    It looks at every text of a window event, or at those of `select_keys` alone.
    """

    regex: str
    ignore_case: bool = False
    select_keys: tuple[str, ...] | None = None
    priority: int | None = None


class Category(Struct, frozen=True, kw_only=True):
    """One category, with all that can make time belong to it: its classic rule, or any one of its conditions.

    Of several categories that would do, the one of the highest priority wins, which is ten times the depth of its path
    where none is given; of equal ones the later.
    """

    id: int
    name: Path
    rule: ClassicRule | None = None
    conditions: tuple[Condition, ...] = ()
    priority: int | None = None
    color: str | None = None
    is_always_active: bool = False  # its time counts though nobody touches the keyboard: films, meetings
