"""How fast forms are analysed: with a Hunspell dictionary, against spylls, which reads the same, or with a transducer.

    python benchmarks/morphology_speed.py lt-LT.dic TEXT [--tagset lt-hunspell] [--spylls 500]
    python benchmarks/morphology_speed.py ANALYSER.hfstol TEXT --tagset giellalt

Each different word of TEXT is analysed once, so no cache helps. Times are processor times, which other programs do not
influence. Memory is the growth of the process.
"""

import argparse
import resource
import time
from collections.abc import Callable
from pathlib import Path

from spylls.hunspell import Dictionary

from pairwright.core.text import words
from pairwright.core.toml import read_toml
from pairwright.languages import resource as data_file
from pairwright.languages.features import Tagset
from pairwright.languages.morphology.hunspell import HunspellLexicon
from pairwright.languages.morphology.lexicon import Lexicon
from pairwright.languages.morphology.transducer import TransducerLexicon


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def lexicon_of(path: Path, tagset: Tagset) -> Lexicon:
    if path.suffix == ".dic":
        return HunspellLexicon(path, tagset.meaning)
    return TransducerLexicon(path, tagset)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dictionary", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--tagset", default="lt-hunspell")
    parser.add_argument("--spylls", type=int, default=500, help="how many words spylls looks up")
    arguments = parser.parse_args()
    tagset = read_toml(data_file("tagsets", arguments.tagset, None), Tagset)
    forms = sorted({word for word in words(arguments.text.read_text(encoding="utf-8")) if word.isalpha()})
    before = peak_mib()
    start = time.process_time()
    lexicon = lexicon_of(arguments.dictionary, tagset)
    print(f"loaded in {time.process_time() - start:.2f} s, {peak_mib() - before:.0f} MiB")
    known = sum(bool(lexicon.readings(form)) for form in forms)
    spent = seconds(lambda: [lexicon.readings(form) for form in forms])
    print(f"{len(forms)} different words, {known} ({known / len(forms):.0%}) in it: {len(forms) / spent:,.0f} a second")
    if arguments.dictionary.suffix != ".dic":
        return
    start = time.process_time()
    peer = Dictionary.from_files(str(arguments.dictionary.with_suffix("")))
    print(f"spylls loaded in {time.process_time() - start:.2f} s")
    asked = forms[:: max(1, len(forms) // arguments.spylls)]
    spent = seconds(lambda: [peer.lookup(form) for form in asked])
    print(f"spylls looks up {len(asked) / spent:,.0f} a second, without readings")


if __name__ == "__main__":
    main()
