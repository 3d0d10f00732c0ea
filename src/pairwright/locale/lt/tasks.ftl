sentence_rules = Toliau pateiktas lietuviškas sakinys ir gramatikos taisyklės, pažymėtos raidėmis. Kurios taisyklės pasireiškia sakinyje? Taisyklė sakinyje pasireiškia, jei nuo jos priklauso kurio nors žodžio forma arba žodžių tvarka ir sakinys jos laikosi; jei taisyklė ką nors draudžia, sakinyje vietoj to yra taisyklinga forma.
rule_sentences = Toliau pateikta lietuvių kalbos gramatikos taisyklė ir sakiniai, pažymėti raidėmis. Kuriuose sakiniuose taisyklė pasireiškia? Taisyklė sakinyje pasireiškia, jei nuo jos priklauso kurio nors žodžio forma arba žodžių tvarka ir sakinys jos laikosi; jei taisyklė ką nors draudžia, sakinyje vietoj to yra taisyklinga forma.
rule_sentence = Toliau pateikta lietuvių kalbos gramatikos taisyklė ir sakinys. Ar taisyklė sakinyje pasireiškia? Taisyklė sakinyje pasireiškia, jei nuo jos priklauso kurio nors žodžio forma arba žodžių tvarka ir sakinys jos laikosi; jei taisyklė ką nors draudžia, sakinyje vietoj to yra taisyklinga forma.
sentences_rules = Toliau pateikti keli lietuviški sakiniai ir gramatikos taisyklės, pažymėtos raidėmis. Kurios taisyklės pasireiškia šiuose sakiniuose, imant juos kartu? Taisyklė sakinyje pasireiškia, jei nuo jos priklauso kurio nors žodžio forma arba žodžių tvarka ir sakinys jos laikosi; jei taisyklė ką nors draudžia, sakinyje vietoj to yra taisyklinga forma.
sentences_rule = Toliau pateikti lietuviški sakiniai ir gramatikos taisyklė. Ar taisyklė pasireiškia bent viename sakinyje? Taisyklė sakinyje pasireiškia, jei nuo jos priklauso kurio nors žodžio forma arba žodžių tvarka ir sakinys jos laikosi; jei taisyklė ką nors draudžia, sakinyje vietoj to yra taisyklinga forma.
minimal_pair = Toliau pateikti du lietuviški sakiniai. Vienas jų taisyklingas, kitas – ne. Kuris sakinys taisyklingas?
matrix = Toliau pateikti lietuviški sakiniai, kurie eina vienas po kito pagal tam tikrą dėsningumą, ir variantai, pažymėti raidėmis. Kuris variantas yra kitas tos sekos sakinys?
all_letters = Atsakykite tik tinkamų variantų raidėmis, atskirtomis kableliais. Jei netinka nė vienas, atsakykite „nė vienas“.
one_letter = Atsakykite viena raide ir nieko daugiau nerašykite.
yes_or_no = Atsakykite „taip“ arba „ne“ ir nieko daugiau nerašykite.
none = nė vienas
join = ir
sentence = Sakinys
translation = Vertimas
rule = Taisyklė
options = Variantai
answer = Atsakymas
# The wording of EuroEval: results compare only with the same words.
acceptability_prefix = Toliau pateikti sakiniai ir ar jie yra gramatiškai teisingi.
acceptability_example =
    Sakinys: { $text }
    Gramatiškai teisingas: { $label }
acceptability_question =
    Sakinys: { $text }

    Nustatykite, ar sakinys yra gramatiškai teisingas, ar ne. Atsakykite su 'taip' arba 'ne', ir nieko kito.
yes = taip
no = ne
from_english = Išverskite šį tekstą iš anglų kalbos į lietuvių kalbą. Atsakykite tik vertimu.
to_english = Išverskite šį tekstą iš lietuvių kalbos į anglų kalbą. Atsakykite tik vertimu.
by_rule = Atsižvelkite į šią gramatikos taisyklę
