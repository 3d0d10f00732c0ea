"""`python -m pairwright`: the command line."""

from pairwright.cli import main

if __name__ == "__main__":
    main()
