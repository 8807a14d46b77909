"""A query process that lets a regular expression run for ever: tests need queries that end only if they are ended."""

from dayline.cli.query_worker import main
from dayline.insight.work import Answers
from dayline.query.slow_patterns import PatternLimits

if __name__ == "__main__":
    main(Answers(PatternLimits(text_s=1e9, answer_s=1e9)))
