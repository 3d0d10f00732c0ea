"""Which words a correction replaces: what evidence decides, and what is offered where it does not."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from list_parts import ReadList, pairs_of

# A heading, an item, and the good sentences of its brackets.
PLAIN = [
    # The rule bans an adposition: it goes with its noun, and stands anywhere before the bracket.
    ("4.1. Prielinksnis ant nevartotinas:", "Žiūrėjome ant kalno, kur degė laužas (= į kalną).",
     ["Žiūrėjome į kalną, kur degė laužas."]),
    ("4.1. Prielinksnis už nevartotinas:", "Už penkių minučių (= Po penkių minučių; Netrukus) ateisiu.",
     ["Po penkių minučių ateisiu.", "Netrukus ateisiu."]),
    ("4.1. Prielinksnis pagal nevartotinas:", "Mokestis pagal sutartį (= sutarties mokestis) didėja.",
     ["Sutarties mokestis didėja."]),
    # An entry before a dash, with what it governs, is no part of the sentence.
    ("4.2. Valdymas:", "**pilnas** (ko) – Vežimas pilnas *obuolius* (= obuolių).", ["Vežimas pilnas obuolių."]),
    # Words beside the emphasised ones that a correction repeats do not come twice.
    ("4.2. Valdymas:", "Grįšime po *tris dienas* (= po trijų dienų).", ["Grįšime po trijų dienų."]),
    # Struck words are corrected by emphasised ones behind them or by a bracket, or deleted.
    ("4.2. Valdymas:", "Ilgai laukėme ~~traukinį~~ → **traukinio** stotyje.", ["Ilgai laukėme traukinio stotyje."]),
    ("4.2. Valdymas:", "~~Ant rudens~~ → **Rudenį** / **Rudeniop** atvėso.", ["Rudenį atvėso.", "Rudeniop atvėso."]),
    ("4.2. Valdymas:", "Senelis pjovė ~~su~~ dalgiu žolę.", ["Senelis pjovė dalgiu žolę."]),
    # A verb that governs the wrong words stays.
    ("4.2. Dalelytės:", "groti ant ko → Brolis groja ant būgno (= būgnu).", ["Brolis groja būgnu."]),
    # The entry names the wrong words, also in brackets, in another form, or as several words.
    ("7.1. Žodžiai:", "rastis (randasi) → Durys randasi (= yra) kairėje.", ["Durys yra kairėje."]),
    ("7.1. Žodžiai:", "koks → Suknelė, kokią siuvi, per trumpa (= kurią).", ["Suknelė, kurią siuvi, per trumpa."]),
    # A capital starts the sentence again, also inside a quotation; whole sentences may be replaced.
    ("6.1. Jungtukai:", "kada → Brolis šaukė: „Kada (= Kai) grįši, paskambink.“",
     ["Brolis šaukė: „Kai grįši, paskambink.“"]),
]  # fmt: skip

# Items under a heading, and the good sentences of their brackets.
UNDER = {
    "6.1. Jungtukai:": [
    # A clause takes its comma.
    ("kuomet → Nežinau kuomet (= kada) jis grįš.", ["Nežinau, kada jis grįš."]),
    ("nepaisant to, kad → Išėjome nepaisant to, kad lijo (= nors lijo).", ["Išėjome, nors lijo."]),
    # The comma at the end of a correction belongs to it, and to all alternatives with capitals.
    ("tikslu → Poilsio tikslu (= Norėdami pailsėti, Kad pailsėtume,) išvažiavome.",
     ["Norėdami pailsėti, išvažiavome.", "Kad pailsėtume, išvažiavome."]),
    ("prie to → Prie to jis dar vėlavo. Prie to (= Be to,) jis pyko.", ["Be to, jis pyko."]),
    # What begins with a capital and ends as the sentence does says it again.
    ("Be pinigų žmonės nekeliauja (= Kai nėra pinigų, žmonės nekeliauja).",
     ["Kai nėra pinigų, žmonės nekeliauja."]),
    # A comma inside one correction separates nothing.
    ("per tai, kad → Vėlavo per tai, kad snigo (= todėl, kad snigo; nes snigo).",
     ["Vėlavo todėl, kad snigo.", "Vėlavo, nes snigo."]),
    # Alternatives behind a slash are complete.
    ("jis → Jonas sakė, kad jis (= kad tėvas / kad brolis) serga.",
     ["Jonas sakė, kad tėvas serga.", "Jonas sakė, kad brolis serga."]),
    # A conjunction that the correction has and the sentence keeps stands once.
    ("dėka to → Ilsimės dėka to, kad (= dėl to, kad) lyja.", ["Ilsimės dėl to, kad lyja."]),
    ("iki → Po šiai dienai (= Iki šios dienos, iki šiol) laukiame.",
     ["Iki šios dienos laukiame.", "Iki šiol laukiame."]),
    # A coordinator behind a comma that more words follow keeps it.
    ("tame tarpe → Dainavo visi, tame tarpe ir vaikai (= ir vaikai).", ["Dainavo visi, ir vaikai."]),
    # A comma inside the wrong words that the correction leaves out goes with them.
    ("tuo labiau → Nevažiuok, tuo labiau, kad (= juo labiau kad) sninga.", ["Nevažiuok, juo labiau kad sninga."]),
    # `kas nors` is a pronoun; a comma before `bet` parts no alternatives.
    ("kažkas → Gal kažkas (= kas nors; kas) lauks.", ["Gal kas nors lauks.", "Gal kas lauks."]),
    ("pas → Pas ją greita eisena, bet lėta kalba (= Jos eisena greita, bet kalba lėta).",
     ["Jos eisena greita, bet kalba lėta."]),
    # Neither does one that the sentence has behind the same word.
    ("būdami → Būdami maži, mus (= Kai buvome maži, mus) augino teta.", ["Kai buvome maži, mus augino teta."]),
    ("taip ir → Kaip vaikai, taip ir tėvai (= Tiek vaikai, tiek tėvai; Ir vaikai, ir tėvai) juokėsi.",
     ["Tiek vaikai, tiek tėvai juokėsi.", "Ir vaikai, ir tėvai juokėsi."]),
    # What only orders words anew keeps all that stand around them.
    ("pažyminys → Laiškas apie kelionę draugų (= draugų kelionę).", ["Laiškas apie draugų kelionę."]),
    ],
    "6.1. Junginiai:": [
    # Capitals on both sides of a comma begin two alternatives, also beside another one.
    ("visa eilė → Visa eilė namų (= Nemažai, Daug namų; Keletas namų) sudegė.",
     ["Nemažai namų sudegė.", "Daug namų sudegė.", "Keletas namų sudegė."]),
    # What stands before the comma takes the beginning and the end of the other one, and is as long.
    ("turtingas kuo → Mūsų sodas turtingas obuoliais (= Mūsų sode daug, gausu obuolių).",
     ["Mūsų sode daug obuolių.", "Mūsų sode gausu obuolių."]),
    # One conjunction or another between the same words.
    ("virš → Atvyko virš šimto (= daugiau kaip, negu šimtas) svečių.",
     ["Atvyko daugiau kaip šimtas svečių.", "Atvyko daugiau negu šimtas svečių."]),
    # A word that the other alternative has in another form belongs to the first alone.
    ("prie → Tėvas gimė prie Nepriklausomybės (= Nepriklausomybės metais, įsigaliojus Nepriklausomybei).",
     ["Tėvas gimė Nepriklausomybės metais.", "Tėvas gimė įsigaliojus Nepriklausomybei."]),
    # Another form of the last word alone.
    ("datos → Antrą gegužės (= Gegužės antrą, antrąją) lijo.", ["Gegužės antrą lijo.", "Gegužės antrąją lijo."]),
    ],
    "4.1. Prielinksniai iš, po nevartotini:": [
    # An ending that the word may have.
    ("Svečiai neužilgo (= greit(ai)) ateis.", ["Svečiai greit ateis.", "Svečiai greitai ateis."]),
    # What says that there are more alternatives is none.
    ("Vaikai dūko (= siautė, išdykavo ir pan.) kieme.", ["Vaikai siautė kieme.", "Vaikai išdykavo kieme."]),
    # „ opens and “ closes.
    ("Knyga po vardu „Vėjas“ (= „Vėjas“) dingo.", ["Knyga „Vėjas“ dingo."]),
    ],
    "1.1. Žodžiai:": [
    ("Ar pas ją yra katė? (= Ar ji turi katę?) Nupirkau batai (= batus).", ["Ar ji turi katę?", "Nupirkau batus."]),
    ("Laukiu autobusą (= autobuso) prie stoties. dešimties metų mergaitė rašė laiškas (= laišką).",
     ["Laukiu autobuso prie stoties.", "dešimties metų mergaitė rašė laišką."]),
    ("ant – Sėdėjo ant kėdę (= ant kėdės).", ["Sėdėjo ant kėdės."]),
    # What a headword and its dash name goes, and so does what no correction of the rule keeps.
    ("ant – Visi kalbėjo ant telefono (= telefonu).", ["Visi kalbėjo telefonu."]),
    ("Jie kalbasi ant telefono (= telefonu). Duris rakina ant rakto (= raktu).",
     ["Jie kalbasi telefonu.", "Duris rakina raktu."]),
    ("2. Dėl galininko: Matau namas (= namą).", ["Matau namą."]),
    ],
}  # fmt: skip
OF_RULES = [
    # Emphasis, a title without entries, all brackets of an entry together.
    ("- **5.4.** **pagalba** su daiktavardžiu — pvz.: Skylę pragręžė grąžto pagalba (= grąžtu).",
     ["Skylę pragręžė grąžtu."]),
    ("- 7.2. atatinkamas — pvz.: Jam davė atatinkamą darbą (= tinkamą).", ["Jam davė tinkamą darbą."]),
    ("### 4.2. Veiksmažodžiai:\n- rūpintis kuo → Tėvas rūpinasi sodą (= sodu). Jie rūpinasi vaikus (= vaikais).",
     ["Tėvas rūpinasi sodu.", "Jie rūpinasi vaikais."]),
    ("### 7.1. Žodžiai:\n- lopšiukas → Jis pirko lopšiuką (= vežimėlį). Kur dingo lopšiukas (= vežimėlis)?",
     ["Jis pirko vežimėlį.", "Kur dingo vežimėlis?"]),
    # A label before a sentence; the full stop of an abbreviation ends none.
    ("- 1.1. Netaisyklingos formos: Rytoj lys (= lis). Taip pat: Turi 5 mln. Gaunančių (= gaunančių) paramą.",
     ["Rytoj lis.", "Turi 5 mln. gaunančių paramą."]),
    # Items of a rule with letters.
    ("### 4.1. Prielinksnis ant nevartotinas:\n- ant – a) priemonei, pvz.: Ji groja ant būgno (= būgnu). "
     "b) būdui, pvz.: Užrakino ant rakto (= raktu).", ["Ji groja būgnu.", "Užrakino raktu."]),
    # A correction in the text of a rule whose heading bans a word.
    ("# Prielinksniai\n\n### 4.3. Prielinksnis ant nevartotinas:\n- **4.3.1.** laikui reikšti — pvz.: "
     "Atvyks ant Velykų (= per Velykas).", ["Atvyks per Velykas."]),
]  # fmt: skip


def under(heading: str, *items: str) -> str:
    return f"### {heading}\n" + "".join(f"- {item}\n" for item in items)


def entry(heading: str, item: str) -> str:
    every = "iš vienos pusės, iš kitos pusės → " if heading.startswith("4.1. Prielinksniai") else ""
    return under(heading, every + item)


CERTAIN = [
    *((entry(heading, item), goods) for heading, item, goods in PLAIN),
    *((entry(heading, item), goods) for heading, items in UNDER.items() for item, goods in items),
    *OF_RULES,
]

KADA = "kada → Kada grįši, sakyk, kada valgysime (= kai)."
# A heading, an item, and good sentences that are among the first three where the evidence leaves several.
OFFERED = [
    ("6.1. Dalelytės:", "vis tik → Vis tik jis grįžo (= Vis dėlto).", ["Vis dėlto jis grįžo."]),
    ("6.1. Jungtukai:", "vietoj to, kad → Jis tyli, vietoj to, kad kalbėtų (= užuot kalbėjęs).",
     ["Jis tyli, užuot kalbėjęs."]),
    ("1.1. Žodžiai", "Vakare jis žiūrėjo televizorių (= klausėsi radijo).",
     ["Vakare jis klausėsi radijo.", "Vakare jis žiūrėjo klausėsi radijo."]),
    # A word that stands twice; a capital that is no name's.
    ("6.1. Jungtukai:", KADA, ["Kai grįši, sakyk, kada valgysime.", "Kada grįši, sakyk, kai valgysime."]),
    ("1.1. Žodžiai", "Jei kalbėtume apie orą, tai jis bus prastas (= Oras).", []),
]  # fmt: skip

# Paragraphs, their good sentences, and what is by itself no sentence.
NO_SENTENCES = [
    # Forms and phrases in an enumeration, behind a label, behind a sentence.
    ("žalias pušis (= žalia pušis), akmenio (= akmens)", [], ["phrase", "form"]),
    ("Šieno pjauti nereikia (= krauti). pjauti plaukus (= kirpti plaukus); pjauti duoną (= riekti duoną).",
     ["Šieno krauti nereikia."], ["phrase", "phrase"]),
    ("miegojimo metu (= miegant).", [], ["phrase"]),
    # Behind a label, before and behind a sentence, with `and so on.` at their end.
    ("bendratis: nuvažiuot (= nuvažiuoti), pareit (= pareiti).", [], ["form", "form"]),
    ("Kodėl tu rėkauni (= rėkauji)? dejauna (= dejuoja); vargauna (= vargsta).",
     ["Kodėl tu rėkauji?"], ["form", "form"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "goods"), CERTAIN)
def test_evidence_tells_the_wrong_words(read_list: ReadList, text: str, goods: list[str]) -> None:
    rules, rejected = read_list(f"{text}\n")
    assert rejected == []
    assert [pair.good for pair in pairs_of(rules)] == goods


def test_repeated_words_make_certain_and_coordinated_ones_do_not(read_list: ReadList) -> None:
    items = ("Pas kaimyną nėra šuns (= Kaimynas neturi šuns).", "Čia veikė kavinė ir restoranas (= užeiga; valgykla).")
    rules, _ = read_list(under("4.1. Prielinksnis pas nevartotinas:", *items))
    certain, *others = pairs_of(rules)
    assert not certain.uncertain
    assert all(pair.uncertain for pair in others)


# Lemma, form and features of the words that a tiny morphology knows.
INFLECTED = [
    ("naujas", "naują", "ADJ;ACC;SG;MASC"), ("naujas", "naujo", "ADJ;GEN;SG;MASC"), ("butas", "butą", "N;ACC;SG;MASC"),
    ("butas", "buto", "N;GEN;SG;MASC"), ("platus", "platų", "ADJ;ACC;SG;MASC"), ("platus", "plačią", "ADJ;ACC;SG;FEM"),
    ("stalas", "stalą", "N;ACC;SG;MASC"), ("lova", "lovą", "N;ACC;SG;FEM"), ("stalas", "stalas", "N;NOM;SG;MASC"),
    ("lova", "lova", "N;NOM;SG;FEM"), ("platus", "platus", "ADJ;NOM;SG;MASC"), ("platus", "plati", "ADJ;NOM;SG;FEM"),
    ("naujas", "naujas", "ADJ;NOM;SG;MASC"), ("naujas", "nauja", "ADJ;NOM;SG;FEM"), ("sodas", "sodą", "N;ACC;SG;MASC"),
    ("sodas", "sodo", "N;GEN;SG;MASC"), ("brolis", "brolio", "N;GEN;SG;MASC"), ("raktas", "raktas", "N;NOM;SG;MASC"),
    ("dūkti", "dūksta", "V;PRS;3;IND"), ("dundėti", "dunda", "V;PRS;3;IND"),
]  # fmt: skip


@pytest.fixture(scope="module")
def tiny_morphology(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace whose morphology has a few words."""
    path = tmp_path_factory.mktemp("tiny") / "morphology" / "lit"
    path.parent.mkdir()
    path.write_text("".join("\t".join(row) + "\n" for row in INFLECTED), encoding="utf-8")
    return path.parents[1]


