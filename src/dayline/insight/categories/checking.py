"""Validates categories: strictly in requests; for stored ones it lists the invalid rules instead."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from msgspec.structs import asdict

from dayline.insight.categories.colors import check_color
from dayline.insight.categories.model import CategoryFault, NewCategory, NewRule
from dayline.insight.categories.tasks import PatternToCheck
from dayline.model.category import Category, ClassicRule, Condition, Path, stored_categories
from dayline.model.data import CanonicalJson
from dayline.model.errors import Invalid, PatternInvalid
from dayline.query.patterns.python import PatternError, compiled_pattern, shortened


def pattern_of(condition: Condition) -> str:
    """The regular expression of a condition."""
    if condition.op == "regex":
        return condition.value
    text = re.escape(condition.value)
    match condition.op:
        case "is":
            return rf"\A{text}\Z"
        case "has":
            return text
        case "starts":
            return rf"\A{text}"
        case "ends":
            return rf"{text}\Z"
        case "word":
            # A word boundary only next to a word character: "C++" does not end with one.
            before = r"\b" if re.match(r"\w", condition.value) else ""
            after = r"\b" if re.search(r"\w\Z", condition.value) else ""
            return f"{before}{text}{after}"


def checked_categories(given: Sequence[NewCategory], *, current: Sequence[Category] = ()) -> tuple[Category, ...]:
    """Validate the categories of a request. Raises Invalid, naming the field.

    A color that the category already has is accepted even if it is invalid: another program may have written it.
    """
    colors = {category.name: category.color for category in current}
    _check_names(given)
    ids = _free_ids(given)
    return tuple(_check_category(number, each, next(ids), colors) for number, each in enumerate(given))


@lru_cache(maxsize=8)
def faults_of(classes: CanonicalJson | None, own: CanonicalJson | None) -> tuple[CategoryFault, ...]:
    """The invalid rules in the stored settings."""
    stored = stored_categories(classes, own)
    faults = [
        CategoryFault(category=fault.category, name=fault.name, condition=None, message=fault.message, position=None)
        for fault in stored.faults
    ]
    for number, category in enumerate(stored.categories):
        for condition, text, ignore_case in _patterns(category):
            try:
                compiled_pattern(text, ignore_case=ignore_case)
            except PatternError as error:
                faults.append(
                    CategoryFault(
                        category=number,
                        name=category.name,
                        condition=condition,
                        message=error.message,
                        position=error.position,
                    )
                )
    return tuple(faults)


def slow_faults(categories: Sequence[Category], slow: Collection[str]) -> list[CategoryFault]:
    """The rules that were skipped because their patterns are too slow."""
    return [
        CategoryFault(
            category=number,
            name=category.name,
            condition=condition,
            message=f"the regular expression {shortened(text)} takes too long for some titles and is skipped",
            position=None,
        )
        for number, category in enumerate(categories)
        for condition, text, _ in _patterns(category)
        if text in slow
    ]


def new_patterns(
    after: Sequence[Category], before: Sequence[Category], *, listed_in: str = "categories"
) -> dict[str, PatternToCheck]:
    """The regular expressions that are new, by the request field that contains them."""
    known = {(text, ignore_case) for category in before for _, text, ignore_case in _patterns(category)}
    patterns: dict[str, PatternToCheck] = {}
    for number, category in enumerate(after):
        for condition, text, ignore_case in _patterns(category):
            if (text, ignore_case) not in known:
                part = "rule.regex" if condition is None else f"conditions[{condition}].value"
                patterns[f"{listed_in}[{number}].{part}"] = PatternToCheck(text=text, ignore_case=ignore_case)
    return patterns


def _patterns(category: Category) -> Iterator[tuple[int | None, str, bool]]:
    if category.rule is not None:
        yield None, category.rule.regex, category.rule.ignore_case
    for number, condition in enumerate(category.conditions):
        if condition.op == "regex":
            yield number, condition.value, condition.ignore_case


def _check_names(given: Sequence[NewCategory]) -> None:
    seen: dict[Path, int] = {}
    for number, category in enumerate(given):
        field = f"categories[{number}].name"
        if any(not name.strip() for name in category.name):
            raise Invalid(f"{field}: a name is blank", hint="every part of the path needs a name", field=field)
        first = seen.setdefault(category.name, number)
        if first != number:
            shown = " > ".join(category.name)
            raise Invalid(
                f"{field}: {shown[:200]!r} is a duplicate of categories[{first}]",
                hint="give a category several conditions rather than several entries",
                field=field,
            )


def _check_category(number: int, given: NewCategory, identity: int, colors: dict[Path, str | None]) -> Category:
    field = f"categories[{number}]"
    if given.color != colors.get(given.name):
        check_color(given.color, f"{field}.color")
    rule = None if given.rule is None else _checked_rule(given.rule, field)
    for index, condition in enumerate(given.conditions):
        check_pattern(pattern_of(condition), condition.ignore_case, f"{field}.conditions[{index}].value")
    return Category(
        id=identity,
        name=given.name,
        rule=rule,
        conditions=tuple(given.conditions),
        priority=given.priority,
        color=given.color,
        is_always_active=given.is_always_active,
    )


def _checked_rule(rule: NewRule, field: str) -> ClassicRule:
    check_pattern(rule.regex, rule.ignore_case, f"{field}.rule.regex")
    return ClassicRule(**asdict(rule))


def check_pattern(text: str, ignore_case: bool, field: str) -> None:
    """Raise PatternInvalid, naming the field, unless it is a regular expression."""
    try:
        compiled_pattern(text, ignore_case=ignore_case)
    except PatternError as error:
        column = None if error.position is None else error.position + 1
        raise PatternInvalid(f"{field}: {error.message}", hint=error.hint, field=field, column=column) from error


def _free_ids(given: Sequence[NewCategory]) -> Iterator[int]:
    """An id for each category: its own, or an unused one."""
    taken = {category.id for category in given if category.id is not None}
    seen: set[int] = set()
    free = (number for number in range(len(given) + len(taken) + 1) if number not in taken)
    for category in given:
        if category.id is not None and category.id not in seen:
            seen.add(category.id)
            yield category.id
        else:
            yield next(free)
