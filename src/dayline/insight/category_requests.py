"""What clients send about categories."""

from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from dayline.model.categories import Condition
from dayline.model.timestamps import Timestamp

MOST_CATEGORIES: Final = 1000
MOST_CONDITIONS: Final = 200
_LONGEST_COMMENT: Final = 500

Names = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...],
    Meta(
        min_length=1,
        max_length=20,
        description="the path from the root",
        examples=[["Work", "Code"]],
    ),
]
Comment = Annotated[str, Meta(max_length=_LONGEST_COMMENT, description="why, for the history")]
Priority = Annotated[
    int,
    Meta(
        ge=-1_000_000, le=1_000_000, description="of several categories the highest wins; 10 for each level by itself"
    ),
]


class NewRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The classic rule, which all programs know that read the setting `classes`.

    It looks at the window, or at a tab or file that is in no window.
    """

    regex: Annotated[str, Meta(max_length=100_000, examples=["GitHub|vim"])]
    ignore_case: bool = False
    select_keys: (
        Annotated[tuple[str, ...], Meta(min_length=1, description="only these fields; all by itself")] | None
    ) = None
    priority: Priority | None = None


class NewCategory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A category as it is to be. Its classic rule or any one of its conditions makes time belong to it."""

    name: Names
    id: Annotated[int, Meta(ge=0, le=1 << 50)] | None = None
    rule: NewRule | None = None
    conditions: Annotated[list[Condition], Meta(max_length=MOST_CONDITIONS)] = []
    priority: Priority | None = None
    color: Annotated[str, Meta(max_length=40, description="`#rrggbb`, or a name of the palette")] | None = None
    is_always_active: Annotated[bool, Meta(description="its time counts though nobody touches the keyboard")] = False
    data: Annotated[dict[str, Any], Meta(description="what other programs keep with it, such as `score`")] = {}


class CategoriesChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All categories, in order: they take the place of those that there are."""

    categories: Annotated[tuple[NewCategory, ...], Meta(max_length=MOST_CATEGORIES)]
    comment: Comment = ""


class ExplainRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be explained: an event (`bucket` and `id`), data (`data` and `type`), or what was in front at a
    moment (`at`, and `device` where there are several)."""

    bucket: str | None = None
    id: Annotated[int, Meta(ge=1)] | None = None
    data: Annotated[dict[str, Any], Meta(examples=[{"app": "Code", "title": "main.py"}])] | None = None
    type: Annotated[str, Meta(description="the type of the bucket that such data are in")] = "currentwindow"
    at: Timestamp | None = None
    device: Annotated[str, Meta(description="a host name")] | None = None


class PreviewRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A changed rule set, whole, and how many samples to show. The range is given as in all calls about insight."""

    categories: Annotated[tuple[NewCategory, ...], Meta(max_length=MOST_CATEGORIES)]
    samples: Annotated[int, Meta(ge=0, le=200)] = 20


class IgnoredSuggestion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A suggestion that is not to be made again, or is again."""

    id: Annotated[str, Meta(min_length=1, max_length=300, description="as the suggestions have it")]
    is_ignored: bool = True
