"""The regular expressions that conditions stand for."""

import re

from dayline.model.categories import Condition


def pattern_of(condition: Condition) -> str:
    """The regular expression that a condition stands for."""
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
            # An edge of a word only where the text has a letter: "C++" ends with none.
            before = r"\b" if re.match(r"\w", condition.value) else ""
            after = r"\b" if re.search(r"\w\Z", condition.value) else ""
            return f"{before}{text}{after}"
