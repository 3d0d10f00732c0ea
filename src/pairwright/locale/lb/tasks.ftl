sentence_rules = Hei sinn e lëtzebuergesche Saz a Reegele vun der Grammaire, all mat engem Buschtaf. Wéi eng vun de Reegele weise sech am Saz? Eng Reegel weist sech an engem Saz, wa si iwwer eng Form oder eng Stellung dran decidéiert an de Saz sech drun hält; wann d'Reegel eppes verbitt, steet am Saz dofir dat Richtegt.
rule_sentences = Hei sinn eng Reegel vun der lëtzebuergescher Grammaire a Sätz, all mat engem Buschtaf. A wéi enge vun de Sätz weist sech d'Reegel? Eng Reegel weist sech an engem Saz, wa si iwwer eng Form oder eng Stellung dran decidéiert an de Saz sech drun hält; wann d'Reegel eppes verbitt, steet am Saz dofir dat Richtegt.
rule_sentence = Hei sinn eng Reegel vun der lëtzebuergescher Grammaire an e Saz. Weist sech d'Reegel am Saz? Eng Reegel weist sech an engem Saz, wa si iwwer eng Form oder eng Stellung dran decidéiert an de Saz sech drun hält; wann d'Reegel eppes verbitt, steet am Saz dofir dat Richtegt.
sentences_rules = Hei si verschidde lëtzebuergesch Sätz a Reegele vun der Grammaire, all mat engem Buschtaf. Wéi eng vun de Reegele weise sech an dëse Sätz zesummegeholl? Eng Reegel weist sech an engem Saz, wa si iwwer eng Form oder eng Stellung dran decidéiert an de Saz sech drun hält; wann d'Reegel eppes verbitt, steet am Saz dofir dat Richtegt.
sentences_rule = Hei si lëtzebuergesch Sätz an eng Reegel vun der Grammaire. Weist sech d'Reegel an op d'mannst engem vun de Sätz? Eng Reegel weist sech an engem Saz, wa si iwwer eng Form oder eng Stellung dran decidéiert an de Saz sech drun hält; wann d'Reegel eppes verbitt, steet am Saz dofir dat Richtegt.
minimal_pair = Hei sinn zwee lëtzebuergesch Sätz. Ee vun hinnen ass grammatesch richteg, deen aneren net. Wéi een ass richteg?
matrix = Hei sinn lëtzebuergesch Sätz, déi engem Muster nokommen, an Optiounen, all mat engem Buschtaf. Wéi eng Optioun ass den nächste Saz vum Muster?
all_letters = Äntwert nëmme mat de Buschtawe vun allem, wat zoutrëfft, mat Kommae getrennt. Wann näischt zoutrëfft, äntwert 'keng'.
one_letter = Äntwert mat engem eenzege Buschtaf a soss näischt.
yes_or_no = Äntwert mat 'jo' oder 'nee' a soss näischt.
none = keng
join = an
sentence = Saz
translation = Iwwersetzung
rule = Reegel
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
by_rule = Passt op dës Reegel vun der Grammaire op