@pytest.mark.parametrize("with_morphology", [False, True])
def test_a_modifier_that_no_longer_agrees_leaves_the_pair_uncertain(
    tiny_morphology: Path, read_list: ReadList, with_morphology: bool
) -> None:
    text = under("3.1. Žodžiai:", "ieškoti ką → Ieškau naują butą (= buto).")
    (pair,) = pairs_of(read_list(text, workspace=tiny_morphology if with_morphology else None)[0])
    assert (pair.good, pair.uncertain) == ("Ieškau naują buto.", True)


@pytest.mark.parametrize(("heading", "item", "goods"), OFFERED)
def test_the_right_sentences_are_among_the_first_guesses(
    read_list: ReadList, heading: str, item: str, goods: list[str]
) -> None:
    rules, rejected = read_list(under(heading, item))
    (pair,) = pairs_of(rules)
    offered = [pair.good, *pair.alternatives]
    assert rejected == []
    assert (pair.uncertain, len(offered) <= 4) == (True, True)
    assert set(goods) <= set(offered[:3])
    if "(= Oras)" in item:
        assert all(good.startswith("Oras") for good in offered)


@pytest.mark.parametrize("favourite", ["Kai grįši, sakyk, kada valgysime.", "Kada grįši, sakyk, kai valgysime."])
def test_a_language_model_decides_where_nothing_else_does(read_list: ReadList, favourite: str) -> None:
    def prefers(sentences: Sequence[str]) -> list[float]:
        return [4.0 * (sentence == favourite) for sentence in sentences]

    rules, _ = read_list(under("6.1. Jungtukai:", KADA), rank=prefers)
    assert [pair.good for pair in pairs_of(rules)] == [favourite]


