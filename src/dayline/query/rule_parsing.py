"""The rules that categorise and tag events, as a query gives them: pairs of a category or tag and a dict."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from dayline.query.errors import QueryFunctionError
from dayline.query.expressions import Expression, expression
from dayline.query.python_patterns import PatternError
from dayline.query.values import Value, kind_of

RANK_OF_A_LEVEL = 10  # what a category's depth counts for, beside the priorities that people write


class Rule(Struct, frozen=True, kw_only=True, eq=False):
    """One rule that may match. `number` is its place among the rules that were given."""

    number: int
    label: Sequence[str]  # the path of the category, or the tag alone
    expression: Expression
    fields: frozenset[str] | None  # None: every field
    rank: int


def category_rules(classes: Sequence[Value]) -> list[Rule]:
    """The rules of `categorize` that can match and win. Raises QueryFunctionError."""
    return [rule for rule in _read(classes, _category) if rule.label]


def tag_rules(classes: Sequence[Value]) -> list[Rule]:
    """The rules of `tag` that can match. Raises QueryFunctionError."""
    return _read(classes, _tag)


def _read(classes: Sequence[Value], read_label: Callable[[Value], list[str]]) -> list[Rule]:
    read = (_rule(number, pair, read_label) for number, pair in enumerate(classes))
    return [rule for rule in read if rule is not None]


def _rule(number: int, pair: Value, read_label: Callable[[Value], list[str]]) -> Rule | None:
    """One pair, or None where it never matches."""
    name = f"rule {number + 1}"
    try:
        label, rule = _halves(pair)
        labels = read_label(label)
        name = f"{name} ({' > '.join(labels)[:80]})"
        return _with_label(number, labels, rule)
    except _WrongRule as error:
        raise QueryFunctionError(f"{name}: {error.message}", hint=error.hint) from error
    except PatternError as error:
        raise QueryFunctionError(f"{name}: {error.message}", hint=error.hint) from error


class _WrongRule(Exception):
    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


_EXAMPLE = '{"type": "regex", "regex": "GitHub|vim"}'


def _halves(pair: Value) -> tuple[Value, dict[str, Value]]:
    hint = f'write each rule as a pair, such as [["Work", "Code"], {_EXAMPLE}]'
    if not isinstance(pair, list):
        raise _WrongRule(f"expected a pair of a category and a rule, not {kind_of(pair)}", hint)
    if len(pair) != 2:
        raise _WrongRule(f"expected a pair of a category and a rule, not a list of {len(pair)}", hint)
    label, rule = pair
    if not isinstance(rule, dict):
        raise _WrongRule(f"the rule must be a dict, not {kind_of(rule)}", hint)
    return label, rule


def _category(label: Value) -> list[str]:
    hint = 'write the path from the root, such as ["Work", "Code"]'
    if not isinstance(label, list):
        raise _WrongRule(f"the category must be a list of strings, not {kind_of(label)}", hint)
    return _strings(label, "the category", hint)


def _tag(label: Value) -> list[str]:
    if not isinstance(label, str):
        raise _WrongRule(f"the tag must be a string, not {kind_of(label)}", 'write the tag alone, such as "urgent"')
    return [label]


def _with_label(number: int, label: list[str], rule: dict[str, Value]) -> Rule | None:
    if not _is_regex(rule):
        return None
    regex = _regex(rule)
    ignore_case = rule.get("ignore_case", False)
    if not isinstance(ignore_case, bool):
        raise _WrongRule(f"ignore_case must be a boolean, not {kind_of(ignore_case)}", "write true or false")
    fields, rank = _fields(rule), _rank(rule, len(label))
    compiled = expression(regex, ignore_case=ignore_case)
    # An empty pattern is in every string: a category whose pattern is still to be written would swallow everything.
    return Rule(number=number, label=label, expression=compiled, fields=fields, rank=rank) if regex else None


def _is_regex(rule: dict[str, Value]) -> bool:
    kind = rule.get("type", "regex" if "regex" in rule else None)
    if kind == "regex":
        return True
    if kind == "none" or ("type" in rule and kind is None):
        return False
    hint = f'write {_EXAMPLE}, or {{"type": "none"}} for a category without a rule'
    if "type" not in rule:
        raise _WrongRule("the rule has neither a type nor a regex", hint)
    shown = repr(kind[:80]) if isinstance(kind, str) else kind_of(kind)
    raise _WrongRule(f"the type must be 'regex' or 'none', not {shown}", hint)


def _regex(rule: dict[str, Value]) -> str:
    if "regex" not in rule:
        raise _WrongRule("a rule of type regex must have a regex", f"write {_EXAMPLE}")
    regex = rule["regex"]
    if not isinstance(regex, str):
        raise _WrongRule(f"regex must be a string, not {kind_of(regex)}", f"write {_EXAMPLE}")
    return regex


def _fields(rule: dict[str, Value]) -> frozenset[str] | None:
    if "select_keys" not in rule:
        return None
    hint = 'write the keys to look at, such as ["title", "app"], or leave select_keys out to look at all'
    keys = rule["select_keys"]
    if not isinstance(keys, list):
        raise _WrongRule(f"select_keys must be a list of strings, not {kind_of(keys)}", hint)
    if not keys:
        raise _WrongRule("select_keys must name at least one key", hint)
    return frozenset(_strings(keys, "select_keys", hint))


def _rank(rule: dict[str, Value], depth: int) -> int:
    name = "priority" if "priority" in rule else "weight"
    if name not in rule:
        return RANK_OF_A_LEVEL * depth
    priority = rule[name]
    if isinstance(priority, bool) or not isinstance(priority, float | int) or not float(priority).is_integer():
        shown = f"{priority}" if isinstance(priority, float) else kind_of(priority)
        hint = f"leave it out for {RANK_OF_A_LEVEL} times the depth of the category"
        raise _WrongRule(f"{name} must be a whole number, not {shown}", hint)
    return int(priority)


def _strings(values: list[Value], name: str, hint: str) -> list[str]:
    strings = [value for value in values if isinstance(value, str)]
    if len(strings) < len(values):
        wrong = next(value for value in values if not isinstance(value, str))
        raise _WrongRule(f"{name} must be a list of strings, and one of them is {kind_of(wrong)}", hint)
    return strings
