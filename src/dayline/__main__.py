"""The program: `dayline`, and `python -m dayline`."""

import sys


def main() -> None:
    """Run the command line of this process. `--version` is answered before click and all else is loaded."""
    if sys.argv[1:] == ["--version"]:
        from dayline.cli.process import print_whole, versions

        print_whole(versions(), sys.stdout)
        return
    from dayline.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