@pytest.mark.parametrize(("item", "goods", "reasons"), NO_SENTENCES)
def test_forms_and_phrases_by_themselves_are_no_sentences(
    read_list: ReadList, item: str, goods: list[str], reasons: list[str]
) -> None:
    rules, rejected = read_list(f"# 5.1. Formos\n\n{item}\n")
    assert [pair.good for pair in pairs_of(rules)] == goods
    assert [item.reason for item in rejected] == [
        f"a {reason} by itself is no sentence; write a sentence with it, or set phrases = true in source.toml "
        "to pair it as it is"
        for reason in reasons
    ]


def test_a_list_may_ask_for_pairs_of_phrases_and_forms(read_list: ReadList) -> None:
    items = "- žalias pušis (= žalia pušis), akmenio (= akmens). Auga pušys (= pušų).\n"
    rules, rejected = read_list(f"# 5.1. Formos\n\n{items}", phrases=True)
    assert rejected == []
    assert [(pair.bad, pair.good, pair.phrase) for pair in pairs_of(rules)] == [
        ("žalias pušis", "žalia pušis", True),
        ("akmenio", "akmens", True),
        ("Auga pušys.", "Auga pušų.", False),
    ]


def test_a_finite_verb_makes_a_sentence_of_a_short_phrase(tiny_morphology: Path, read_list: ReadList) -> None:
    text = under("5.1. Žodžiai", "platus stalas dūksta (= dunda).", "platus stalas (= lova).")
    rules, rejected = read_list(text, workspace=tiny_morphology)
    assert [pair.good for pair in pairs_of(rules)] == ["platus stalas dunda."]
    assert [item.text for item in rejected] == ["platus stalas (= lova)"]


