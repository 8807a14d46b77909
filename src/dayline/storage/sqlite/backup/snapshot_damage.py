"""What is raised for a snapshot that is not what was written."""


class DamagedSnapshot(Exception):
    """The file is not what was written; the message says how that shows."""
