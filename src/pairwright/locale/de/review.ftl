## What reviewers write for each decision, the preferred word first.
decisions-approve = richtig, ja, gut, stimmt, approve, ok, yes
decisions-fix = korrigieren, verbessern, fix, f
decisions-reject = ablehnen, nein, unbrauchbar, reject, no, r
decisions-unsure = unsicher, weiß nicht, unklar, unsure, u, ?

## Titles of the columns of sheets.
columns-pair_id = Paar-ID
columns-reviewer = Gutachter
columns-rule = Regel
columns-good = Richtiger Satz
columns-bad = Falscher Satz
columns-translation = Übersetzung
columns-differs = Unterschied
columns-basis = Worauf es beruht
columns-alternatives = Andere Korrekturen
columns-examples = Beispiele
columns-source = Quelle
columns-findings = Was die Prüfung sagt
columns-votes = Was die Gutachter sagten
columns-reason = Warum noch einmal gefragt wird
columns-decision = Entscheidung
columns-fixed_good = Korrigiert richtig
columns-fixed_bad = Korrigiert falsch
columns-comment = Kommentar
columns-item_id = Zeilen-ID
columns-sentence_a = Satz A
columns-sentence_b = Satz B
columns-choice = A oder B
columns-sentence = Satz
columns-rating = Bewertung 1–7
columns-exported = Ausgegeben (nicht ändern)

## The review page and the facts beside a pair.
interface-translation = Übersetzung
interface-basis = Worauf es beruht
interface-banned = die Quelle schließt ihn aus
interface-obligatory = erschlossen: die Quelle nennt die Regel ohne Ausnahmen
interface-declared = die Regel steht in
interface-marked = die Quelle kennzeichnet den falschen Satz
interface-written_by_model = den falschen Satz schrieb ein Sprachmodell
interface-attested = der richtige Satz steht in der Quelle
interface-made_from = der richtige Satz ist nach einem der Quelle gebildet
interface-derived_from = von einem Programm gebildet nach dem Paar
interface-new_words = Wörter, die die Quelle nicht hat
interface-page_short = S.
interface-title = Begutachtung
interface-skip_link = Zur Frage springen
interface-progress = { $done } von { $total } erledigt
interface-pair_question = Ist der erste Satz richtig und der zweite genau wegen dieser Regel falsch?
interface-choice_question = Welcher der beiden Sätze ist besser?
interface-likert_question = Wie annehmbar ist dieser Satz?
interface-likert_low = gar nicht
interface-likert_high = völlig
interface-good = Richtig
interface-bad = Falsch
interface-differs = Unterschied
interface-alternatives = Andere Korrekturen
interface-rule = Regel
interface-rule_place = Regel { $number } von { $total }
interface-new_rule = Neue Regel
interface-examples = Beispiele
interface-source = Quelle
interface-page_picture = Die Stelle auf der Seite
interface-no_picture = Die Seite kann nicht angezeigt werden.
interface-findings = Was die Prüfung sagt
interface-votes = Was die Gutachter sagten
interface-reason = Warum noch einmal gefragt wird
interface-sentence_a = Satz A
interface-sentence_b = Satz B
interface-approve = Richtig
interface-fix = Korrigieren
interface-reject = Ablehnen
interface-unsure = Unsicher
interface-fixed_good = Korrigierter richtiger Satz
interface-fixed_bad = Korrigierter falscher Satz
interface-save_fix = Korrektur speichern
interface-cancel = Abbrechen
interface-comment = Kommentar
interface-save_comment = Kommentar speichern
interface-undo = Rückgängig
interface-skip = Später
interface-back = Zurück
interface-decided = Ihre Antwort:
interface-saved = Gespeichert.
interface-undone = Rückgängig gemacht: { $answer }. „{ $sentence }“
interface-nothing_to_undo = Es gibt nichts rückgängig zu machen.
interface-not_saved = Nicht gespeichert: Der Server antwortet nicht. Ihre Antwort steht noch hier; versuchen Sie es noch einmal.
interface-other_reviewer = Nicht gespeichert: Diese Seite wurde für jemand anderen geöffnet, und in diesem Browser antwortet jetzt { $reviewer }. Öffnen Sie Ihre eigene Adresse noch einmal; in einem Browser kann immer nur eine Person antworten.
interface-fault = Nicht gespeichert. Ihre Antwort steht noch hier; versuchen Sie es noch einmal, oder melden Sie der Leitung:
interface-needs_correction = Korrigieren Sie einen der Sätze; die beiden müssen sich unterscheiden.
interface-finished = Alles erledigt. Vielen Dank!
interface-finished_more = Sie können diese Seite schließen oder zu einer Antwort zurückkehren.
interface-no_script = Ohne JavaScript gehen die Tasten nicht, die Schaltflächen schon.
interface-keys_on = Tasten benutzen
interface-keys_fixed = Umschalt und eine Zahl übernehmen eine andere Korrektur, Strg+Eingabe speichert, Esc schließt.
interface-expired = Diese Adresse ist nicht gültig. Öffnen Sie die, die im Terminal steht.
interface-link_expired = Dieser Link ist nicht oder nicht mehr gültig. Bitten Sie die Leitung um einen neuen.
interface-too_many = Zu viele Anfragen. Warten Sie ein wenig und versuchen Sie es noch einmal.
interface-enter = Eintreten
interface-enter_code = Der Code aus Ihrem Link: was hinter dem # steht
interface-enter_switch = Dieser Browser antwortet als { $now }. Der geöffnete Link ist für { $new }. Wenn ihn niemand Ihnen unter diesem Namen geschickt hat, brechen Sie ab.
interface-enter_as = Weiter als { $new }
interface-questionnaire = Bevor Sie beginnen
interface-consent = Ich habe dies gelesen und bin einverstanden.
interface-questionnaire_send = Beginnen
interface-questionnaire_incomplete = Nicht gespeichert: Stimmen Sie dem Text zu und beantworten Sie die mit * bezeichneten Fragen.

