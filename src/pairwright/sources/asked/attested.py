"""What a source attests of its language: its sentences, the forms of their words, and its paradigms."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from itertools import groupby
from typing import NamedTuple

from pairwright.core.records import Block, Rule
from pairwright.core.text import comparison_key, squeeze, word_pattern, words
from pairwright.languages import BOUNDARIES
from pairwright.languages.features import NO_FEATURES, Demand, Features, Tagset
from pairwright.languages.linguistics.attested import attested_words
from pairwright.languages.linguistics.marks import STARS, is_marked
from pairwright.languages.linguistics.morphemes import boundary_pattern, is_segmented, join_morphemes, plain_sentence

# Of the cells in a request, in characters.
_LONGEST_CELLS = 2000
# What it counts that a sentence is in the section of the rule.
_SAME_SECTION = 2.0
# Sentences with fewer features are not preferred any more.
_SHORT = 8
# How many other forms of a word and of a sentence are shown.
_OF_A_WORD, _OF_A_SENTENCE = 3, 6
# Forms of one word begin alike, and shorter stems recur by chance.
_SHORTEST_STEM = 3
# Shorter words of the prose are endings, or words of two languages; shorter labels begin too many words.
_SHORTEST_NAMED, _SHORTEST_LABEL = 4, 3
_MORPHEME = re.compile(r"[\s\-=~<>.:;/\\+]+")
# A grammatical label in a gloss line, `GEN` or `3SG`; one that is no word of a translation, as `I` and `A` are.
_LABEL, _SURE_LABEL = re.compile(r"\d?[A-Z]+[A-Z\d]*"), re.compile(r"\d?[A-Z]{2,}[A-Z\d]*")
# A part of one: a person comes before its number.
_PART = re.compile(r"[123](?=[A-Z])|[^\W_]+")
# Constituents in brackets, as in `[small dog]NP`; in lines of morphemes also without their name.
_NAMED_CONSTITUENT, _CONSTITUENT = re.compile(r"\[([^\[\]]+)\][A-Z]{1,4}\b"), re.compile(r"\[|\][A-Z]{0,4}")
# The name of a speaker before a turn of a conversation, as in `A: yes`.
_SPEAKER = re.compile(r"^[A-Z]{1,3}\d?:\s+")
# Signs of transcriptions, variants, optional words, derivations and stars, which no written sentence has.
_NOTATION = re.compile(rf"[/\[\](){{}}<>|{STARS}=+~∼→←↗↘∑∅]")
# An ending or a beginning that a rule names: `-jst`, `kə-`.
_AFFIX = re.compile(r"(?<!\w)[-=](\w+)|(\w+)[-=](?!\w)")


class WordForm(NamedTuple):
    """A form with its gloss, or the heads of its cell in a table, the labels in these, and where it is.

    cut  the form as it is cut into morphemes
    """

    form: str
    gloss: str
    labels: frozenset[str]
    place: str
    cut: str


class Attested(NamedTuple):
    """A sentence that the source gives as right; `block_id` is the example's.

    variety  the language, dialect or speaker that the source prints with it
    title    its heading
    place    where it is, such as `(12), p. 90`
    words    those that have a gloss each; none where the lines do not match
    """

    block_id: str
    sentence: str
    segmentation: str | None = None
    gloss: str | None = None
    translation: str | None = None
    section: tuple[str, ...] = ()
    variety: str | None = None
    title: str | None = None
    place: str = ""
    words: tuple[WordForm, ...] = ()


class Corpus:
    """The attested sentences of a source in its order, by their comparison keys, and the forms of their words.

    blocks      of the source; without any, the corpus is the good sentences of the rules' examples
    boundaries  the signs between morphemes, `Language.boundaries`
    tagset      the features of the labels in its glosses; a label that it lacks counts for each feature whose value it
                begins with, as `INESS` and `SINGULAR` do for `Case=Ine` and `Number=Sing`
    described   the title of the source and the language that it describes. A label of sentences is of another variety
                unless all its words are here, or it abbreviates words of it, as `IA` does with `Iranian Armenian`.
                Where no label is of what is described, labels may name speakers, and no sentence is of another variety.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        blocks: Iterable[Block] = (),
        boundaries: str = BOUNDARIES,
        tagset: Tagset | None = None,
        described: str = "",
    ) -> None:
        self._boundaries, listed = boundaries, list(blocks)
        self._tables = [block for block in listed if block.kind == "table" and block.cells]
        sentences = [one for block in listed for one in _sentences(block, boundaries)]
        printed = {(one.block_id, one.gloss, one.translation): one for one in sentences}
        for rule in rules:
            for example in rule.examples:
                place, given = example.evidence, (example.segmentation, example.gloss, example.translation)
                # With the label of the sentence that the source prints with the same gloss and translation.
                like = printed.get((place.block_id, *given[1:]), Attested("", "", place=f"p. {place.page}"))
                label = (like.variety, like.title, like.place)
                sentences.append(Attested(place.block_id, example.good, *given, rule.section, *label))
        self.words = attested_words(listed, (one.sentence for one in sentences), boundaries)
        self.sentences: dict[str, Attested] = {}
        for one in sentences:
            kept = self.sentences.setdefault(key := self._key(one.sentence), one)
            # Of two with the same words, the one that says more; the gloss counts most.
            if (bool(one.gloss), bool(one.translation)) > (bool(kept.gloss), bool(kept.translation)):
                self.sentences[key] = one
        self.sentences = {key: one._replace(words=_words(one, boundaries)) for key, one in self.sentences.items()}
        names = [word.casefold() for word in re.findall(r"[^\W\d_]+", described)]
        labels = {one.variety for one in sentences if one.variety}
        others = sorted(label for label in labels if not _names(label, names))
        self._others = word_pattern(*others) if len(others) < len(labels) else word_pattern()
        self._sound = [one for one in self.sentences.values() if self._is_written(one) and not self.is_other(one)]
        self._known = frozenset(word.form.casefold() for one in self._sound for word in one.words)
        self._features = {key: _features(one) for key, one in self.sentences.items()}
        counts = Counter(feature for features in self._features.values() for feature in features)
        self._weights = {feature: math.log(len(self.sentences) / count) for feature, count in counts.items()}
        # Many rules have one demand, and every demand asks about every sentence.
        self._meaning = cache(lambda label: tagset.meaning(label)[1] if tagset else NO_FEATURES)
        self._fit = cache(self._fit_of)

    def attests(self, sentence: str) -> bool:
        """Whether the source has this sentence, letter for letter but for case and punctuation, as a right one."""
        return self._key(sentence) in self.sentences

    def is_other(self, one: Attested) -> bool:
        """Whether a sentence's label, or its heading, is of another language or dialect than the one described."""
        return any(self._others.search(name or "") for name in (one.variety, one.title))

    def for_rule(self, rule: Rule, demand: Demand, shown: Mapping[str, int]) -> list[Attested]:
        """The sentences for a rule: its own examples, then those most like them, then others; none if none bears on it.

        Before the others of their kind come sentences in which a word has the good features of the demand and,
        elsewhere in the source, a form with the bad ones; those without a gloss and words alone come after others.
        Those of another language or dialect are left out, or last where they are the rule's own.

        shown  how many rules before this one were shown a sentence first, by its block; each makes it come later
        """
        keys, text = {self._key(example.good) for example in rule.examples}, f"{_about(rule)} {rule.quote}"
        own = {key for key, one in self.sentences.items() if key in keys or one.block_id in rule.example_ids}
        # The form that a word of the prose is, or the longest one that it begins with and that has enough letters.
        prose = [word.casefold() for word in words(text)]
        beginnings = [(word, *(word[:end] for end in range(len(word), _SHORTEST_NAMED - 1, -1))) for word in prose]
        named = {form for of_word in beginnings if (form := next((it for it in of_word if it in self._known), None))}
        # A rule that names words of the language, as one about a single paradigm does, is about these alone.
        names_words = any(len(form) >= _SHORTEST_NAMED for form in named)
        wanted = named.union(*(self._features[key] for key in own))
        wanted |= {piece.casefold() for match in _AFFIX.finditer(text) for piece in match.groups() if piece}
        if not demand.good:
            terms = words(_about(rule).casefold())
            wanted |= {label for label in self._weights if label.isupper() and _is_named(label, terms)}
        ranked, bears = [], False
        for number, (key, one) in enumerate(self.sentences.items()):
            is_own, is_other = key in own, self.is_other(one)
            # A sentence without gloss and translation tells nothing to a reader who does not know the language.
            if not self._is_written(one) or not (is_own or ((one.gloss or one.translation) and not is_other)):
                continue
            fit, features = self._fit(one, demand), self._features[key]
            # By the root of their number, as long sentences share something with every rule.
            score = math.fsum(self._weights[feature] for feature in features & wanted) / math.sqrt(
                max(len(features), _SHORT)
            )
            score += _SAME_SECTION * _is_within(one.section, rule)
            if score > 0 or is_own or not names_words:
                bears |= score > 0 or is_own or fit > 1
                nearness, is_word = (score + 1) / (1 + shown.get(one.block_id, 0)), len(words(one.sentence)) == 1
                ranked.append(((is_other, not is_own, -fit, not one.gloss, is_word, -nearness, number), one))
        # A sentence without a word that is known to have the good features can't be changed where others can.
        any_fits = any(place[2] for place, _ in ranked)
        kept: dict[object, Attested] = {}
        for place, one in sorted(ranked) if bears else ():
            if place[2] or not (any_fits and place[1]):
                # Of two that only their spelling tells apart, the first: gloss and translation are one.
                kept.setdefault((one.gloss, one.translation) if one.gloss and one.translation else one.sentence, one)
        return list(kept.values())

    def with_features(self, one: Attested, features: Features) -> list[WordForm]:
        """The words of a sentence that have some features."""
        return [word for word in one.words if self._have(word.labels, features)]

    def contrasting(self, one: Attested, demand: Demand) -> dict[str, list[WordForm]]:
        """The words of a sentence that have the features of the good side, with their forms that have the bad side's.

        Of a word's forms, those whose other labels are the same come first. There are none without features on the
        bad side.
        """
        contrasts = {}
        for word in self.with_features(one, demand.good) if demand.bad else ():
            if forms := [other for other in self._other_forms(word) if self._have(other.labels, demand.bad)]:
                contrasts[word.form] = sorted(forms, key=lambda other: len(word.labels ^ other.labels))
        return contrasts

    def exchanges(self, demand: Demand, most: int) -> list[str]:
        """Words of which the book has both the form of the good side and that of the bad one, in lines.

        Each word comes once before any comes again, and forms that differ in nothing else come first.
        """
        lines: dict[str, tuple[int, int]] = {}
        for forms in self._forms.values() if demand.good and demand.bad else ():
            goods, bads = ([form for form in forms if self._have(form.labels, side)] for side in demand)
            pairs = [(good, bad) for good in goods for bad in bads if good.form.casefold() != bad.form.casefold()]
            pairs.sort(key=lambda pair: len(pair[0].labels ^ pair[1].labels))
            for rank, (good, bad) in enumerate(pairs):
                line = f"{good.form} {good.gloss} | {bad.form} {bad.gloss}"
                lines.setdefault(line, (rank, len(good.labels ^ bad.labels)))
        return sorted(lines, key=lambda line: lines[line])[:most]

    def other_forms(self, one: Attested, rule: Rule, demand: Demand, listed: set[str]) -> list[str]:
        """Other forms of a sentence's words in lines such as `taron: taro dog.ABS ((3), p. 5), taroso dog.PL`.

        These are the forms that a bad sentence of the rule needs; after them, or without a demand, those whose labels
        the rule names, then any. Each word has a few, and so has the sentence.

        listed  the words whose forms were shown before, which are left out; those shown now are added
        """
        terms, contrasts = words(_about(rule).casefold()), self.contrasting(one, demand)

        def named(other: WordForm) -> int:
            return sum(_is_named(label, terms) for label in other.labels)

        by_use: list[tuple[bool, int, str, list[WordForm]]] = []
        for word in self.with_features(one, demand.good):
            others = sorted(self._other_forms(word), key=lambda other: -named(other))
            if chosen := list(dict.fromkeys([*contrasts.get(word.form, ()), *others]))[:_OF_A_WORD]:
                by_use.append((word.form not in contrasts, -max(map(named, chosen)), word.form, chosen))
        lines, left = [], _OF_A_SENTENCE
        for *_, form, chosen in sorted(by_use, key=lambda item: item[:2]):
            shown = [] if form.casefold() in listed else chosen[:left]
            left -= len(shown)
            if shown:
                lines.append(f"{form}: {', '.join(f'{it.form} {it.gloss} ({it.place})' for it in shown)}")
                listed.add(form.casefold())
        return lines

    def paradigms(self, rule: Rule) -> list[str]:
        """The tables that a rule rests on and those of its section, as lines of cells behind their heads.

        What does not fit into a request is left out, the last first.
        """
        near = [table for table in self._tables if table.id in rule.block_ids or _is_within(table.section, rule)]
        texts, left = [], _LONGEST_CELLS
        for table in sorted(near, key=lambda table: table.id not in rule.block_ids):
            lines = []
            for line in show_table(table).splitlines():
                left -= len(line)
                lines += [line] if left >= 0 else []
            texts += ["\n".join(lines)] if lines else []
        return texts

    def _key(self, sentence: str) -> str:
        return comparison_key(join_morphemes(sentence, self._boundaries))

    def _is_written(self, one: Attested) -> bool:
        """Whether it is written as sentences are; one without a gloss may be cut into morphemes."""
        cut = not one.gloss and join_morphemes(one.sentence, self._boundaries) != one.sentence
        return not cut and not _NOTATION.search(one.sentence)

    def _fit_of(self, one: Attested, demand: Demand) -> int:
        """2 if a word has the good features of a demand and, elsewhere, a form with the bad ones; 1 if it has those."""
        return 2 if self.contrasting(one, demand) else int(bool(demand.good and self.with_features(one, demand.good)))

    @cached_property
    def _forms(self) -> dict[str, list[WordForm]]:
        """The forms of each lemma: those of examples, then cells that begin alike in rows with one of its stems."""
        forms: defaultdict[str, dict[tuple[str, str], WordForm]] = defaultdict(dict)
        stems: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for word in (word for one in self._sound for word in one.words):
            key, lemma = word.form.casefold(), _lemma(word.gloss)
            forms[lemma].setdefault((key, word.gloss), word)
            morphemes, glosses = self._morphemes(word.cut), boundary_pattern().sub(" ", word.gloss).split()
            # The morphemes that carry the meaning; the first one where the gloss is cut otherwise.
            meaning = [it for it, label in zip(morphemes, glosses, strict=False) if label != label.upper()]
            stems[lemma] |= dict.fromkeys([key, *(meaning if len(morphemes) == len(glosses) else morphemes[:1])])
        rows: defaultdict[str, dict[tuple[str, int], None]] = defaultdict(dict)
        cells: defaultdict[tuple[str, int], list[WordForm]] = defaultdict(list)
        for table in self._tables:
            for row, heads, cell in (each for each in _cells(table) if not self._others.search(each[1])):
                form = join_morphemes(cell, self._boundaries)
                cells[table.id, row].append(
                    WordForm(form, heads, _labels(heads.upper()), f"table, p. {table.page}", cell)
                )
                for stem in (form.casefold(), *self._morphemes(cell)):
                    rows[stem][table.id, row] = None
        listed: dict[str, list[WordForm]] = {}
        for lemma, glossed in forms.items():
            long = [stem for stem in stems[lemma] if len(stem) >= _SHORTEST_STEM]
            beginnings = tuple(stem[:_SHORTEST_STEM] for stem in long)
            near = dict.fromkeys(place for stem in long for place in rows.get(stem, ()))
            in_tables = [it for place in near for it in cells[place] if it.form.casefold().startswith(beginnings)]
            by_form: dict[tuple[str, frozenset[str]], WordForm] = {}
            for it in (*glossed.values(), *(it for it in in_tables if words(it.form) == [it.form])):
                by_form.setdefault((it.form.casefold(), it.labels), it)
            listed[lemma] = list(by_form.values())
        return listed

    def _other_forms(self, word: WordForm) -> list[WordForm]:
        key, forms = word.form.casefold(), self._forms.get(_lemma(word.gloss), ())
        return [it for it in forms if it.form.casefold() != key and it.labels != word.labels]

    def _have(self, labels: frozenset[str], features: Features) -> bool:
        return all(any(self._means(label, *feature) for label in labels) for feature in features)

    def _means(self, label: str, name: str, value: str) -> bool:
        meaning = self._meaning(label)
        return (name, value) in meaning if meaning else label.casefold().startswith(value.casefold())

    def _morphemes(self, cut: str) -> list[str]:
        return words(boundary_pattern(self._boundaries).sub(" ", cut).casefold())


