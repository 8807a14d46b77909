"""What the tests use of kubernetes-validate, which has no types of its own."""

from typing import Any

class ValidationError(Exception):
    message: str

def validate(data: dict[str, Any], desired_version: str, strict: bool = False) -> str: ...
