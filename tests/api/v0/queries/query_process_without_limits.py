"""A query process that lets a regular expression run for ever: tests need queries that end only if they are ended."""

from dayline.cli.serve.query_process import Answers, main
from dayline.query.patterns.limits import PatternLimits

if __name__ == "__main__":
    main(Answers(PatternLimits(text_s=1e9, answer_s=1e9)))
