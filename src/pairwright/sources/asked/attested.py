"""What a source attests of its language: its sentences, the forms of their words, and its paradigms."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from heapq import heapify, heappop, heappush
from itertools import accumulate, groupby

from pairwright.core.records import Block, Rule
from pairwright.core.text import squeeze, word_pattern, words
from pairwright.languages import BOUNDARIES
from pairwright.languages.features import NO_FEATURES, Demand, Features, Tagset
from pairwright.languages.linguistics.attested import attested_words
from pairwright.languages.linguistics.glosses import (
    GlossedBook,
    GlossedSentence,
    GlossedWord,
    boundary_pattern,
    join_morphemes,
    labels_of,
)
from pairwright.languages.linguistics.sentences import STARS, ends_sentence

# A form in a paradigm has so many words at most, as `have gone` has.
_LONGEST_FORM = 2
# Of the cells in a request, in characters.
_LONGEST_CELLS = 3000
# Sentences with fewer features are not preferred any more.
_SHORT = 8
# With fewer sentences that have all labels of a rule, it is about either of them.
_ENOUGH = 3
# How many other forms of a word and of a sentence are shown.
_OF_A_WORD, _OF_A_SENTENCE = 3, 6
# Words that are left out of a quoted sentence, and what may stand around a clause that is cut out of one; `:` and `-`
# may belong to a word.
_ELLIPSIS = re.compile(r"…|\.\.\.")
_AROUND = " …,;–—"
_QUOTES = ("“”„", "«»", "‹›")
# Forms of one word begin alike, and shorter stems recur by chance.
_SHORTEST_STEM = 3
# With a smaller share of its longer translations that read as sentences, a book writes them without capitals and marks.
_WRITTEN_SHARE = 1 / 4
_MORPHEME = re.compile(r"[\s\-=~<>.:;/\\+]+")
# Glosses name pronouns by their features or in English.
_PRONOUNS = frozenset({"i", "you", "he", "she", "it", "we", "they", "me", "him", "her", "us", "them"})
_PERSONS, _PERSON_IN_SMALL = frozenset("123"), re.compile(r"[123](?:s|p|d|sg|pl|du)")
_OF_PRONOUNS = frozenset({"Person", "Number", "Case", "Gender", "PronType", "Clusivity", "Definite", "Deixis"})
# It stands for a pronoun or a name that near copies may exchange.
GAP = "_"
# Signs of transcriptions, variants, optional words, derivations and stars, which no written sentence has.
_NOTATION = re.compile(rf"[/\[\](){{}}<>|{STARS}=+~∼→←↗↘∑∅]")


class Corpus:
    """The attested sentences of a source in its order, by their comparison keys, and the forms of their words.

    blocks     of the source; without any, the corpus is the good sentences of the rules' examples
    tagset     the features of the labels in its glosses; a label that it lacks counts for each feature whose value it
               begins with, as `INESS` and `SINGULAR` do for `Case=Ine` and `Number=Sing`
    described  the title of the source and the language that it describes. A label of sentences is of another variety
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
        rules, listed = list(rules), list(blocks)
        self._tables = [block for block in listed if block.kind == "table" and block.cells]
        goods = (example.good for rule in rules for example in rule.examples)
        self.words = attested_words(listed, goods, boundaries)
        self.book, self._boundaries = self.words.book, boundaries
        sentences = [one for one in self.book.sentences if one.judgement is None]
        printed = {(one.block_id, one.gloss, one.translation): one for one in sentences}
        for rule in rules:
            for example in rule.examples:
                place, given = example.evidence, (example.segmentation, example.gloss, example.translation)
                # With the label of the sentence that the source prints with the same gloss and translation.
                like = printed.get((place.block_id, *given[1:]), GlossedSentence("", "", place=f"p. {place.page}"))
                label = (like.variety, like.title, like.place)
                sentences.append(GlossedSentence(place.block_id, example.good, *given, rule.section, *label))
        self.sentences: dict[str, GlossedSentence] = {}
        for one in sentences:
            kept = self.sentences.setdefault(key := self.book.key(one.sentence), one)
            # Of two with the same words, the one that says more; the gloss counts most.
            if (bool(one.gloss), bool(one.translation)) > (bool(kept.gloss), bool(kept.translation)):
                self.sentences[key] = one
        names = [word.casefold() for word in re.findall(r"[^\W\d_]+", described)]
        labels = {one.variety for one in sentences if one.variety}
        others = sorted(label for label in labels if not _names(label, names))
        self._others = word_pattern(*others) if len(others) < len(labels) else word_pattern()
        # One without a gloss may be cut into morphemes.
        joined = ((key, one, join_morphemes(one.sentence, boundaries)) for key, one in self.sentences.items())
        whole = ((key, one) for key, one, text in joined if one.gloss or text == one.sentence)
        written = {key: one for key, one in whole if not _NOTATION.search(one.sentence)}
        self._sound = [one for one in written.values() if not self.is_other(one)]
        self._glossed = GlossedBook(self._sound, boundaries)
        long = [one for one in written.values() if one.translation and len(words(one.sentence)) > 2]
        strict = bool(long) and sum(one.is_sentence for one in long) >= _WRITTEN_SHARE * len(long)
        # A sentence without gloss and translation tells nothing to a reader who does not know the language.
        self._bases = {
            key: one
            for key, one in written.items()
            if (one.is_sentence or (len(words(one.sentence)) > 1 and not strict)) and (one.gloss or one.translation)
        }
        # The words, morphemes and grammatical labels by which sentences are compared.
        self._features = {
            key: labels_of(one.gloss or "")
            | {piece.casefold() for piece in _MORPHEME.split(one.segmentation or "") if piece}
            | {word.casefold() for word in words(one.sentence)}
            for key, one in self.sentences.items()
        }
        counts = Counter(feature for features in self._features.values() for feature in features)
        self._weights = {feature: math.log(len(self.sentences) / count) for feature, count in counts.items()}
        # Many rules have one demand, and every demand asks about every sentence.
        self._meaning = cache(lambda label: tagset.meaning(label)[1] if tagset else NO_FEATURES)
        self._fit = cache(self._fit_of)
        self._with_word, self._with_label = cache(self._find_word), cache(self._find_label)

    def attests(self, sentence: str) -> bool:
        """Whether the source has this sentence, letter for letter but for case and punctuation, as a right one."""
        return self.book.key(sentence) in self.sentences

    def is_other(self, one: GlossedSentence) -> bool:
        """Whether a sentence's label, or its heading, is of another language or dialect than the one described."""
        return any(self._others.search(name or "") for name in (one.variety, one.title))

    def written(self, text: str) -> str:
        """A sentence, or a clause that is cut out of one, as the source writes sentences: with capital and end mark."""
        bare = text.replace("...", "…").strip(_AROUND)
        for marks in _QUOTES:
            bare = bare.strip(marks + _AROUND) if sum(map(bare.count, marks)) % 2 else bare
        has_capitals, has_marks = self._habits
        first = next((at for at, char in enumerate(bare) if char.isalnum()), 0)
        # The letters of `ŉ` and `ß` are not one capital.
        if has_capitals and len(bare[first : first + 1].upper()) == 1:
            bare = bare[:first] + bare[first].upper() + bare[first + 1 :]
        return f"{bare}." if has_marks and bare and not ends_sentence(bare) else bare

    @cached_property
    def _habits(self) -> tuple[bool, bool]:
        """Whether the source's sentences begin with a capital, and whether they end with a mark: most of them do."""
        texts = [one.sentence.lstrip("“„«\"'¿¡([ ") for one in self._bases.values()]
        small, bare = sum(text[:1].islower() for text in texts), sum(not ends_sentence(text) for text in texts)
        return 2 * small < len(texts), 2 * bare < len(texts)

    def lacks_words(self, sentence: str) -> bool:
        """Whether words are left out inside a sentence."""
        return bool(_ELLIPSIS.search(sentence.strip(_AROUND + ".")))

    def for_rule(self, rule: Rule, demand: Demand, shown: Mapping[str, int], alike: int) -> list[GlossedSentence]:
        """The sentences of the whole source that bear on a rule, the best first; none if none does.

        These are its own examples, then those with the words and labels that it is about, the rarest counting most; of
        a rule without any, those with the features of its demand, else those like its examples or from its section.
        Those in which a word has a form with the bad features elsewhere come before others, whole sentences before
        pieces, and each brings other words than those before it; of near copies only the first is taken. Sentences of
        another language or dialect are left out, or last where they are the rule's own.

        shown  how many rules before this one were shown a sentence first, by its block; each makes it come later
        alike  the most that are given where nothing shows that a sentence has what the rule is about
        """
        keys = {self.book.key(example.good) for example in rule.examples}
        own = {key for key, one in self.sentences.items() if key in keys or one.block_id in rule.example_ids}
        like = frozenset[str]().union(*(self._features[key] for key in own))
        named = self._about(rule)
        fits = not named and any(self._fit(one, demand) for one in self._bases.values())
        heap: list[tuple[tuple[object, ...], float, bool, int, float, GlossedSentence]] = []
        for number, (key, one) in enumerate(self._bases.items()):
            is_own, is_other, features = key in own, self.is_other(one), self._features[key]
            about, fit = named.get(key, 0.0), self._fit(one, demand)
            # By the root of their number, as long sentences share something with every rule.
            common = math.fsum(self._weights[feature] for feature in features & like)
            near, within = common / math.sqrt(max(len(features), _SHORT)), _is_within(one.section, rule)
            bears = about if named else fit if fits else near or within
            if is_own or (bears and not is_other):
                near = (near + 1) / (1 + shown.get(one.block_id, 0))
                piece = self.written(one.sentence) != one.sentence or self.lacks_words(one.sentence)
                order: tuple[object, ...] = (is_other, not is_own, piece, -round(about, 6), -fit, not one.gloss)
                heap.append((order, -near, not within, number, near, one))
        heapify(heap)
        chosen: list[GlossedSentence] = []
        frames, seen = set[tuple[str | None, ...]](), Counter[str]()
        while heap and (named or fits or len(chosen) < alike):
            order, score, within, number, near, one = heappop(heap)
            kinds = {word.lexeme for word in one.words}.union(*(word.labels & _PERSONS for word in one.words))
            later = -near / (1 + sum(seen[kind] for kind in kinds) / (len(kinds) or 1))
            if later > score:
                heappush(heap, (order, later, within, number, near, one))
                continue
            frame: tuple[str | None, ...] = self.frame(one)
            said = (one.gloss, one.translation)
            # Of the rule's own examples, only those that say the same are copies, as the wordings of one do.
            if said not in frames and not (order[1] and frame in frames):
                chosen.append(one)
                frames |= {frame, said}
                seen.update(kinds)
        return chosen

    def _about(self, rule: Rule) -> dict[str, float]:
        """The sentences to show with what a rule is about, by their keys, and how rare that is.

        They have one of its words and all of its labels. Where few have all labels, one of them is enough; where none
        has both, either.
        """
        of_words, of_labels = (
            [keys for keys in map(find, terms) if keys]
            for find, terms in ((self._with_word, rule.words), (self._with_label, rule.labels))
        )
        with_all = frozenset[str].intersection(*of_labels) if of_labels else frozenset[str]()
        with_label = with_all if len(with_all) >= _ENOUGH else frozenset[str]().union(*of_labels)
        with_word = frozenset[str]().union(*of_words)
        terms = [(keys, math.log(1 + len(self._bases) / len(keys))) for keys in (*of_words, *of_labels)]
        both = (with_word & with_label) or (with_word | with_label)
        return {key: math.fsum(weight for keys, weight in terms if key in keys) for key in both}

    def frame(self, one: GlossedSentence) -> tuple[str, ...]:
        """What near copies share: the glosses of a sentence with a gap for each pronoun and name, else its words."""
        if one.words:
            return tuple(GAP if self._is_exchangeable(word) else word.gloss for word in one.words)
        return (one.gloss, one.translation) if one.gloss and one.translation else (self.book.key(one.sentence),)

    def skeleton(self, good: str, bad: str) -> tuple[str, str]:
        """Two sentences with a gap for each pronoun and name that they share."""
        sides = self.book.key(good).split(), self.book.key(bad).split()
        gaps = self._exchangeable.intersection(*sides)
        one, other = (" ".join(GAP if word in gaps else word for word in side) for side in sides)
        return one, other

    @cached_property
    def _exchangeable(self) -> frozenset[str]:
        glossed = (word for one in self._sound for word in one.words)
        return frozenset(word.form.casefold() for word in glossed if self._is_exchangeable(word))

    def _is_exchangeable(self, word: GlossedWord) -> bool:
        """Whether a word is a personal pronoun or a name, by its gloss."""
        pieces = [piece for piece in _MORPHEME.split(word.gloss) if piece]
        lexical = [piece for piece in pieces if not labels_of(piece)]
        if lexical:
            word_of = lexical[0]
            is_pronoun = word_of.casefold() in _PRONOUNS or bool(_PERSON_IN_SMALL.fullmatch(word_of))
            return len(lexical) == 1 and (is_pronoun or word_of[:1].isupper())
        kinds = [{name for name, _ in self._meaning(label)} for label in word.labels - _PERSONS]
        return not word.labels.isdisjoint(_PERSONS) and all(names and names <= _OF_PRONOUNS for names in kinds)

    def with_features(self, one: GlossedSentence, features: Features) -> list[GlossedWord]:
        """The words of a sentence that have some features."""
        return [word for word in one.words if self._have(word.labels, features)]

    def contrasting(self, one: GlossedSentence, demand: Demand) -> dict[str, list[GlossedWord]]:
        """The words with the features of the good side, and their forms with the bad side's; none where it has none."""
        contrasts = {}
        for word in self.with_features(one, demand.good) if demand.bad else ():
            if forms := [other for other in self._other_forms(word) if self._have(other.labels, demand.bad)]:
                contrasts[word.form] = forms
        return contrasts

    def _other_forms(self, word: GlossedWord) -> list[GlossedWord]:
        """The forms of a word with other labels, those first whose labels are most alike."""
        others = (it for it in self._glossed.other_forms(word.form) if it.labels != word.labels)
        return sorted(others, key=lambda other: len(word.labels ^ other.labels))

    def other_forms(self, one: GlossedSentence, rule: Rule, demand: Demand, listed: set[str]) -> list[str]:
        """Other forms of a sentence's words in lines such as `taron: taro dog.ABS ((3), p. 5), taroso dog.PL`.

        These are the forms that a bad sentence of the rule needs, then those with labels that the rule is about; where
        the rule demands something of the good side alone, any. Words in `listed`, to which these are added, were shown
        before.
        """
        about, contrasts = labels_of(" ".join(rule.labels)), self.contrasting(one, demand)

        def named(other: GlossedWord) -> int:
            return len(other.labels & about)

        by_use: list[tuple[bool, int, str, list[GlossedWord]]] = []
        for word in self.with_features(one, demand.good):
            others = [it for it in self._other_forms(word) if (demand.good and not demand.bad) or named(it)]
            others.sort(key=lambda other: -named(other))
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

    def paradigms(self, *rules: Rule) -> list[str]:
        """The tables that rules rest on, those of their sections, and those with a word or a label that they are about.

        They come as lines of cells behind their heads. What does not fit into a request is left out, the last first.
        """
        named = {self.book.key(word) for rule in rules for word in rule.words}
        parts = [labels_of(label) for rule in rules for label in rule.labels]

        def bears(table: Block) -> int:
            if any(table.id in rule.block_ids for rule in rules):
                return 3
            if any(_is_within(table.section, rule) for rule in rules):
                return 2
            cells = list(_cells(table)) if self._is_paradigm(table) else []
            has_word = any(self.book.key(cell) in named for *_, cell in cells)
            heads = {labels_of(each.upper()) for _, each, _ in cells}
            return int(has_word or any(part and part <= labels for labels in heads for part in parts))

        texts, left = [], _LONGEST_CELLS
        for table in sorted(filter(bears, self._tables), key=lambda table: -bears(table)):
            lines = show_table(table).splitlines()
            fitting = [line for line, end in zip(lines, accumulate(map(len, lines)), strict=True) if end <= left]
            left -= sum(map(len, lines))
            texts += ["\n".join(fitting)] if fitting else []
        return texts

    def _is_paradigm(self, table: Block) -> bool:
        """Whether a table has forms under the labels of their features: no sentences, no abbreviations."""
        every = list(_cells(table))
        cells = [cell for cell in every if len(cell[2].split()) <= _LONGEST_FORM]
        labelled = [cell for _, heads, cell in cells if any(map(self._meaning, labels_of(heads.upper())))]
        attested = sum(not self._attested_forms.isdisjoint(self._morphemes(cell)) for cell in set(labelled))
        return 2 * len(cells) >= len(every) and 2 * len(labelled) > len(cells) and attested > 1

    def _morphemes(self, cut: str) -> list[str]:
        return words(boundary_pattern(self._boundaries).sub(" ", cut).casefold())

    @cached_property
    def _attested_forms(self) -> frozenset[str]:
        """The words of sentences with a gloss, and their morphemes, in small letters."""
        glossed = (word for one in self._sound for word in one.words)
        return frozenset(it for word in glossed for it in (word.form.casefold(), *self._morphemes(word.cut)))

    def _find_word(self, term: str) -> frozenset[str]:
        """The sentences to show with a word, another form of it, or a morpheme; of an uncut affix, with its letters."""
        plain, signs = self.book.key(term), tuple(self._boundaries)
        lemmas = {word.lexeme for one in self._sound for word in one.words if word.form.casefold() == plain}

        def has(key: str, one: GlossedSentence) -> bool:
            alike = (word for word in one.words if word.form.casefold().startswith(plain[:_SHORTEST_STEM]))
            is_there = f" {plain} " in f" {key} " or plain in self._features[key]
            return is_there or any(word.lexeme in lemmas for word in alike)

        found = {key for key, one in self._bases.items() if plain and has(key, one)}
        if plain and not found and (term.startswith(signs) or term.endswith(signs)):
            cut = str.endswith if term.startswith(signs) else str.startswith
            found = {key for key in self._bases if any(cut(word, plain) for word in key.split())}
        return frozenset(found)

    def _find_label(self, label: str) -> frozenset[str]:
        """The sentences to show in which a word's gloss has all parts of a label, `3SG.PST` as `PST-3SG`."""
        parts, found = labels_of(label), set()
        for key, one in self._bases.items() if parts else ():
            of_words = [word.labels for word in one.words] or [labels_of(one.gloss or "")]
            found |= {key} if any(parts <= labels for labels in of_words) else set()
        return frozenset(found)

    def _fit_of(self, one: GlossedSentence, demand: Demand) -> int:
        """2 if a word has the good features of a demand and, elsewhere, a form with the bad ones; 1 if it has those."""
        return 2 if self.contrasting(one, demand) else int(bool(demand.good and self.with_features(one, demand.good)))

    def _have(self, labels: frozenset[str], features: Features) -> bool:
        def means(label: str, feature: tuple[str, str]) -> bool:
            meaning = self._meaning(label)
            return feature in meaning if meaning else label.casefold().startswith(feature[1].casefold())

        return all(any(means(label, feature) for label in labels) for feature in features)


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


def _names(label: str, names: list[str]) -> bool:
    """Whether a label names what a source describes."""
    for part in label.split(";"):
        parts = [word.casefold() for word in words(part)]
        abbreviates = bool(parts) and len(parts[0]) > 1 and parts[0] in "".join(name[0] for name in names)
        if not parts or not (abbreviates or set(parts) <= set(names)):
            return False
    return True


def _is_within(section: tuple[str, ...], rule: Rule) -> bool:
    """Whether a section is that of a rule, or below it."""
    return bool(rule.section) and section[: len(rule.section)] == rule.section
