"""Random categories, and what they are looked for in."""

from typing import Final

from hypothesis import strategies as st

from dayline.insight.now.model import Layer
from dayline.model.category import Category, ClassicRule, Condition

# Few letters, so that texts are often found; some whose cases are odd, some that are signs of patterns.
TEXTS: Final = [
    "a",
    "b",
    "ab",
    "a b",
    "B",
    "ba-a",
    "K",
    "k",
    "ß",
    "s",
    "é",
    "ж",
    "a.b",
    "a+",
    "C++",
    "x\n",
    "",
    "ab ab",
]
URLS: Final = ["https://www.a.b/ab?x=1", "http://ab/a", "file:///a", "a b", "https://b.a.b:80/ba-a/"]
PATTERNS: Final = ["a", "^a", "b$", "a|k", r"\bab\b", "(?=a)", ".", "[ab]+", r"\w", "ß", "x*", "a.b"]
FIELDS: Final = ["app", "title", "url", "project", "$domain", "n"]

_datas = st.dictionaries(st.sampled_from(FIELDS), st.sampled_from([*TEXTS, *URLS, 1, None, True, ["a"]]), max_size=4)
_layers: tuple[Layer, ...] = ("window", "tab", "file")
layers = st.dictionaries(st.sampled_from(_layers), _datas)
windows = _datas
paths = st.lists(st.sampled_from(["Work", "Code", "Media"]), min_size=1, max_size=3).map(tuple)
_priorities = st.sampled_from([None, None, None, 5, 10, 20, 30])
classic_rules = st.builds(
    ClassicRule,
    regex=st.sampled_from([*PATTERNS, ""]),
    ignore_case=st.booleans(),
    select_keys=st.none() | st.lists(st.sampled_from(FIELDS), min_size=1, max_size=2).map(tuple),
    priority=_priorities,
)
conditions = st.one_of(
    st.builds(
        Condition,
        field=st.sampled_from(["app", "title", "url", "domain", "path", "project", "any"]),
        op=st.sampled_from(["is", "has", "word", "starts", "ends"]),
        value=st.sampled_from([text for text in [*TEXTS, *URLS] if text]),
        ignore_case=st.booleans(),
    ),
    st.builds(
        Condition,
        field=st.sampled_from(["app", "title", "url", "domain", "path", "any"]),
        op=st.just("regex"),
        value=st.sampled_from(PATTERNS),
        ignore_case=st.booleans(),
    ),
)
classic_categories = st.builds(Category, id=st.just(0), name=paths, rule=st.none() | classic_rules)
categories = st.builds(
    Category,
    id=st.just(0),
    name=paths,
    rule=st.none() | classic_rules,
    conditions=st.lists(conditions, max_size=3).map(tuple),
    priority=_priorities,
)
