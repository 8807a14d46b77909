"""Requests and responses about categories. No numpy: the recording process describes and decodes them."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import asdict

from dayline.insight.categories.colors import DisplayColors
from dayline.insight.now.model import Layer
from dayline.insight.request import RangeResponse
from dayline.model.category import Category, ClassicRule, Condition, Operator, Path, StoredCategories
from dayline.model.time import Timestamp

MAX_CATEGORIES: Final = 1000
MAX_CONDITIONS: Final = 200
MAX_COMMENT: Final = 500

Names = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...],
    Meta(
        min_length=1,
        max_length=20,
        description="the path from the root",
        examples=[["Work", "Code"]],
    ),
]
Comment = Annotated[str, Meta(max_length=MAX_COMMENT, description="reason for the change, for the history")]
Priority = Annotated[
    int,
    Meta(
        ge=-1_000_000, le=1_000_000, description="if several categories match, the highest wins; default: 10 per level"
    ),
]


class NewRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The classic rule, which all programs know that read the setting `classes`.

    It checks the window, or a tab or file if there is no window.
    """

    regex: Annotated[str, Meta(max_length=100_000, examples=["GitHub|vim"])]
    ignore_case: bool = False
    select_keys: (
        Annotated[tuple[str, ...], Meta(min_length=1, description="only these fields; default: all")] | None
    ) = None
    priority: Priority | None = None


class NewCategory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A category to store. Time belongs to it if its classic rule or one of its conditions matches."""

    name: Names
    id: Annotated[int, Meta(ge=0, le=1 << 50)] | None = None
    rule: NewRule | None = None
    conditions: Annotated[list[Condition], Meta(max_length=MAX_CONDITIONS)] = []
    priority: Priority | None = None
    color: Annotated[str, Meta(max_length=40, description="`#rrggbb`, or a name of the palette")] | None = None
    is_always_active: Annotated[bool, Meta(description="its time counts without keyboard or mouse input")] = False
    data: Annotated[dict[str, Any], Meta(description="fields of other programs, such as `score`")] = {}


class CategoriesChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All categories, in order. They replace the existing ones."""

    categories: Annotated[tuple[NewCategory, ...], Meta(max_length=MAX_CATEGORIES)]
    comment: Comment = ""


class ExplainRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to explain: an event (`bucket` and `id`), data (`data` and `type`), or what was active at a time (`at`, and
    `device` if there are several)."""

    bucket: str | None = None
    id: Annotated[int, Meta(ge=1)] | None = None
    data: Annotated[dict[str, Any], Meta(examples=[{"app": "Code", "title": "main.py"}])] | None = None
    type: Annotated[str, Meta(description="the type of the bucket that has such data")] = "currentwindow"
    at: Timestamp | None = None
    device: Annotated[str, Meta(description="a host name")] | None = None


class PreviewRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A changed rule set, and the number of samples to show. The range is given as in all insight requests."""

    categories: Annotated[tuple[NewCategory, ...], Meta(max_length=MAX_CATEGORIES)]
    samples: Annotated[int, Meta(ge=0, le=200)] = 20


