"""Checks the calls of a program: arguments against signatures, before and while it runs."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Final, TypeAlias

from dayline.model.time import shorten
from dayline.query.columns.table import Table, no_events
from dayline.query.errors import QueryError, QueryFunctionError, QueryInterpretError, QueryParseError, SourcePosition
from dayline.query.functions.selecting import concatenate
from dayline.query.language.ast import (
    Call,
    Chain,
    DictLiteral,
    Expression,
    If,
    ListLiteral,
    Program,
    Simple,
    Statement,
    Variable,
)
from dayline.query.language.signatures import SIGNATURES, Kind, Parameter, Signature
from dayline.query.language.values import MAX_ITEMS, PROVIDED, RESULT, SingleEvent, Value, kind_of

_WANTED: Final[dict[Kind, str]] = {
    "events": "a list of events",
    "string": "a string",
    "number": "a number",
    "boolean": "a boolean",
    "list": "a list of values",
    "keys": "a list of strings",
    "list or events": "a list",
    "list or dict": "a list or a dict",
    "any": "a value",
    "nothing": "nothing",
}


def check_count(signature: Signature, given: int) -> None:
    """Raise QueryInterpretError for too few or too many arguments."""
    fewest, most = signature.fewest, signature.most
    if most is None or fewest <= given <= most:  # those that take any number need none
        return
    wanted = f"{fewest}" if fewest == most else f"{fewest} or {most}"
    noun = "argument" if wanted == "1" else "arguments"
    raise QueryInterpretError(f"takes {wanted} {noun}, not {given}", hint=f"write {signature.form}")


def checked(signature: Signature, values: Sequence[Value]) -> list[Value]:
    """The arguments as the function gets them. Raises QueryInterpretError (count) or QueryFunctionError (kind)."""
    check_count(signature, len(values))
    parameters = signature.parameters
    last = len(parameters) - 1
    return [_taken(parameters[min(position, last)], value) for position, value in enumerate(values)]


def _taken(parameter: Parameter, value: Value) -> Value:
    match parameter.kind, value:
        case "any", _:
            return value
        case "events", Table():
            return value
        case "events", list():
            return _events(parameter, value)
        case ("string", str()) | ("number", float()) | ("boolean", bool()):
            return value
        case "list", list():
            return _plain(parameter, value)
        case "list", Table() if not len(value):
            return []
        case "keys", list() | Table():
            return _keys(parameter, value)
        case ("list or events", list() | Table()) | ("list or dict", list() | dict() | Table()):
            return value
        case _:
            raise _refused(parameter, kind_of(value))


def _events(parameter: Parameter, items: list[Value]) -> Table:
    if not items:
        return no_events()
    events = [item.table for item in items if isinstance(item, SingleEvent)]
    if len(events) == len(items):
        return concatenate(events)
    position, stranger = next((at, item) for at, item in enumerate(items, 1) if not isinstance(item, SingleEvent))
    raise _refused(parameter, f"a list whose item {position} is {kind_of(stranger)}")


def _keys(parameter: Parameter, items: list[Value] | Table) -> list[Value]:
    if isinstance(items, Table):
        if len(items):
            raise _refused(parameter, kind_of(items))
        return []
    for position, item in enumerate(items, 1):
        if not isinstance(item, str):
            raise _refused(parameter, f"a list whose item {position} is {kind_of(item)}")
    return items


def _plain(parameter: Parameter, value: list[Value]) -> Value:
    """The list itself; lists of events in it that are empty become plain lists."""
    size = 0
    has_events = False
    waiting: list[list[Value] | dict[str, Value]] = [value]
    while waiting:
        outer = waiting.pop()
        size += len(outer)
        # Counted as often as it occurs: a few variables that contain each other twice could be gigabytes of JSON.
        if size > MAX_ITEMS:
            raise _refused(parameter, f"one of more than {MAX_ITEMS:,} items in all")
        for item in outer.values() if isinstance(outer, dict) else outer:
            if isinstance(item, (list, dict)):
                waiting.append(item)
            elif isinstance(item, (Table, SingleEvent)):
                has_events = True
    return _without_tables(parameter, value) if has_events else value


def _without_tables(parameter: Parameter, value: Value) -> Value:
    match value:
        case list():
            return [_without_tables(parameter, item) for item in value]
        case dict():
            return {key: _without_tables(parameter, item) for key, item in value.items()}
        case Table() if not len(value):
            return []
        case Table() | SingleEvent():
            raise _refused(parameter, "a list with events in it")
        case _:
            return value


def _refused(parameter: Parameter, given: str) -> QueryFunctionError:
    return QueryFunctionError(f"`{parameter.name}` must be {_WANTED[parameter.kind]}, not {given}")


# Errors shared by running a program and checking it, with suggestions.


_NOTHING: Final = frozenset({"None", "none", "null", "nil"})
_MAX_NAMES: Final = 1000  # names are compared one by one, which takes time by their number and length
_MAX_CHARACTERS: Final = 100
_NEAR: Final = 0.7  # of 1 for equal names: two wrong letters in a short name are near, four are not


def placed(error: QueryError, place: SourcePosition, *, before: str = "") -> QueryError:
    """The same error with a position, and `before` at the start of its message."""
    return type(error)(f"{before}{error.message}", hint=error.hint, place=place, expected=error.expected)


def no_result() -> QueryParseError:
    """A program that ends without a result."""
    return QueryParseError("the program never assigns RETURN", hint="assign the result: RETURN = events;")


def no_variable(name: str, variables: Collection[str], functions: Collection[str]) -> QueryInterpretError:
    """A variable that nothing was assigned to."""
    if name in functions:
        return QueryInterpretError(f"`{name}` is a function, not a variable", hint=f"call it: {name}(…)")
    hint = "the language has no null value" if name in _NOTHING else _did_you_mean(name, variables)
    return QueryInterpretError(f"no variable named `{shorten(name)}`", hint=hint)


def no_function(name: str, variables: Collection[str], functions: Collection[str]) -> QueryInterpretError:
    """A call of something that is not a function."""
    if name in variables:
        return QueryInterpretError(f"`{shorten(name)}` is a variable, not a function")
    return QueryInterpretError(f"no function named `{shorten(name)}`", hint=_did_you_mean(name, functions))


def no_bucket(bucket_id: str, buckets: Iterable[str]) -> QueryFunctionError:
    """A read of a bucket that the store does not have."""
    hint = _did_you_mean(bucket_id, buckets) or "query_bucket_names() lists the buckets"
    return QueryFunctionError(f"there is no bucket {bucket_id!r}", hint=hint)


def _did_you_mean(name: str, names: Iterable[str]) -> str | None:
    if len(name) > _MAX_CHARACTERS:
        return None
    candidates = [other for other in islice(names, _MAX_NAMES) if len(other) <= _MAX_CHARACTERS]
    near = get_close_matches(name, candidates, n=1, cutoff=_NEAR)
    return f"did you mean `{near[0]}`?" if near else None


# Static checks of a program.


_Node: TypeAlias = Statement | Expression


def check(program: Program, functions: Collection[str]) -> None:
    """Raise the first error that a run would meet at that position, or that of a missing RETURN.

    Detects unknown functions, wrong numbers of arguments, and variables that nothing assigns.
    """
    assigned = PROVIDED | _assigned(program)
    for node in _nodes(program):
        try:
            if isinstance(node, Variable) and node.name not in assigned:
                raise no_variable(node.name, assigned, functions)
            if isinstance(node, Call):
                if node.name not in functions:
                    raise no_function(node.name, assigned, functions)
                check_count(SIGNATURES[node.name], len(node.arguments))
        except QueryError as error:
            before = f"{node.name}: " if isinstance(node, Call) and node.name in functions else ""
            raise placed(error, program.source.place(node.offset), before=before) from error
    if RESULT not in assigned:
        raise no_result()


def _assigned(program: Program) -> frozenset[str]:
    simples = [node for node in _nodes(program) if isinstance(node, Simple)]
    targets = {simple.target for simple in simples if simple.target is not None}
    return frozenset(targets | {RESULT for simple in simples if simple.is_return})


def _nodes(program: Program) -> Iterator[_Node]:
    """All statements and expressions, in the order of the text."""
    waiting: list[_Node] = list(reversed(program.statements))
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(_parts(node)))


def _parts(node: _Node) -> Sequence[_Node]:
    match node:
        case Simple():
            return (node.value,)
        case If():
            branches = [part for branch in node.branches for part in (branch.condition, *branch.body)]
            return [*branches, *node.otherwise]
        case Call():
            return node.arguments
        case ListLiteral():
            return node.items
        case DictLiteral():
            return [entry.value for entry in node.entries]
        case Chain():
            return [node.first, *(operation.operand for operation in node.operations)]
        case _:
            return ()
