"""Dayline: a local-first server for personal activity data."""

__all__ = ["__version__"]

__version__ = "0.1.0"  # pyproject.toml reads it from here: asking the installed metadata costs start-up time
