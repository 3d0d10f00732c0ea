"""`python -m pairwright`: the command line."""

from pairwright.cli import main

main()
