"""Numbers of predefined atoms."""

WM_CLASS: int
WM_NAME: int