class IgnoredSuggestion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A suggestion to hide, or to show again."""

    id: Annotated[str, Meta(min_length=1, max_length=300, description="the id of the suggestion")]
    is_ignored: bool = True


LostBy: TypeAlias = Literal["priority", "order", "same category", "annotation"]
WarningKind: TypeAlias = Literal["never_matches", "shadowed", "too_broad", "slow"]
Outcome: TypeAlias = Literal["added", "changed", "same", "removed"]
SuggestionKind: TypeAlias = Literal["app", "domain", "word"]
SuggestionBasis: TypeAlias = Literal["known_app", "known_site", "known_host", "browser", "app", "domain", "word"]


class ConditionView(Condition, frozen=True, kw_only=True, omit_defaults=False):
    """A condition with all its fields."""


class ClassicRuleView(ClassicRule, frozen=True, kw_only=True):
    """The classic rule, which all programs know that read the setting `classes`."""


class CategoryView(Struct, frozen=True, kw_only=True):
    """A category. `data` has the fields that other programs store in it."""

    id: int
    name: Path
    rule: ClassicRuleView | None
    conditions: list[ConditionView]
    priority: int | None
    color: str | None
    is_always_active: bool
    data: dict[str, Any]


class CategoryFault(Struct, frozen=True, kw_only=True):
    """An invalid rule; other rules still apply. `category` is its index in the list, from 0."""

    category: int
    name: Path
    condition: Annotated[int | None, Meta(description="index of the condition, from 0; null: the classic rule")]
    message: str
    position: Annotated[int | None, Meta(description="position of the error in the pattern, in characters from 0")]


class CategoryVersion(Struct, frozen=True, kw_only=True):
    """One version of all categories: who saved it, when and why."""

    number: Annotated[int, Meta(ge=1)]
    changed: Timestamp
    author: str
    comment: str


class Categories(Struct, frozen=True, kw_only=True):
    """All categories, in order. `version` is null if none were set; `faults` are invalid rules."""

    version: CategoryVersion | None
    categories: list[CategoryView]
    colors: Annotated[list[DisplayColors], Meta(description="the color of each category, in the same order")]
    faults: list[CategoryFault]


class ChangedCategories(Categories, frozen=True, kw_only=True):
    """All categories after a change. Restore the version `previous` to undo it."""

    previous: Annotated[int | None, Meta(description="the previous version; null if there was none")]


class CategoryVersions(Struct, frozen=True, kw_only=True):
    """Versions, the latest first. `cursor` gets the next page; it is `null` on the last one."""

    versions: list[CategoryVersion]
    cursor: int | None


class RuleMatch(Struct, frozen=True, kw_only=True):
    """A rule that matches. `start` and `end` are the position in the text, in characters."""

    category: Path
    condition: Annotated[int | None, Meta(description="index of the condition, from 0; null: the classic rule")]
    op: Operator
    pattern: Annotated[str, Meta(description="empty for a key that is limited to some buckets")]
    layer: Layer
    field: str
    text: str
    start: int
    end: int
    priority: Annotated[int, Meta(description="of all matching rules, the highest wins")]
    lost_by: Annotated[
        LostBy | None,
        Meta(
            description="why it did not win: another has a higher priority, or the same and comes later in the list, "
            "it belongs to the winning category, or an annotation overrides it"
        ),
    ]


class Explanation(Struct, frozen=True, kw_only=True):
    """A category, the rule that decided it, and the other matching rules, the next best first."""

    category: Path
    winner: Annotated[RuleMatch | None, Meta(description="null if no rule matches, or an annotation decides")]
    others: list[RuleMatch]
    annotation: Annotated[int | None, Meta(description="the annotation that sets the category")] = None
    is_active: Annotated[bool, Meta(description="false if there was no active window at the requested time")] = True
    data: Annotated[dict[Layer, dict[str, Any]], Meta(description="the data that the rules were applied to")] = {}


class Move(Struct, frozen=True, kw_only=True, rename={"source": "from", "target": "to"}):
    """Time that moves from one category to another. `null` means that it does not count as active."""

    source: Path | None
    target: Path | None
    seconds: float


class PreviewTotal(Struct, frozen=True, kw_only=True):
    """The time of a category now, and after the change."""

    category: Path
    before: float
    after: float


class PreviewSample(Struct, frozen=True, kw_only=True, rename={"source": "from", "target": "to"}):
    """A sample of what would move, and the rule that moves it."""

    source: Path | None
    target: Path | None
    seconds: float
    app: str | None
    title: str | None
    url: str | None
    match: Annotated[RuleMatch | None, Meta(description="the rule that would decide; null if none would")]


class PreviewWarning(Struct, frozen=True, kw_only=True):
    """A likely mistake in a changed rule.

    never_matches: it matches nothing in the range. shadowed: other rules always win, mostly one of `other`. too_broad:
    it matches `share` of the current time of `other`. slow: it needs Python's `re`.
    """

    kind: WarningKind
    category: Path
    condition: Annotated[int | None, Meta(description="index of the condition, from 0; null: the classic rule")]
    other: Path | None
    share: Annotated[float | None, Meta(description="from 0 to 1")]
    message: str


class Preview(Struct, frozen=True, kw_only=True):
    """What a changed rule set would move. `moved` is in seconds; `moves` and `samples` start with the largest."""

    range: RangeResponse
    moved: float
    moves: list[Move]
    totals: list[PreviewTotal]
    samples: list[PreviewSample]
    warnings: list[PreviewWarning]


class SuggestionSample(Struct, frozen=True, kw_only=True):
    """A sample of a suggestion."""

    app: str | None
    title: str | None
    url: str | None
    seconds: float


class Suggestion(Struct, frozen=True, kw_only=True):
    """Uncategorized time that has something in common, and a rule for it. The same group always has the same id."""

    id: str
    kind: SuggestionKind
    value: str
    seconds: float
    count: Annotated[int, Meta(description="number of distinct combinations of window, tab and file")]
    samples: list[SuggestionSample]
    condition: ConditionView
    category: Annotated[Path, Meta(description="the suggested category, which may not exist yet")]
    reason: Annotated[str, Meta(description="why this category is suggested, as text")]
    basis: Annotated[SuggestionBasis, Meta(description="what the suggestion is based on, for texts in other languages")]
    is_known: Annotated[
        bool, Meta(description="whether Dayline knows the app or site; otherwise the category is a guess")
    ]


class Suggestions(Struct, frozen=True, kw_only=True):
    """The largest groups of uncategorized time. `uncategorized` is the total of such time, in seconds."""

    range: RangeResponse
    uncategorized: float
    suggestions: list[Suggestion]
    ignored: Annotated[int, Meta(description="number of ignored suggestions that were left out")]


class IgnoredSuggestions(Struct, frozen=True, kw_only=True):
    """The ids of hidden suggestions."""

    ignored: list[str]


class ImportedCategory(Struct, frozen=True, kw_only=True):
    """The effect of an import on a category."""

    name: Path
    outcome: Outcome


class CategoryImport(Struct, frozen=True, kw_only=True):
    """What an import changed, or would change with `dry_run`. `version` is the new version.

    Restore the version `previous` to undo it.
    """

    categories: list[ImportedCategory]
    is_dry_run: bool
    version: CategoryVersion | None
    previous: Annotated[int | None, Meta(description="the previous version; null if there was none")]


class StarterSet(Struct, frozen=True, kw_only=True):
    """A set of categories to start with."""

    id: str
    title: str
    description: str
    categories: list[CategoryView]


def category_views(stored: StoredCategories) -> list[CategoryView]:
    """Categories as the API returns them."""
    return [_category_view(category, data) for category, data in zip(stored.categories, stored.data, strict=True)]


def _category_view(category: Category, data: dict[str, Any]) -> CategoryView:
    rule = category.rule
    return CategoryView(
        id=category.id,
        name=category.name,
        rule=None if rule is None else ClassicRuleView(**asdict(rule)),
        conditions=[ConditionView(**asdict(each)) for each in category.conditions],
        priority=category.priority,
        color=category.color,
        is_always_active=category.is_always_active,
        data=data,
    )
