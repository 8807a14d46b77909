"""Variables hold values: nothing that is done with one changes another."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.query.language.values import Value
from tests.query.language.running import result_of
from tests.support.profile import examples

NAMES = st.sampled_from(["a", "b", "c"])
# Each makes a new list from variables, in the program and in plain Python.
STEPS = st.one_of(
    st.tuples(st.just("literal"), NAMES, st.integers(0, 9), st.integers(0, 9)),
    st.tuples(st.just("wrap"), NAMES, NAMES, NAMES),
    st.tuples(st.just("join"), NAMES, NAMES, NAMES),
    st.tuples(st.just("concat"), NAMES, NAMES, NAMES),
    st.tuples(st.just("copy"), NAMES, NAMES, NAMES),
)


@settings(max_examples=examples(300))
@given(st.lists(STEPS, max_size=12))
def test_a_program_leaves_the_values_that_copying_everything_would(
    steps: list[tuple[str, str, object, object]],
) -> None:
    text = "a = []; b = []; c = [];"
    expected: dict[str, Value] = {"a": [], "b": [], "c": []}
    for kind, target, left, right in steps:
        text += written(kind, target, left, right)
        expected[target] = copied(done(kind, left, right, expected))

    assert result_of(text + "RETURN = [a, b, c];") == [expected["a"], expected["b"], expected["c"]]


def written(kind: str, target: str, left: object, right: object) -> str:
    forms = {
        "literal": f"[{left}, {right}]",
        "wrap": f"[{left}, {right}]",
        "join": f"{left} + {right}",
        "concat": f"concat({left}, {right})",
        "copy": f"{left}",
    }
    return f"{target} = {forms[kind]};"


def done(kind: str, left: object, right: object, variables: dict[str, Value]) -> Value:
    if isinstance(left, int) and isinstance(right, int):
        return [float(left), float(right)]
    one, other = variables[str(left)], variables[str(right)]
    assert isinstance(one, list)
    assert isinstance(other, list)
    match kind:
        case "wrap":
            return [one, other]
        case "copy":
            return one
        case _:
            return [*one, *other]


def copied(value: Value) -> Value:
    return [copied(item) for item in value] if isinstance(value, list) else value
