__extensions__: list[tuple[str, str]]