def _cells(table: Block) -> Iterator[tuple[int, str, str]]:
    """The cells of a table's body that are not blank: the row, the heads before it and over the column, and the text.

    The heads are such as `GEN, PLURAL`. A merged head counts for all that it covers.
    """
    cells = [[squeeze(cell) for cell in row] for row in table.cells or ()]
    for row, boxes in enumerate(table.cell_boxes or ()):
        for column in (column for column, box in enumerate(boxes) if box is None and not cells[row][column]):
            if row < table.header_rows and column:
                cells[row][column] = cells[row][column - 1]
            elif row >= table.header_rows and row and not column:
                cells[row][column] = cells[row - 1][column]
    heads = cells[: table.header_rows]
    for number, row_cells in enumerate(cells[table.header_rows :]):
        for column, text in enumerate(row_cells):
            over = " ".join(filter(None, dict.fromkeys(head[column] for head in heads if column < len(head))))
            # The first column has the heads of the rows; with a head of its own, it may be one of forms.
            if text and (column or over):
                yield number, ", ".join(filter(None, (row_cells[0] if column else "", over))), text


def show_table(table: Block) -> str:
    """A table in lines, one a row: each cell behind its heads, as in `GEN, SG: taron; GEN, PL: tarosin`.

    Cells without a head over them come together behind the head of their row.
    """
    lines = []
    for _, row in groupby(_cells(table), key=lambda cell: cell[0]):
        by_heads = groupby(row, key=lambda cell: cell[1])
        shown = [(f"{heads}: " if heads else "") + " | ".join(cell[2] for cell in cells) for heads, cells in by_heads]
        lines.append("; ".join(shown))
    return "\n".join(lines)


