"""A release in which any one file was changed, with a manifest that fits, does not pass for what was frozen."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import PAIRS, RULES, freeze_reviewed, make_pair
from pairwright.errors import ReleaseError
from pairwright.records import Block, Gloss
from pairwright.release.consistency import verify_contents
from pairwright.release.write import write_manifest

Edit = Callable[[bytes], bytes]
GLOSS = Gloss(objects=(("Man", "trūksta"),), glosses=(("1SG.DAT", "lack.PRS.3"),), translation="I lack")


def swapped(content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join([lines[-1], *lines[1:-1], lines[0]]) if len(lines) > 1 else b""


def flipped(content: bytes) -> bytes:
    place = random.Random(len(content)).randrange(len(content) or 1)
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :] if content else b"\n"


EDITS: dict[str, Edit] = {
    "a bit": flipped,
    "half": lambda content: content[: len(content) // 2] or b"x",
    "nothing": lambda content: b"" if content else b" ",
    "a line more": lambda content: content + b"{}\n",
    "an empty line more": lambda content: content + b"\n",
    "the last line twice": lambda content: content + (content.splitlines(keepends=True) or [b"x"])[-1],
    "lines in another order": swapped,
    "line ends": lambda content: content.replace(b"\n", b"\r\n") or b"\r\n",
    "a byte order mark": lambda content: b"\xef\xbb\xbf" + content,
}


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The second version of a release, with all exports, exceptions and pairs that were left out."""
    rules = {rule.id: rule for rule in RULES.values()}
    rule = RULES["3.9"].model_copy(update={"example_ids": ("block-77",)})
    block = Block(
        id="block-77", source_id="mini", kind="example", text="x", file="list.md", page=12, reader="text", gloss=GLOSS
    )
    many = [make_pair(rule, f"Mums trūksta {n} litrų.", f"Mums trūksta {n} litrai.") for n in range(40)]
    odd = make_pair(RULES["3.2"], "Jis eina su lazda.", "Jis eina lazda.", exception=True)
    folder = tmp_path_factory.mktemp("rich")
    options = {"rules": rules | {rule.id: rule}, "blocks": {block.id: block}, "pairs": [*many, *PAIRS.values()]}
    freeze_reviewed(folder, (PAIRS["wait"], "approve", "reject"), **options)  # type: ignore[arg-type]
    result = freeze_reviewed(folder, (odd, "approve", "approve"), version="1.1.0", **options)  # type: ignore[arg-type]
    assert not result.info.left_out
    assert verify_contents(result.path).notes == ()
    return result.path


def refuse(rich: Path, name: str, edit: Edit) -> None:
    """Edits a file, makes a manifest that fits, sees that the release is refused, and takes the edit back."""
    path = rich / name
    content = path.read_bytes()
    changed = edit(content)
    if changed == content:
        return
    path.write_bytes(changed)
    write_manifest(rich)
    try:
        with pytest.raises(ReleaseError) as caught:
            verify_contents(rich)
        assert "\n" not in str(caught.value)
    finally:
        path.write_bytes(content)
        write_manifest(rich)


def files(release: Path) -> list[str]:
    paths = (path for path in sorted(release.rglob("*")) if path.is_file() and path.name != "MANIFEST.sha256")
    return [path.relative_to(release).as_posix() for path in paths]


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("lm_eval/pairs.py", "a line more"),
        ("euroeval/custom_datasets.py", "a line more"),
        ("lm_eval/__pycache__", "nothing"),
        ("blimp/mini_3_9.jsonl", "the last line twice"),
        ("minicons/pairs.jsonl", "a bit"),
        ("euroeval/lt/test.csv", "lines in another order"),
        ("cldf/examples.csv", "half"),
        ("votes.csv", "a line more"),
        ("provenance.jsonl", "a bit"),
        ("glosses.jsonl", "the last line twice"),
        ("data/test.parquet", "a bit"),
        ("release.json", "an empty line more"),
    ],
)
def test_one_changed_file_is_refused_though_the_manifest_fits(rich: Path, name: str, edit: str) -> None:
    refuse(rich, name, EDITS[edit])


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_no_edit_of_any_file_passes(rich: Path, edit: str) -> None:
    for name in files(rich):
        refuse(rich, name, EDITS[edit])


@pytest.mark.slow
def test_no_single_byte_of_a_record_can_be_another(rich: Path) -> None:
    chance = random.Random(11)
    for name in ("pairs.jsonl", "rules.jsonl", "excluded.jsonl", "provenance.jsonl", "glosses.jsonl", "release.json"):
        for _ in range(40):
            place, byte = chance.random(), bytes([chance.randrange(32, 127)])

            def edit(content: bytes, place: float = place, byte: bytes = byte) -> bytes:
                at = int(place * len(content))
                return content[:at] + byte + content[at + 1 :]

            refuse(rich, name, edit)


@pytest.mark.slow
def test_no_file_can_be_renamed_left_out_or_added(rich: Path, tmp_path: Path) -> None:
    for number, name in enumerate(files(rich)):
        copy = Path(shutil.copytree(rich.parent, tmp_path / str(number))) / rich.name
        for target in (copy / f"{name}x", copy / "blimp" / "stray.jsonl", None):
            if target is None:
                (copy / name).unlink(missing_ok=True)
            else:
                shutil.copyfile(rich / name, copy / name)
                (copy / name).replace(target)
            write_manifest(copy)
            with pytest.raises(ReleaseError) as caught:
                verify_contents(copy)
            assert "\n" not in str(caught.value)
            if target is not None:
                target.unlink()
        shutil.rmtree(copy.parent)
