## What reviewers write for each decision, the preferred word first.
decisions-approve = gerai, tinka, taip, g, approve, ok, yes
decisions-fix = taisyti, taisytina, pataisyti, fix, f
decisions-reject = atmesti, netinka, ne, blogai, reject, no, r
decisions-unsure = neaišku, nežinau, abejoju, unsure, u, ?

## Titles of the columns of sheets.
columns-pair_id = Poros ID
columns-reviewer = Vertintojas
columns-rule = Taisyklė
columns-good = Taisyklingas sakinys
columns-bad = Klaidingas sakinys
columns-translation = Vertimas
columns-differs = Kuo skiriasi
columns-basis = Kuo pora pagrįsta
columns-alternatives = Kiti taisymai
columns-examples = Pavyzdžiai
columns-source = Šaltinis
columns-findings = Ką rodo patikra
columns-votes = Vertintojų nuomonės
columns-reason = Kodėl klausiama dar kartą
columns-decision = Sprendimas
columns-fixed_good = Pataisytas taisyklingas
columns-fixed_bad = Pataisytas klaidingas
columns-comment = Pastaba
columns-item_id = Eilutės ID
columns-sentence_a = Sakinys A
columns-sentence_b = Sakinys B
columns-choice = A ar B
columns-sentence = Sakinys
columns-rating = Vertinimas 1–7
columns-exported = Kaip pateikta (nekeisti)

## The review page and the facts beside a pair.
interface-page_short = p.
interface-title = Vertinimas
interface-skip_link = Eiti prie klausimo
interface-progress = Atlikta { $done } iš { $total }
interface-pair_question = Ar pirmasis sakinys taisyklingas, o antrasis klaidingas būtent dėl šios taisyklės?
interface-choice_question = Kuris iš dviejų sakinių geresnis?
interface-likert_question = Kiek priimtinas šis sakinys?
interface-likert_low = visai nepriimtinas
interface-likert_high = visiškai priimtinas
interface-good = Taisyklingas
interface-bad = Klaidingas
interface-differs = Kuo skiriasi
interface-translation = Vertimas
interface-basis = Kuo pora pagrįsta
interface-banned = taip sakyti neleidžia šaltinis
interface-obligatory = išvesta: šaltinis taisyklę pateikia be išimčių
interface-declared = taisyklė aprašyta
interface-marked = šaltinis sakinį žymi kaip klaidingą
interface-written_by_model = klaidingą sakinį sudarė kalbos modelis
interface-attested = taisyklingas sakinys yra šaltinyje
interface-made_from = taisyklingas sakinys sudarytas pagal šaltinio sakinį
interface-derived_from = programa sudarė pagal porą
interface-new_words = žodžiai, kurių šaltinyje nėra
interface-alternatives = Kiti taisymai
interface-rule = Taisyklė
interface-rule_place = taisyklė { $number } iš { $total }
interface-new_rule = Nauja taisyklė
interface-examples = Pavyzdžiai
interface-source = Šaltinis
interface-page_picture = Vieta puslapyje
interface-no_picture = Puslapio vaizdo parodyti nepavyko.
interface-findings = Ką rodo patikra
interface-votes = Vertintojų nuomonės
interface-reason = Kodėl klausiama dar kartą
interface-sentence_a = Sakinys A
interface-sentence_b = Sakinys B
interface-approve = Gerai
interface-fix = Taisyti
interface-reject = Atmesti
interface-unsure = Neaišku
interface-fixed_good = Pataisytas taisyklingas sakinys
interface-fixed_bad = Pataisytas klaidingas sakinys
interface-save_fix = Išsaugoti pataisymą
interface-cancel = Atšaukti
interface-comment = Pastaba
interface-save_comment = Išsaugoti pastabą
interface-undo = Anuliuoti
interface-skip = Vėliau
interface-back = Atgal
interface-decided = Jūsų atsakymas:
interface-saved = Išsaugota.
interface-undone = Anuliuota: { $answer }. „{ $sentence }“
interface-nothing_to_undo = Nėra ko anuliuoti.
interface-not_saved = Neišsaugota: serveris neatsako. Jūsų atsakymas tebėra čia, bandykite dar kartą.
interface-other_reviewer = Neišsaugota: šis puslapis atvertas kito vertintojo vardu, o dabar šioje naršyklėje atsakinėja { $reviewer }. Iš naujo atverkite savo adresą; vienoje naršyklėje vienu metu gali atsakinėti tik vienas vertintojas.
interface-fault = Neišsaugota. Jūsų atsakymas tebėra čia; bandykite dar kartą arba praneškite vertinimo rengėjams:
interface-needs_correction = Pataisykite vieną iš sakinių; jie turi skirtis.
interface-finished = Viskas atlikta. Ačiū!
interface-finished_more = Galite uždaryti šį puslapį arba grįžti prie ankstesnių atsakymų.
interface-no_script = Be „JavaScript“ klavišai neveikia, mygtukai veikia.
interface-keys_on = Naudoti klavišus
interface-keys_fixed = Shift ir skaičius parenka kitą taisymą, Ctrl+Enter išsaugo, Esc užveria.
interface-expired = Šis adresas negalioja. Atverkite tą, kuris parodytas terminale.
interface-link_expired = Ši nuoroda negalioja arba nebegalioja. Paprašykite vertinimo rengėjų naujos.
interface-too_many = Per daug užklausų. Truputį palaukite ir bandykite dar kartą.
interface-enter = Įeiti
interface-enter_code = Kodas iš jūsų nuorodos: tai, kas stovi po #
interface-enter_switch = Šioje naršyklėje atsakoma { $now } vardu. Atverta nuoroda skirta { $new }. Jei jos tuo vardu jums niekas nesiuntė, atšaukite.
interface-enter_as = Tęsti kaip { $new }
interface-questionnaire = Prieš pradedant
interface-consent = Perskaičiau ir sutinku.
interface-questionnaire_send = Pradėti
interface-questionnaire_incomplete = Neišsaugota: sutikite su tekstu ir atsakykite į klausimus, pažymėtus *.

