"""What the settings of a person say about every answer. Sent with each task, since query processes know no settings."""

from msgspec import Struct

from dayline.model.annotations import Annotation
from dayline.model.categories import Category
from dayline.model.preferences import WeekStart
from dayline.model.timestamps import Microseconds


class Scope(Struct, frozen=True, kw_only=True):
    """How days are cut, what categories there are, and what counts as active."""

    now: Microseconds
    zone: str = "UTC"
    day_start: str = "04:00"
    week_start: WeekStart = "monday"
    categories: tuple[Category, ...] = ()
    annotations: tuple[Annotation, ...] = ()  # those that are switched on
    always_active: str = ""  # a pattern for apps and titles that count though nobody touches the keyboard
    counts_audible: bool = True  # whether a tab that plays sound counts so, too
