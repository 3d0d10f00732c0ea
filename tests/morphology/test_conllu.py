"""Lines of CoNLL-U, one parser for trees and for word forms."""

import pytest

from pairwright.languages.morphology.conllu import ConlluError, read_row, sentences

ROW = "1\tNamo\tnamas\tNOUN\t_\tCase=Gen\t0\troot\t_\tGloss=x|SpaceAfter=No"


def test_a_file_has_sentences_with_comments_and_numbered_rows() -> None:
    text = f"# sent_id = a\n# text = Namo\n# text = other\n{ROW}\n2.1{ROW[1:]}\n\n\n2-3{ROW[1:]}"
    first, second = sentences(enumerate(text.split("\n"), start=1))
    assert first.comments == {"sent_id": "a", "text": "Namo"}
    (row,) = first.rows()
    assert (row.line, row.first, row.is_word, row.form, row.feats, row.spaced) == (
        4,
        1,
        True,
        "Namo",
        "Case=Gen",
        False,
    )
    (token,) = second.rows()
    assert (token.first, token.last, token.is_word) == (2, 3, False)


@pytest.mark.parametrize("line", ["1\tNamo", "x" + ROW[1:], ROW.replace("Namo", " "), "9" * 5000 + ROW[1:]])
def test_a_line_that_is_none_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(ConlluError) as caught:
        read_row(7, line)
    assert caught.value.line == 7