def test_a_pair_of_which_only_a_comma_differs_is_read_with_morphology(
    tiny_morphology: Path, read_list: ReadList
) -> None:
    text = "*Žinau kad jis ateis. → Žinau, kad jis ateis.\n"
    (pair,) = pairs_of(read_list(text, notation=None, workspace=tiny_morphology)[0])
    assert (pair.bad, pair.good) == ("Žinau kad jis ateis.", "Žinau, kad jis ateis.")


@pytest.mark.parametrize(
    "item",
    ["Choras po Onos vadyba (= Choras, vedamas Onos,) dainavo.", "Jie, kaip taisyklė, (= paprastai) vėluoja.",
     "Metras (= 100 cm) yra ilgio matas.",
     # A label, a function word that may belong to the wrong words, a comma before `and`.
     "Nesakykite: „Buvo po žiemos.“ (= „Buvo žiema“)",
     # What commas join has a place each in the sentence, which nothing here puts it at.
     "Kieme buvo drėgnas ir vėsus (= drėgna, vėsu).", "Vakar nerado nei raktą, nei maišą (= rakto, maišo).",
     "Dirbo kaip mokytojas (= mokytoju).", "Perku sėklas, o taip pat įrankius (= ir įrankius)."],
)  # fmt: skip
def test_what_is_no_plain_replacement_is_uncertain(read_list: ReadList, item: str) -> None:
    pairs = pairs_of(read_list(under("1.1. Žodžiai:", item))[0])
    assert pairs
    assert all(pair.uncertain for pair in pairs)


