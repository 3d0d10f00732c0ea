## What reviewers write for each decision, the preferred word first.
decisions-approve = richteg, jo, gutt, approve, ok, yes
decisions-fix = verbesseren, fix, f
decisions-reject = refuséieren, nee, falsch, reject, no, r
decisions-unsure = onsécher, weess net, unsure, u, ?

## Titles of the columns of sheets.
columns-pair_id = Puer-ID
columns-reviewer = Bewäerter
columns-rule = Reegel
columns-good = Richtege Saz
columns-bad = Falsche Saz
columns-translation = Iwwersetzung
columns-differs = Ënnerscheed
columns-basis = Woropp et berout
columns-alternatives = Aner Verbesserungen
columns-examples = Beispiller
columns-source = Quell
columns-findings = Wat d'Kontroll seet
columns-votes = Wat d'Bewäerter gesot hunn
columns-reason = Firwat nach eng Kéier gefrot gëtt
columns-decision = Entscheedung
columns-fixed_good = Verbessert richteg
columns-fixed_bad = Verbessert falsch
columns-comment = Kommentar
columns-item_id = Zeilen-ID
columns-sentence_a = Saz A
columns-sentence_b = Saz B
columns-choice = A oder B
columns-sentence = Saz
columns-rating = Bewäertung 1-7
columns-exported = Exportéiert (net änneren)

## The review page and the facts beside a pair.
interface-translation = Iwwersetzung
interface-basis = Op wat et berout
interface-banned = d'Quell schléisst en aus
interface-obligatory = ofgeleet, well d'Quell d'Reegel ouni Ausnahmen nennt
interface-declared = d'Reegel steet an
interface-marked = d'Quell kennzeechent de falsche Saz
interface-written_by_model = de falsche Saz huet e Sproochmodell geschriwwen
interface-attested = de richtege Saz steet an der Quell
interface-made_from = de richtege Saz ass no engem vun der Quell gemaach
interface-derived_from = vun engem Programm gemaach nom Puer
interface-new_words = Wierder, déi d'Quell net huet
interface-page_short = S.
interface-title = Bewäertung
interface-skip_link = Direkt bei d'Fro goen
interface-progress = { $done } / { $total } fäerdeg
interface-pair_question = Ass den éischte Saz richteg, an deen zweete genee wéinst dëser Reegel falsch?
interface-choice_question = Wéi ee vun deenen zwee Sätz ass besser?
interface-likert_question = Wéi akzeptabel ass dëse Saz?
interface-likert_low = guer net
interface-likert_high = ganz
interface-good = Richteg
interface-bad = Falsch
interface-differs = Ënnerscheed
interface-alternatives = Aner Verbesserungen
interface-rule = Reegel
interface-rule_place = Reegel { $number } vun { $total }
interface-new_rule = Nei Reegel
interface-examples = Beispiller
interface-source = Quell
interface-page_picture = D'Plaz op der Säit
interface-no_picture = D'Säit konnt net ugewise ginn.
interface-findings = Wat d'Kontroll seet
interface-votes = Wat d'Bewäerter gesot hunn
interface-reason = Firwat nach eng Kéier gefrot gëtt
interface-sentence_a = Saz A
interface-sentence_b = Saz B
interface-approve = Richteg
interface-fix = Verbesseren
interface-reject = Refuséieren
interface-unsure = Onsécher
interface-fixed_good = Verbesserte richtege Saz
interface-fixed_bad = Verbesserte falsche Saz
interface-save_fix = Verbesserung späicheren
interface-cancel = Ofbriechen
interface-comment = Kommentar
interface-save_comment = Kommentar späicheren
interface-undo = Réckgängeg
interface-skip = Méi spéit
interface-back = Zréck
interface-decided = Är Äntwert:
interface-saved = Gespäichert.
interface-undone = Réckgängeg gemaach: { $answer }. „{ $sentence }“
interface-nothing_to_undo = Et gëtt näischt, wat ee réckgängeg maache kéint.
interface-not_saved = Net gespäichert: de Server äntwert net. Är Äntwert ass nach hei; probéiert et nach eng Kéier.
interface-other_reviewer = Net gespäichert: dës Säit gouf fir een aneren opgemaach, an an dësem Browser äntwert elo { $reviewer }. Maacht Är eege Adress nach eng Kéier op; an engem Browser kann ëmmer nëmmen eng Persoun äntweren.
interface-fault = Net gespäichert. Är Äntwert ass nach hei; probéiert et nach eng Kéier, oder sot dem Responsabele Bescheed:
interface-needs_correction = Verbessert ee vun de Sätz; déi zwee mussen ënnerschiddlech sinn.
interface-finished = Alles fäerdeg. Villmools merci!
interface-finished_more = Dir kënnt dës Säit zoumaachen oder op eng Äntwert zréckgoen.
interface-no_script = Ouni JavaScript funktionéieren d'Tasten net, d'Knäppercher awer schonn.
interface-keys_on = Taste benotzen
interface-keys_fixed = Shift an eng Zuel huelen eng aner Verbesserung, Ctrl+Enter späichert, Esc mécht zou.
interface-expired = Dës Adress ass net gëlteg. Maacht déi op, déi am Terminal steet.
interface-link_expired = Dëse Link ass net oder net méi gëlteg. Frot de Responsabelen no engem neien.
interface-too_many = Ze vill Ufroen. Waart e bëssen a probéiert et nach eng Kéier.
interface-enter = Eragoen
interface-enter_code = De Code aus Ärem Link: dat, wat hannert dem # steet
interface-enter_switch = Dëse Browser äntwert als { $now }. Den opgemaachte Link ass fir { $new }. Wann en Iech net ënner deem Numm geschéckt gouf, brécht of.
interface-enter_as = Weider als { $new }
interface-questionnaire = Ier Dir ufänkt
interface-consent = Ech hunn dat gelies a sinn d'accord.
interface-questionnaire_send = Ufänken
interface-questionnaire_incomplete = Net gespäichert: stëmmt dem Text zou a beäntwert d'Froe mat *.