def _sentences(block: Block, boundaries: str) -> Iterator[Attested]:
    """The sentences of an example block without a mark of ungrammaticality."""
    for path, leaf in block.gloss.leaves() if block.gloss else ():
        sentence = _SPEAKER.sub("", _NAMED_CONSTITUENT.sub(r"\1", plain_sentence(leaf, boundaries)))
        if is_marked(leaf) or not words(sentence):
            continue
        cut = _CONSTITUENT.sub("", " ".join(filter(None, leaf.segmentation)))
        shown = cut if cut != sentence or is_segmented(leaf, boundaries) else None
        gloss, translation = "\n".join(_CONSTITUENT.sub("", " ".join(line)) for line in leaf.glosses), leaf.translation
        labels = any(_SURE_LABEL.fullmatch(piece) for piece in _MORPHEME.split(translation or ""))
        if not gloss and labels and len((translation or "").split()) == len(words(sentence)):
            # A list may print the gloss of a word in the place of its translation.
            gloss, translation = translation or "", None
        place = f"({''.join(path)}), p. {block.page}" if path else f"p. {block.page}"
        lines = (shown or None, gloss or None, translation)
        yield Attested(block.id, sentence, *lines, block.section, leaf.language, leaf.title, place)


def _words(one: Attested, boundaries: str) -> tuple[WordForm, ...]:
    """The words of a sentence that have a gloss each; none where the lines do not match."""
    cut, glosses = (one.segmentation or one.sentence).split(), (one.gloss or "").partition("\n")[0].split()
    # A segmentation may be a transcription of the sentence.
    written = {word.casefold() for word in words(one.sentence)}
    rows = zip(cut, glosses, strict=True) if len(cut) == len(glosses) else ()
    forms = ((" ".join(words(join_morphemes(word, boundaries))), word, gloss) for word, gloss in rows)
    return tuple(
        WordForm(form, gloss, _labels(gloss), one.place, word)
        for form, word, gloss in forms
        if form.casefold() in written
    )