## What reviewers read before they begin.
instructions-pairs =
    Kiekvienoje eilutėje yra du sakiniai: pirmasis turėtų būti taisyklingas, antrasis – klaidingas dėl nurodytos taisyklės.
    Stulpelyje „Sprendimas“ įrašykite vieną žodį:

    gerai – pora tinka: pirmasis sakinys taisyklingas, antrasis klaidingas būtent dėl šios taisyklės.
    taisyti – porą galima pataisyti: pataisytą sakinį įrašykite į stulpelį „Pataisytas taisyklingas“ arba „Pataisytas
    klaidingas“; tuščias langelis reiškia, kad tas sakinys lieka toks, koks yra. Jei tinka kuris nors iš „Kitų taisymų“,
    stulpelyje „Sprendimas“ pakanka įrašyti jo numerį.
    atmesti – pora netinka.
    neaišku – apsispręsti negalite.

    Jei dar nenusprendėte, palikite langelį tuščią. Mintis rašykite į stulpelį „Pastaba“; galite pridėti ir savų stulpelių.
    Kitų langelių nekeiskite, eilučių netrinkite. Failą išsaugokite kaip xlsx, ods arba „CSV UTF-8“.
instructions-choice =
    Kiekvienoje eilutėje yra du sakiniai, A ir B. Perskaitykite abu ir stulpelyje „A ar B“ įrašykite raidę to, kuris Jums
    skamba geriau. Teisingo atsakymo niekur ieškoti nereikia: remkitės kalbos jausmu ir ilgai negalvokite. Jei apsispręsti
    sunku, vis tiek pasirinkite.

    Jei dar neatsakėte, palikite langelį tuščią. Mintis rašykite į stulpelį „Pastaba“; galite pridėti ir savų stulpelių.
    Kitų langelių nekeiskite, eilučių netrinkite. Failą išsaugokite kaip xlsx, ods arba „CSV UTF-8“.
instructions-likert =
    Kiekvienoje eilutėje yra vienas sakinys. Stulpelyje „Vertinimas 1–7“ įrašykite, kiek jis Jums priimtinas: nuo 1 (visai
    nepriimtinas, taip niekas nesako) iki 7 (visiškai priimtinas, natūralus). Naudokitės visa skale, remkitės kalbos jausmu ir
    prie ankstesnių sakinių negrįžkite.

    Jei dar neatsakėte, palikite langelį tuščią. Mintis rašykite į stulpelį „Pastaba“; galite pridėti ir savų stulpelių.
    Kitų langelių nekeiskite, eilučių netrinkite. Failą išsaugokite kaip xlsx, ods arba „CSV UTF-8“.
