"""The library for PostgreSQL, which is an extra: what is told where it is missing."""

from collections.abc import Generator
from contextlib import contextmanager

from dayline.model.errors import Invalid


@contextmanager
def postgres_library() -> Generator[None]:
    """Import what needs it within this block. Raises Invalid where it is not installed."""
    try:
        yield
    except ImportError as error:
        raise Invalid(
            "PostgreSQL needs a library that is not installed", hint='pip install "dayline[postgres]"'
        ) from error
