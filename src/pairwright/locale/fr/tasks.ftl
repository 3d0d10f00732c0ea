sentence_rules = Voici une phrase en français et des règles de grammaire, chacune précédée d'une lettre. Lesquelles de ces règles la phrase met-elle en œuvre ? Une phrase met une règle en œuvre si la règle y décide d'une forme ou d'un ordre et que la phrase la respecte ; si la règle interdit quelque chose, la phrase contient à sa place la forme correcte.
rule_sentences = Voici une règle de la grammaire française et des phrases, chacune précédée d'une lettre. Lesquelles de ces phrases mettent la règle en œuvre ? Une phrase met une règle en œuvre si la règle y décide d'une forme ou d'un ordre et que la phrase la respecte ; si la règle interdit quelque chose, la phrase contient à sa place la forme correcte.
rule_sentence = Voici une règle de la grammaire française et une phrase. La phrase met-elle la règle en œuvre ? Une phrase met une règle en œuvre si la règle y décide d'une forme ou d'un ordre et que la phrase la respecte ; si la règle interdit quelque chose, la phrase contient à sa place la forme correcte.
sentences_rules = Voici plusieurs phrases en français et des règles de grammaire, chacune précédée d'une lettre. Lesquelles de ces règles ces phrases, prises ensemble, mettent-elles en œuvre ? Une phrase met une règle en œuvre si la règle y décide d'une forme ou d'un ordre et que la phrase la respecte ; si la règle interdit quelque chose, la phrase contient à sa place la forme correcte.
sentences_rule = Voici des phrases en français et une règle de grammaire. L'une au moins de ces phrases met-elle la règle en œuvre ? Une phrase met une règle en œuvre si la règle y décide d'une forme ou d'un ordre et que la phrase la respecte ; si la règle interdit quelque chose, la phrase contient à sa place la forme correcte.
minimal_pair = Voici deux phrases en français. L'une est acceptable, l'autre ne l'est pas. Laquelle est acceptable ?
matrix = Voici des phrases en français qui suivent un modèle, et des options, chacune avec une lettre. Laquelle des options est la phrase suivante du modèle ?
all_letters = Répondez seulement par les lettres de tout ce qui convient, séparées par des virgules. Si rien ne convient, répondez « aucune ».
one_letter = Répondez par une seule lettre, sans rien d'autre.
yes_or_no = Répondez par « oui » ou « non », sans rien d'autre.
none = aucune
join = et
sentence = Phrase
translation = Traduction
rule = Règle
options = Choix
answer = Réponse
acceptability_prefix = Voici des phrases, chacune avec la réponse à la question de savoir si elle est grammaticale.
acceptability_example =
    Phrase : { $text }
    Grammaticale : { $label }
acceptability_question =
    Phrase : { $text }

    Cette phrase est-elle grammaticale ? Répondez par « oui » ou « non », sans rien d'autre.
yes = oui
no = non
from_english = Traduisez ce qui suit de l'anglais en français. Répondez seulement par la traduction.
to_english = Traduisez ce qui suit du français en anglais. Répondez seulement par la traduction.
by_rule = Tenez compte de cette règle de grammaire