## What reviewers read before they begin.
instructions-pairs =
    In jeder Zeile stehen zwei Sätze: Der erste soll richtig sein, der zweite nach der angegebenen Regel falsch.
    Schreiben Sie ein einziges Wort in die Spalte „Entscheidung“:

    richtig – das Paar stimmt: Der erste Satz ist richtig, und der zweite ist genau wegen dieser Regel falsch.
    korrigieren – das Paar lässt sich verbessern: Schreiben Sie den verbesserten Satz in „Korrigiert richtig“ oder „Korrigiert
    falsch“; eine leere Zelle bedeutet, dass der Satz so bleibt, wie er ist. Um eine der „Anderen
    Korrekturen“ zu übernehmen, schreiben Sie ihre Nummer in „Entscheidung“.
    ablehnen – das Paar ist unbrauchbar.
    unsicher – Sie können sich nicht entscheiden.

    Lassen Sie die Zelle leer, solange Sie sich noch nicht entschieden haben. Schreiben Sie Ihre Gedanken in die Spalte
    „Kommentar“; Sie dürfen eigene Spalten anfügen. Ändern Sie keine anderen Zellen und löschen Sie keine Zeilen. Speichern Sie
    die Datei als xlsx, ods oder „CSV UTF-8“.
instructions-choice =
    In jeder Zeile stehen zwei Sätze, A und B. Lesen Sie beide und schreiben Sie in die Spalte „A oder B“ den Buchstaben des
    Satzes, der für Sie besser klingt. Es gibt keine richtige Antwort, die man nachschlagen könnte: Folgen Sie Ihrem
    Sprachgefühl, und denken Sie nicht lange nach. Wenn Sie sich nicht entscheiden können, wählen Sie trotzdem einen.

    Lassen Sie die Zelle leer, solange Sie noch nicht geantwortet haben. Schreiben Sie Ihre Gedanken in die Spalte
    „Kommentar“; Sie dürfen eigene Spalten anfügen. Ändern Sie keine anderen Zellen und löschen Sie keine Zeilen. Speichern Sie
    die Datei als xlsx, ods oder „CSV UTF-8“.
instructions-likert =
    In jeder Zeile steht ein Satz. Schreiben Sie in die Spalte „Bewertung 1–7“, wie annehmbar er für Sie klingt: von 1 (gar
    nicht: So würde niemand sprechen) bis 7 (völlig: ganz natürlich). Nutzen Sie die ganze Skala, folgen Sie Ihrem Sprachgefühl
    und kehren Sie nicht zu früheren Sätzen zurück.

    Lassen Sie die Zelle leer, solange Sie noch nicht geantwortet haben. Schreiben Sie Ihre Gedanken in die Spalte
    „Kommentar“; Sie dürfen eigene Spalten anfügen. Ändern Sie keine anderen Zellen und löschen Sie keine Zeilen. Speichern Sie
    die Datei als xlsx, ods oder „CSV UTF-8“.
