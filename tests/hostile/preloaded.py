"""What the commands of attempts import, so that the processes which run them start at once."""

import openai  # noqa: F401
import pandas  # noqa: F401
import pyarrow.parquet  # noqa: F401

import pairwright.cli.release
import pairwright.cli.review.lines
import pairwright.llm
import pairwright.pipeline.build
import pairwright.pipeline.release  # noqa: F401
from pairwright.ingest.pdf.mupdf import load_pymupdf

load_pymupdf()
