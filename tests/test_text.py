"""Words and keys for comparison."""

from hypothesis import given
from hypothesis import strategies as st

from pairwright.core.text import TOKEN, comparison_key, squeeze, text_encoding, words

SENTENCE = st.text(alphabet="aąbė ABC.,;–-'()", max_size=40)


def test_tokens_keep_hyphens_and_numbers_whole() -> None:
    assert TOKEN.findall("Iki spalio 25-os d., 3.1.9 p.") == [
        "Iki",
        "spalio",
        "25-os",
        "d",
        ".",
        ",",
        "3.1.9",
        "p",
        ".",
    ]
    assert words("Ar tai – jis?") == ["Ar", "tai", "jis"]


@given(SENTENCE)
def test_keys_do_not_depend_on_case_and_spacing(sentence: str) -> None:
    assert comparison_key(sentence.upper()) == comparison_key(sentence.lower())
    assert comparison_key(f"  {sentence}!") == comparison_key(sentence)
    assert squeeze(squeeze(sentence)) == squeeze(sentence)


def test_ciphers_and_unknown_names_are_no_encodings_of_texts() -> None:
    assert [text_encoding(name) for name in ("rot13", "idna", "no-such", "CP1257")] == [None, None, None, "cp1257"]