def test_titles_name_the_banned_word_and_parents_follow_the_codes(read_list: ReadList) -> None:
    rules, _ = read_list(
        "# Prielinksniai\n\n### 4.3. Prielinksnis ant nevartotinas:\n"
        "- **4.3.1.** laikui reikšti — pvz.: Atvyks ant Velykų (= per Velykas).\n"
        "- **4.4.** nuo priežasčiai reikšti — pvz.: Serga nuo šalčio (= dėl šalčio).\n"
    )
    assert [(rule.code, rule.title, rule.phenomenon) for rule in rules] == [
        ("4.3.1", "ant laikui reikšti", "Prielinksnis ant nevartotinas"),
        ("4.4", "nuo priežasčiai reikšti", "Prielinksniai"),
    ]


@pytest.mark.parametrize(
    ("item", "goods"),
    [
        # A word that was left out stands where the bracket does.
        ("Laiškas (= iš) Klaipėdos atėjo vakar.", ["Laiškas iš Klaipėdos atėjo vakar."]),
        # A label before another correction is none of its words; the full stop of an abbreviation ends no sentence.
        ("Rytoj nusimato lietus (= numatomas lietus; geriau: laukiama lietaus).", ["Rytoj laukiama lietaus."]),
        ("Gavome 9000 tūkst. litų, tame skaičiuje (= iš jų) 500 namui.", ["Gavome 9000 tūkst. litų, iš jų 500 namui."]),
        # A dash deletes what stands before it.
        ("Grįžo kaip ir (–) anksti.", ["Grįžo kaip anksti.", "Grįžo anksti."]),
        ("Išėjo tik (= –) dviese.", ["Išėjo dviese."]),
        # A bracket behind the mark of a sentence corrects the whole of it.
        ("Nesant pinigų, jis neišvyko. (= Neturėdamas pinigų, jis neišvyko. Arba: Jis neišvyko, nes neturėjo pinigų.)",
         ["Neturėdamas pinigų, jis neišvyko.", "Jis neišvyko, nes neturėjo pinigų."]),
    ],
)  # fmt: skip
def test_corrections_that_add_or_delete_words(read_list: ReadList, item: str, goods: list[str]) -> None:
    (pair, *_) = pairs_of(read_list(under("1.1. Sintaksė", item))[0])
    assert {*goods} <= {pair.good, *pair.alternatives}


