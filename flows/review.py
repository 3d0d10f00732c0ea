"""Take decisions over and top up sheets as a Prefect flow: python flows/review.py SOURCE [--recheck TABLE] ..."""

from as_flow import as_flow, run_flow
from pairwright.cli import steps
from pairwright.pipeline.review import sync

review = as_flow("review", sync)

if __name__ == "__main__":
    run_flow(steps.sync, review)
