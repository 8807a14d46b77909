from typing import Any

class ClientMessage:
    def __init__(self, *, window: Any, client_type: int, data: tuple[int, list[int]]) -> None: ...
