"""The part of python-xlib that is used here; the package itself has no types."""
