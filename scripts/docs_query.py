"""Generate docs/reference/query-functions.md: every function of the query language."""

from collections.abc import Iterator

from dayline.query.language.signatures import SIGNATURES, Parameter, Signature
from scripts.markdown import Rows, assemble, filled, table


def query_functions_page() -> str:
    """Return the page: every function with its arguments, result and an example."""
    return assemble(
        "# Query functions",
        filled(
            "Every function of the [query language](query-language.md), including all functions of both ActivityWatch "
            "servers. Functions return a new value and never change their arguments."
        ),
        *(part for signature in SIGNATURES.values() for part in _parts(signature)),
    )


def _parts(signature: Signature) -> Iterator[str]:
    yield f"## {signature.name}"
    yield f"`{call_of(signature)}` → {signature.returns}"
    yield filled(signature.summary)
    if signature.parameters:
        rows: Rows = [(f"`{part.name}`", part.kind, part.description) for part in signature.parameters]
        yield table(("Argument", "Type", "Meaning"), rows)
    yield f"```\n{signature.example}\n```"


def call_of(signature: Signature) -> str:
    """The signature as text: optional arguments in brackets, an ellipsis for any number."""
    return f"{signature.name}({''.join(_written(signature.parameters))})"


def _written(parameters: tuple[Parameter, ...]) -> Iterator[str]:
    for number, parameter in enumerate(parameters):
        comma = ", " if number else ""
        if parameter.is_variadic:
            yield f"{comma}{parameter.name}, …"
        elif parameter.is_optional:
            yield f"[{comma}{parameter.name}]"
        else:
            yield f"{comma}{parameter.name}"