@pytest.mark.parametrize(
    ("heading", "item", "goods", "reason"),
    [
        ("1.1. Žodžiai:", "Kuo ilgiau miegu, kuo mažiau dirbu (= Kuo …, tuo …).", [], "gap"),
        ("1.1. Kilmininkas:", "Nematau kalnus (= kalnų) ir (= …) miškus (= miškų).", ["Nematau kalnų ir miškų."],
         "the bracket holds no words"),
        ("5.1. Junginiai", "(= a), (= b), (= c).\n- Auga pušys (= pušų).", ["Auga pušų."], "no sentence"),
        ("1.1. Žodžiai", "Nematau kalnus (= kalnų).\n- Nematau miškus (= miškų.", ["Nematau kalnų."], "is not closed"),
        ("4.1. Prielinksnis ant nevartotinas:",
         "Pastaba. Vietai reikšti ant – ne klaida: Kilimas kabo ant durų (= prie durų).", [],
         "it seems to correct nothing"),
        ("1.1. Žodžiai", "Laukiu autobusą (= autobuso).\n- Einu ant kalno. → į kalną", ["Laukiu autobuso."],
         "it seems to show an error"),
    ],
)  # fmt: skip
def test_what_corrects_nothing_is_named_and_the_rest_is_read(
    read_list: ReadList, heading: str, item: str, goods: list[str], reason: str
) -> None:
    rules, rejected = read_list(under(heading, item))
    assert {pair.good for pair in pairs_of(rules)} == set(goods)
    assert any(reason in each.reason for each in rejected)
