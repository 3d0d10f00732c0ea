"""Reads the sentences of a CoNLL-U treebank (https://universaldependencies.org/format.html)."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from pairwright.core.errors import SourceError, at
from pairwright.core.files import open_file, read_all
from pairwright.core.ids import content_id
from pairwright.core.records import Block, Rejection, Source
from pairwright.core.records.documents import Tree, Word
from pairwright.core.text import squeeze
from pairwright.documents import STAGE
from pairwright.documents.flowing.pieces import checked_hash, decode_text
from pairwright.languages.features import UPOS, parse_features
from pairwright.languages.morphology.conllu import ConlluError, ConlluSentence, Row, sentences


def read_treebank(path: Path, name: str, source: Source, max_bytes: int) -> Iterator[Block | Rejection]:
    """The sentences of a treebank in order, as blocks with trees.

    path       the file; `name` is its path as the source names it, which the blocks carry
    max_bytes  the largest size of a file

    A sentence with a faulty line becomes a Rejection with that line, and the others are read. One whose `# text` is not
    what its words say gives a Rejection beside its block: the words count. Raises SourceError where the file can't be
    read, or no sentence of it is one of CoNLL-U.
    """
    with open_file(path, SourceError) as file:
        checked_hash(file, path, name, source)
        data = read_all(file, path, max_bytes, SourceError)
    lines = enumerate(decode_text(path, data, source.encoding).split("\n"), start=1)
    repetitions: Counter[str] = Counter()
    first_fault: ConlluError | None = None
    for number, sentence in enumerate(sentences(lines), start=1):
        sent_id = sentence.comments.get("sent_id") or f"{Path(name).stem}-{number}"
        line = sentence.lines[0][0]
        try:
            text, tree = _tree(sentence, sent_id)
        except ConlluError as fault:
            first_fault = first_fault or fault
            yield _rejection(source, name, fault.line, f"{fault}; fix the line", f"sentence {sent_id}")
            continue
        if (stated := sentence.comments.get("text")) and squeeze(stated) != text:
            yield _rejection(source, name, line, "its # text differs from its words, which count", stated)
        repetitions[text] += 1
        yield Block(
            id=content_id("block", source.id, "sentence", text, repetitions[text]),
            source_id=source.id,
            kind="sentence",
            text=text,
            file=name,
            page=1,
            line=line,
            tree=tree,
            reader="conllu",
        )
    if not repetitions:
        reason = f"{at(path, first_fault.line)}: {first_fault}" if first_fault else f"{path}: no sentence"
        raise SourceError(
            f"{reason}; a treebank has to be in CoNLL-U: convert it, or take the .conllu file of its release"
        )


def _tree(sentence: ConlluSentence, sent_id: str) -> tuple[str, Tree]:
    """The text of a sentence and its tree. The words of a multiword token have its place. Raises ConlluError."""
    text, space, token_end = "", "", 0
    words, numbers = list[Word](), list[int]()
    for row in sentence.rows():
        if row.first > token_end:
            text += space
            start, text = len(text), text + squeeze(row.form)
            token_end, space = row.last, " " if row.spaced else ""
        if row.is_word:
            words.append(_word(row, len(words) + 1, start, len(text)))
            numbers.append(row.line)
    for word, number in zip(words, numbers, strict=True):
        if word.head > len(words):
            raise ConlluError(number, f"its head {word.head} is no word of the sentence")
    if token_end > len(words) or not words:
        raise ConlluError(sentence.lines[-1][0], "the sentence ends before its last word")
    return text, Tree(sent_id=sent_id, words=tuple(words))


def _word(row: Row, due: int, start: int, end: int) -> Word:
    if row.first != due:
        raise ConlluError(row.line, f"word {row.first} stands where word {due} is due")
    if row.upos not in UPOS:
        raise ConlluError(row.line, f"'{row.upos}' is no part of speech of Universal Dependencies")
    if not re.fullmatch(r"\d{1,6}", row.head):
        raise ConlluError(row.line, "the word has no head")
    try:
        parse_features(row.feats)
        own = row._asdict()
        fields = {key: own[key] for key in ("form", "lemma", "upos", "feats", "deprel")}
        return Word(id=row.first, head=int(row.head), start=start, end=end, **fields)
    except ValidationError as fault:
        raise ConlluError(row.line, fault.errors(include_url=False)[0]["msg"]) from None
    except ValueError as fault:
        raise ConlluError(row.line, str(fault)) from None


def _rejection(source: Source, name: str, line: int, reason: str, text: str) -> Rejection:
    return Rejection(stage=STAGE.name, source_id=source.id, reason=reason, text=text, file=name, page=1, line=line)