## What reviewers read before they begin.
instructions-pairs =
    An all Zeil stinn zwee Sätz: deen éischte soll richteg sinn, deen zweete soll no der Reegel, déi uginn ass, falsch sinn.
    Schreift een eenzegt Wuert an d'Kolonn „Entscheedung“:

    richteg – d'Puer passt: deen éischte Saz ass richteg, an deen zweeten ass genee wéinst dëser Reegel falsch.
    verbesseren – d'Puer kann ee verbesseren: schreift de verbesserte Saz an d'Kolonn „Verbessert richteg“ oder
    „Verbessert falsch“; eng eidel Zell bedeit, datt de Saz sou bleift, wéi en ass. Fir eng vun den
    „Aner Verbesserungen“ ze huelen, schreift hir Nummer an „Entscheedung“.
    refuséieren – d'Puer ass net ze gebrauchen.
    onsécher – Dir kënnt Iech net entscheeden.

    Loosst d'Zell eidel, soulaang Dir Iech nach net entscheet hutt. Schreift Är Gedanken an d'Kolonn „Kommentar“; Dir kënnt
    eege Kolonnen derbäisetzen. Ännert keng aner Zellen a läscht keng Zeilen. Späichert de Fichier als xlsx, ods oder
    „CSV UTF-8“.
instructions-choice =
    An all Zeil stinn zwee Sätz, A a B. Liest déi zwee a schreift an d'Kolonn „A oder B“ de Buschtaf vun deem Saz, dee fir Iech
    besser kléngt. Et gëtt keng richteg Äntwert, déi een iergendwou nokucke kéint: verloosst Iech op Äert Sproochgefill an
    iwwerleet net laang. Wann Dir Iech net entscheede kënnt, wielt trotzdeem ee vun deenen zwee.

    Loosst d'Zell eidel, soulaang Dir nach net geäntwert hutt. Schreift Är Gedanken an d'Kolonn „Kommentar“; Dir kënnt
    eege Kolonnen derbäisetzen. Ännert keng aner Zellen a läscht keng Zeilen. Späichert de Fichier als xlsx, ods oder
    „CSV UTF-8“.
instructions-likert =
    An all Zeil steet ee Saz. Schreift an d'Kolonn „Bewäertung 1-7“, wéi akzeptabel e fir Iech kléngt: vun 1 (guer net: sou géif
    kee schwätzen) bis 7 (ganz: ganz natierlech). Benotzt déi ganz Skala, verloosst Iech op Äert Sproochgefill a gitt net op
    Sätz vu virdrun zréck.

    Loosst d'Zell eidel, soulaang Dir nach net geäntwert hutt. Schreift Är Gedanken an d'Kolonn „Kommentar“; Dir kënnt
    eege Kolonnen derbäisetzen. Ännert keng aner Zellen a läscht keng Zeilen. Späichert de Fichier als xlsx, ods oder
    „CSV UTF-8“.
