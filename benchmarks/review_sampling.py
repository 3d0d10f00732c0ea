"""How large samples of derived pairs are, and how often lots pass by how many of their pairs are wrong: exact numbers.

python benchmarks/review_sampling.py [--max-error 0.05] [--confidence 0.95] [--lots 50,200,1000,10000]
"""

import argparse

from pairwright.stats.sampling import chance_of_acceptance, sample_size

SHARES_WRONG = (0.01, 0.02, 0.05, 0.1)
ALLOWED = (0, 1, 2, 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--max-error", type=float, default=0.05)
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument("--lots", default="50,200,1000,10000")
    given = parser.parse_args()
    limits = given.max_error, given.confidence
    lots = [int(lot) for lot in given.lots.split(",")]
    print(f"at most {given.max_error:.1%} wrong at {given.confidence:.0%}: the sample by lot and errors in it")
    print("| lot |" + "".join(f" {n} errors |" for n in ALLOWED))
    for lot in lots:
        print(f"| {lot} |" + "".join(f" {sample_size(lot, *limits, n)} |" for n in ALLOWED))
    print(f"how often a lot of {lots[-1]} passes, by the share of wrong pairs in it and by allowed_errors")
    print("| wrong |" + "".join(f" {n} |" for n in ALLOWED))
    for share in SHARES_WRONG:
        wrong = round(share * lots[-1])
        chances = (chance_of_acceptance(lots[-1], wrong, *limits, n) for n in ALLOWED)
        print(f"| {wrong / lots[-1]:.2%} |" + "".join(f" {chance:.1%} |" for chance in chances))


if __name__ == "__main__":
    main()
