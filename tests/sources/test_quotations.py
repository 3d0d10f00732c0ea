"""A quotation is found where the book has it letter by letter, whatever its white space, hyphens and quotes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.core.ids import content_id
from pairwright.core.records import Block, BlockKind, Gloss
from pairwright.sources.grammar.rules.drafts import evidence, find_quotation, says_enough


def block(text: str, kind: BlockKind = "paragraph", page: int = 1) -> Block:
    return Block(
        id=content_id("block", text, page), source_id="g", kind=kind, text=text, file="g.pdf", page=page, reader="r 1"
    )


def quoted(quotation: str, *texts: str | Block) -> list[str]:
    """The words of the texts in which a quotation is found, text by text."""
    blocks = [text if isinstance(text, Block) else block(text) for text in texts]
    return [item.quote for item in evidence(find_quotation(quotation, blocks), blocks)]


@pytest.mark.parametrize(
    ("quotation", "text"),
    [
        ("the object  stands\nin the genitive", "the object stands in the genitive"),
        ("the object stands in the genitive", "the ob-\nject stands in the geni\u00adtive"),
        ("a long-distance rule", "a long-\ndistance rule"),
        ("a long distance rule", "a long-distance rule"),
        ("'want' takes a \"bare\" object", "‘want’ takes a “bare” object"),
        ("the suffix -i is final", "the suffix –i is final"),
        ("accusatives of time. They stay", "accusatives of time.³ They stay"),
        ("the first finite verb", "the ﬁrst ﬁnite verb"),
        ("per | not used | 'through'", "per\tnot used\t‘through’"),
        ("sako\u0304 negalima", "sakō negalima"),
    ],
)
def test_the_book_s_own_letters_come_back(quotation: str, text: str) -> None:
    assert quoted(quotation, text) == [text]


@pytest.mark.parametrize(
    ("quotation", "text"),
    [
        ("the object stands in the dative", "the object stands in the genitive"),
        ("the object stands", "The object stands"),
        ("the object … genitive", "the object stands in the genitive"),
        ("object stands in the gen", "object stands in the genitive"),
        ("ject stands in the genitive", "object stands in the genitive"),
        ("nėra taisyklinga", "nera taisyklinga"),
        ("verb is final", "verb is finál"),
        ("so says the mote", "so says the motė"),
        ("—", "a text – with a dash"),
        ("", "a text"),
    ],
)
def test_other_letters_and_parts_of_words_are_not_found(quotation: str, text: str) -> None:
    assert quoted(quotation, text) == []


def test_a_sentence_may_run_over_two_pages_and_around_an_example() -> None:
    first, example = block("It stands in the geni-"), block("(1) Nėra pieno.", "gloss")
    second = block("tive, and nowhere else.", page=2)
    assert quoted("stands in the genitive, and nowhere else", first, example, second) == [
        "stands in the geni-",
        "tive, and nowhere else",
    ]
    assert quoted("Nėra pieno.", first, example, second) == ["Nėra pieno."]


def test_a_line_of_an_example_that_the_page_breaks_is_found_with_its_part() -> None:
    raw = "Vakar mes ilgai\nyesterday we long\nlaukėme autobuso.\nwait bus"
    words, labels = ("Vakar", "mes", "ilgai", "laukėme", "autobuso."), ("yesterday", "we", "long", "wait", "bus")
    part = Gloss(number="a", segmentation=words, glosses=(labels,), raw=raw)
    held = block(f"(1) a. {raw}\nb. Lauk!", "gloss").model_copy(update={"gloss": Gloss(number="1", parts=(part,))})
    assert quoted("Vakar mes ilgai laukėme autobuso.", held) == [raw]
    assert quoted("Vakar mes ilgai laukėme autobusą.", held) == []


def test_a_word_or_two_are_no_quotation_to_rest_a_rule_on() -> None:
    assert not says_enough("the genitive")
    assert says_enough("stands in the genitive")
    assert says_enough("目的語は属格に立ち主語は主格に立つ。")


@given(
    st.lists(st.text(alphabet="abcčdeėž .,;:()-‘’\u00ad\n", min_size=1, max_size=60), min_size=1, max_size=4), st.data()
)
def test_whole_words_of_a_block_are_found_in_it(texts: list[str], data: st.DataObject) -> None:
    blocks = [block(text, page=number) for number, text in enumerate(texts, start=1)]
    chosen = data.draw(st.sampled_from(blocks))
    pieces = chosen.text.split()
    if not pieces:
        return
    start = data.draw(st.integers(0, len(pieces) - 1))
    quotation = " ".join(pieces[start : data.draw(st.integers(start + 1, len(pieces)))])
    spans = find_quotation(quotation, blocks)
    passed_over = str.maketrans("", "", " \n-‘’\u00ad")
    if not quotation.translate(passed_over):
        assert spans == ()
    elif spans:
        found = "".join(item.quote for item in evidence(spans, blocks))
        assert found.translate(passed_over) == quotation.translate(passed_over)
    else:
        # A word that the layout divides may not be cut at its hyphen.
        assert "-" in chosen.text or "\u00ad" in chosen.text or "‘" in chosen.text or "’" in chosen.text


@given(st.text(max_size=80), st.text(max_size=300))
def test_what_is_found_stands_in_the_block_letter_by_letter(quotation: str, text: str) -> None:
    held = block(text)
    for span in find_quotation(quotation, [held]):
        assert 0 <= span.start < span.end <= len(text)
