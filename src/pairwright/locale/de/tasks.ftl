sentence_rules = Es folgen ein deutscher Satz und Regeln der Grammatik, jede mit einem Buchstaben. Welche der Regeln zeigen sich in dem Satz? Eine Regel zeigt sich in einem Satz, wenn sie über eine Form oder eine Stellung in ihm entscheidet und er sie einhält; verbietet die Regel etwas, so steht im Satz an dessen Stelle das Richtige.
rule_sentences = Es folgen eine Regel der deutschen Grammatik und Sätze, jeder mit einem Buchstaben. In welchen der Sätze zeigt sich die Regel? Eine Regel zeigt sich in einem Satz, wenn sie über eine Form oder eine Stellung in ihm entscheidet und er sie einhält; verbietet die Regel etwas, so steht im Satz an dessen Stelle das Richtige.
rule_sentence = Es folgen eine Regel der deutschen Grammatik und ein Satz. Zeigt sich die Regel in dem Satz? Eine Regel zeigt sich in einem Satz, wenn sie über eine Form oder eine Stellung in ihm entscheidet und er sie einhält; verbietet die Regel etwas, so steht im Satz an dessen Stelle das Richtige.
sentences_rules = Es folgen mehrere deutsche Sätze und Regeln der Grammatik, jede mit einem Buchstaben. Welche der Regeln zeigen sich in diesen Sätzen zusammengenommen? Eine Regel zeigt sich in einem Satz, wenn sie über eine Form oder eine Stellung in ihm entscheidet und er sie einhält; verbietet die Regel etwas, so steht im Satz an dessen Stelle das Richtige.
sentences_rule = Es folgen deutsche Sätze und eine Regel der Grammatik. Zeigt sich die Regel in mindestens einem der Sätze? Eine Regel zeigt sich in einem Satz, wenn sie über eine Form oder eine Stellung in ihm entscheidet und er sie einhält; verbietet die Regel etwas, so steht im Satz an dessen Stelle das Richtige.
minimal_pair = Es folgen zwei deutsche Sätze. Einer davon ist grammatisch, der andere nicht. Welcher ist grammatisch?
matrix = Es folgen deutsche Sätze, die einem Muster folgen, und Möglichkeiten, jede mit einem Buchstaben. Welche davon ist der nächste Satz des Musters?
all_letters = Antworte nur mit den Buchstaben von allem, was zutrifft, durch Kommas getrennt. Trifft nichts zu, antworte „keine“.
one_letter = Antworte mit einem einzigen Buchstaben und sonst nichts.
yes_or_no = Antworte mit „ja“ oder „nein“ und sonst nichts.
none = keine
join = und
sentence = Satz
translation = Übersetzung
rule = Regel
options = Auswahl
answer = Antwort
acceptability_prefix = Es folgen Sätze, jeder mit der Antwort, ob er grammatisch ist.
acceptability_example =
    Satz: { $text }
    Grammatisch: { $label }
acceptability_question =
    Satz: { $text }

    Ist dieser Satz grammatisch? Antworte mit „ja“ oder „nein“ und sonst nichts.
yes = ja
no = nein
from_english = Übersetze das Folgende aus dem Englischen ins Deutsche. Antworte nur mit der Übersetzung.
to_english = Übersetze das Folgende aus dem Deutschen ins Englische. Antworte nur mit der Übersetzung.
by_rule = Beachte diese Regel der Grammatik
