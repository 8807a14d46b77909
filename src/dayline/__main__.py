"""`python -m dayline`: the same as the command `dayline`."""

from dayline.cli.main import main

main()
