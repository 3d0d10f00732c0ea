"""Take decisions over and top up sheets as a Prefect flow: python flows/review.py SOURCE [--recheck TABLE] ..."""

from as_flow import as_flow, run_flow
from pairwright.pipeline.review import sync as step

review = as_flow("review", step)

if __name__ == "__main__":
    run_flow(review, step)
