"""The process that `dayline watch` and `dayline serve` start: without the modules of the command line."""

from dayline.client.watch.run import main

if __name__ == "__main__":
    main()
