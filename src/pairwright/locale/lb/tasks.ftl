sentence_rules = Hei sinn e lëtzebuergesche Saz a Regele vun der Grammaire, all mat engem Buschtaf. Wéi eng vun de Regele weise sech am Saz? Eng Regel weist sech an engem Saz, wa si iwwer eng Form oder eng Stellung dran decidéiert.
rule_sentences = Hei sinn eng Regel vun der lëtzebuergescher Grammaire a Sätz, all mat engem Buschtaf. Wéi eng vun de Sätz si sou gebaut, wéi d'Regel et verlaangt?
rule_sentence = Hei sinn eng Regel vun der lëtzebuergescher Grammaire an e Saz. Ass de Saz sou gebaut, wéi d'Regel et verlaangt?
sentences_rules = Hei si verschidde lëtzebuergesch Sätz a Regele vun der Grammaire, all mat engem Buschtaf. Wéi eng vun de Regele weise sech an dëse Sätz zesummegeholl? Eng Regel weist sech an engem Saz, wa si iwwer eng Form oder eng Stellung dran decidéiert.
sentences_rule = Hei si lëtzebuergesch Sätz an eng Regel vun der Grammaire. Ass op d'mannst ee vun de Sätz sou gebaut, wéi d'Regel et verlaangt?
minimal_pair = Hei sinn zwee lëtzebuergesch Sätz. Ee vun hinnen ass grammatesch richteg, deen aneren net. Wéi een ass richteg?
matrix = Hei sinn lëtzebuergesch Sätz, déi engem Muster nokommen, an Optiounen, all mat engem Buschtaf. Wéi eng Optioun ass den nächste Saz vum Muster?
all_letters = Äntwert nëmme mat de Buschtawe vun allem, wat zoutrëfft, mat Kommae getrennt. Wann näischt zoutrëfft, äntwert 'keng'.
one_letter = Äntwert mat engem eenzege Buschtaf a soss näischt.
yes_or_no = Äntwert mat 'jo' oder 'nee' a soss näischt.
none = keng
join = an
sentence = Saz
translation = Iwwersetzung
rule = Regel
options = Auswiel
answer = Äntwert
acceptability_prefix = Hei si Sätz, all mat der Äntwert op d'Fro, ob e grammatesch richteg ass.
acceptability_example =
    Saz: { $text }
    Grammatesch richteg: { $label }
acceptability_question =
    Saz: { $text }

    Ass dëse Saz grammatesch richteg? Äntwert mat 'jo' oder 'nee' a soss näischt.
yes = jo
no = nee
from_english = Iwwersetzt dat heiten aus dem Engleschen op Lëtzebuergesch. Äntwert nëmme mat der Iwwersetzung.
to_english = Iwwersetzt dat heiten aus dem Lëtzebuergeschen op Englesch. Äntwert nëmme mat der Iwwersetzung.
by_rule = Passt op dës Regel vun der Grammaire op
