"""What a sentence's form gives away, and what it may have without being reported."""

import unicodedata
from collections.abc import Callable

import pytest

from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.records import Candidate, Example, Finding, Rule
from pairwright.languages import Language

Find = Callable[..., dict[str, Finding]]


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("Brolis paklausė: „Ar tu jau valgei?“", "Brolis paklausė: „Ar tu jau valgėte?“"),
        ("Atėjo trys (o gal keturi) svečiai.", "Atėjo trys (o gal keturi) svečių."),
        ("25-ai klasei trūksta 3,5 m laido; kitoms – ne.", "25-a klasei trūksta 3,5 m laido; kitoms – ne."),
        ("Palauk... Kas ten?", "Palauk... Ką ten?"),
        ("Jis tarė „ne“ ir išėjo...", "Jis tarė „ne“ ir išėję..."),
        ("'s Avonds leest zij een boek.", "'s Avonds lezen zij een boek."),
        ("«Quel temps !» dit-elle.", "«Quelle temps !» dit-elle."),
        ('"Why not?" she asked.', '"Why not?" she ask.'),
        ("He said “no” — twice.", "He say “no” — twice."),
        ("它很好。", "它好很。"),
        ("वह घर जाता है।", "वह घर जाती हैं।"),
        ("Pailgink 10 kΩ laidą.", "Pailgink 10 kΩ laido."),
        ("Kaina < 5 eurų.", "Kaina < 5 eurai."),
    ],
)
def test_ordinary_sentences_have_no_finding(findings: Find, good: str, bad: str) -> None:
    assert findings(good, bad).keys() <= {"contrast-not-minimal"}


@pytest.mark.parametrize("written", ["tarone mikol", "Tarone mikol."])
def test_pairs_are_written_as_the_source_writes_its_sentences(
    written: str, pair: Callable[..., Candidate], rule: Callable[[str, str], Rule], lithuanian: Language
) -> None:
    made = pair("sulene nukol", "sule nukol")
    example = Example(good=written, bad=None, evidence=made.evidence)
    of_source = rule("list", "1").model_copy(update={"examples": (example,) * 6})
    (read,) = check_pairs([made], {of_source.id: of_source}, lithuanian, CheckSettings(spelling=False))
    names = {finding.check for finding in read.findings} & {"form-not-capitalised", "form-end-punctuation"}
    assert len(names) == (0 if written[0].islower() else 2)


@pytest.mark.parametrize(
    ("good", "expected"),
    [
        ("Kolegos laukia.\u00a0", "form-whitespace"),
        (" Kolegos laukia.", "form-whitespace"),
        ("Kolegos\tlaukia.", "form-whitespace"),
        ("Kolegos\nlaukia.", "form-whitespace"),
        ("Kolegos laukia .", "form-whitespace"),
        ("Kolegos, , laukia.", "form-whitespace"),
        ("Kolegos\u200blaukia.", "form-whitespace"),
        ("Kolegos laukia ( = laukė).", "form-notation-marks"),
        ("Kolegos laukia → laukė.", "form-notation-marks"),
        ("Kolegos laukia -> laukė.", "form-notation-marks"),
        ("✗ Kolegos laukia.", "form-notation-marks"),
        ("*Kolegos laukia.", "form-notation-marks"),
        ("?? Kolegos laukia.", "form-notation-marks"),
        ("Kolegos **laukia**.", "form-notation-marks"),
        ("Kolegos <i>laukia</i>.", "form-notation-marks"),
        ("</s> Kolegos laukia.", "form-notation-marks"),
        ("Kolegos &amp; laukia.", "form-notation-marks"),
        ("Kolegos=gi laukia.", "form-morpheme-boundaries"),
        ("Kolegos= laukia.", "form-morpheme-boundaries"),
        ("Kolegos lau~laukia.", "form-morpheme-boundaries"),
        ("Kolegos l<in>aukia.", "form-morpheme-boundaries"),
        ("Kolegos laukia∅.", "form-morpheme-boundaries"),
        ("• Kolegos laukia.", "form-doubtful-marks"),
        ("a) Kolegos laukia.", "form-doubtful-marks"),
        ("7- Kolegos laukia.", "form-doubtful-marks"),
        ("Kolegos laukia / laukė.", "form-doubtful-marks"),
        ("; Kolegos laukia.", "form-doubtful-marks"),
        ("Kolegos | laukia.", "form-doubtful-marks"),
        ("Kolegos „laukia.", "form-unbalanced-brackets"),
        ('Kolegos "laukia.', "form-unbalanced-brackets"),
        ("Kolegos) laukia.", "form-unbalanced-brackets"),
        ("Kolegos [laukia).", "form-unbalanced-brackets"),
        ("\x07Kolegos laukia.", "form-encoding-damage"),
        ("Kole\u00adgos laukia.", "form-encoding-damage"),
        ("Kolegos laukia\ue000.", "form-encoding-damage"),
        ("Kolegos lauk?a.", "form-encoding-damage"),
        (unicodedata.normalize("NFD", "Žąsys laukia."), "form-not-nfc"),
        ("Kolegos " + "İş".lower() + " laukia.", "form-dotted-i"),
    ],
)
def test_what_is_wrong_is_found_in_either_sentence(findings: Find, good: str, expected: str) -> None:
    sound = "Kolegos laukė."
    assert findings(good, sound)[expected].side == "good"
    assert findings(sound, good)[expected].side == "bad"