def _features(one: Attested) -> frozenset[str]:
    """The words, morphemes and grammatical labels by which sentences are compared."""
    labels = {piece for piece in _MORPHEME.split(one.gloss or "") if _LABEL.fullmatch(piece)}
    morphemes = {piece.casefold() for piece in _MORPHEME.split(one.segmentation or "") if piece}
    return frozenset(labels | morphemes | {word.casefold() for word in words(one.sentence)})


def _lemma(gloss: str) -> str:
    """The lexical part of a word's gloss, `book` of `book-GEN`; its first label where there is none."""
    pieces = [piece for piece in _MORPHEME.split(gloss) if piece]
    return ".".join(piece.casefold() for piece in pieces if not _LABEL.fullmatch(piece)) or "".join(pieces[:1])


def _labels(gloss: str) -> frozenset[str]:
    """The grammatical labels of a gloss, which are printed in capitals."""
    return frozenset(label for label in _PART.findall(gloss) if label == label.upper())


def _names(label: str, names: list[str]) -> bool:
    """Whether a label names what a source describes."""
    for part in label.split(";"):
        parts = [word.casefold() for word in words(part)]
        abbreviates = bool(parts) and len(parts[0]) > 1 and parts[0] in "".join(name[0] for name in names)
        if not parts or not (abbreviates or set(parts) <= set(names)):
            return False
    return True


def _is_named(label: str, terms: Iterable[str]) -> bool:
    """Whether a label is a term, or begins one, as `COM` does `comitative`."""
    key = label.casefold()
    return any(term == key or (len(key) >= _SHORTEST_LABEL and term.startswith(key)) for term in terms)


def _about(rule: Rule) -> str:
    return f"{rule.title} {rule.contrast.what if rule.contrast else ''}"


def _is_within(section: tuple[str, ...], rule: Rule) -> bool:
    """Whether a section is that of a rule, or below it."""
    return bool(rule.section) and section[: len(rule.section)] == rule.section
