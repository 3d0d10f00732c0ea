"""How well a tokenizer's cuts fall on morpheme boundaries."""

from collections.abc import Sequence

from rapidfuzz.distance import DamerauLevenshtein

from pairwright.records import Record


class SegmentationAlignment(Record):
    """How a tokenizer cuts the `n` words of a gold segmentation.

    distance       the mean Damerau-Levenshtein distance of its pieces to the morphemes, in edits a word
    normalised     the same, each word's distance by the larger number of parts, 0 (equal) to 1
    exact          words cut exactly as in gold
    over           words cut into more parts than in gold; `under` into fewer
    precision      the share of its cuts that fall on a morpheme boundary; None where it makes none
    recall         the share of morpheme boundaries that it cuts at; None where there is none
    pieces         the mean number of pieces a word; `morphemes` that of gold
    """

    n: int
    distance: float
    normalised: float
    exact: int
    over: int
    under: int
    precision: float | None
    recall: float | None
    pieces: float
    morphemes: float


def align_segmentation(words: Sequence[tuple[Sequence[str], Sequence[str]]]) -> SegmentationAlignment | None:
    """How well the pieces of words match their morphemes; None without a word.

    words  for each word its pieces and its morphemes. Raises ValueError where they are not the same word

    Source: Damerau (1964), A technique for computer detection and correction of spelling errors, CACM 7, 171-176, over
    sequences of pieces instead of letters; boundaries as in Creutz and Lindén (2004), Morpheme Segmentation Gold
    Standards for Finnish and English.
    """
    if not words:
        return None
    distances, shares = [], []
    hits = cuts = boundaries = 0
    for pieces, morphemes in words:
        if "".join(pieces) != "".join(morphemes):
            raise ValueError(f"{'|'.join(pieces)} and {'|'.join(morphemes)} are not the same word")
        distances.append(DamerauLevenshtein.distance(list(pieces), list(morphemes)))
        shares.append(distances[-1] / max(len(pieces), len(morphemes)))
        made, expected = _cuts(pieces), _cuts(morphemes)
        hits, cuts, boundaries = hits + len(made & expected), cuts + len(made), boundaries + len(expected)
    n = len(words)
    return SegmentationAlignment(
        n=n,
        distance=sum(distances) / n,
        normalised=sum(shares) / n,
        exact=sum(tuple(pieces) == tuple(morphemes) for pieces, morphemes in words),
        over=sum(len(pieces) > len(morphemes) for pieces, morphemes in words),
        under=sum(len(pieces) < len(morphemes) for pieces, morphemes in words),
        precision=hits / cuts if cuts else None,
        recall=hits / boundaries if boundaries else None,
        pieces=sum(len(pieces) for pieces, _ in words) / n,
        morphemes=sum(len(morphemes) for _, morphemes in words) / n,
    )


def _cuts(parts: Sequence[str]) -> set[int]:
    """The places, in characters from the start of the word, where one part ends and the next begins."""
    places, end = set(), 0
    for part in parts[:-1]:
        end += len(part)
        places.add(end)
    return places