def as_browsers_do(byte: int, encoding: str) -> str:
    """The character of a byte; one that the encoding leaves open is read as Latin-1."""
    try:
        return bytes([byte]).decode(encoding)
    except UnicodeDecodeError:
        return chr(byte)


@pytest.mark.parametrize("encoding", ["cp1252", "cp1257", "latin-1"])
@pytest.mark.parametrize("letter", "ąčęėįšųūžĄČĘĖĮŠŲŪŽöüéñğışŁ")
def test_utf8_read_in_a_wrong_encoding_is_found(findings: Find, letter: str, encoding: str) -> None:
    misread = "".join(as_browsers_do(byte, encoding) for byte in f"Jis dar{letter} stovi.".encode())
    assert "form-encoding-damage" in findings(misread, "Upė teka.")


@pytest.mark.parametrize("sentence", ["„VARLĖ“ – pasaka.", "Skaitėme „RŪŠĮ“.", "«MÊME» est écrit.", "Ülo ütles „JÄÄ“."])
def test_capitals_before_a_quotation_mark_are_not_taken_for_damage(findings: Find, sentence: str) -> None:
    estonian = Language(code="et", name="Estonian", autonym="eesti", letters="abdefghijklmnoprsšzžtuvõäöü")
    language = estonian if sentence.startswith("Ü") else None
    assert "form-encoding-damage" not in findings(sentence, "Upė teka.", language)


def test_control_characters_in_a_message_are_escaped(findings: Find) -> None:
    message = findings("Upė <b\x1b[31m> teka.", "Upė teka.")["form-notation-marks"].message
    assert message.isprintable()


def test_end_marks_that_differ_are_reported_once_and_with_both_marks(findings: Find) -> None:
    found = findings("Ar ateisi?", "Ar ateisit")
    assert found["form-end-differs"].message == "the good sentence ends with '?', the bad one with no mark"
    assert "form-end-punctuation" not in found


def test_end_marks_inside_closing_quotes_and_brackets_count(findings: Find) -> None:
    found = findings("Jis tarė: „Ateisiu.“", "Jis tarė: (ateisi.)")
    assert not {"form-end-differs", "form-end-punctuation"} & found.keys()


def test_what_both_sentences_have_is_reported_once(findings: Find) -> None:
    found = findings("upė teka į jūrą.", "upė teka į jūra.")
    assert found["form-not-capitalised"].message == "both sentences: begins with a small letter"
    assert found["form-not-capitalised"].side is None
