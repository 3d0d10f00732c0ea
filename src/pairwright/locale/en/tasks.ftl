sentence_rules = Below are a sentence in { $language } and rules of its grammar, each with a letter. Which of the rules does the sentence instantiate? A sentence instantiates a rule if the rule decides a form or an order in it and the sentence keeps to it; where a rule forbids something, the sentence has the right form in its place.
rule_sentences = Below are a rule of { $language } grammar and sentences, each with a letter. Which of the sentences instantiate the rule? A sentence instantiates a rule if the rule decides a form or an order in it and the sentence keeps to it; where a rule forbids something, the sentence has the right form in its place.
rule_sentence = Below are a rule of { $language } grammar and a sentence. Does the sentence instantiate the rule? A sentence instantiates a rule if the rule decides a form or an order in it and the sentence keeps to it; where a rule forbids something, the sentence has the right form in its place.
sentences_rules = Below are several sentences in { $language } and rules of its grammar, each with a letter. Which of the rules are instantiated in these sentences, taken together? A sentence instantiates a rule if the rule decides a form or an order in it and the sentence keeps to it; where a rule forbids something, the sentence has the right form in its place.
sentences_rule = Below are sentences in { $language } and a rule of its grammar. Does at least one of the sentences instantiate the rule? A sentence instantiates a rule if the rule decides a form or an order in it and the sentence keeps to it; where a rule forbids something, the sentence has the right form in its place.
minimal_pair = Below are two sentences in { $language }. One of them is acceptable, the other is not. Which one is acceptable?
matrix = Below are sentences in { $language } that follow a pattern, and options, each with a letter. Which of the options is the next sentence of the pattern?
all_letters = Answer with the letters of all that apply, separated by commas, and nothing else. If none applies, answer 'none'.
one_letter = Answer with one letter and nothing else.
yes_or_no = Answer with 'yes' or 'no', and nothing else.
none = none
join = and
sentence = Sentence
translation = Translation
rule = Rule
options = Options
answer = Answer
acceptability_prefix = Here are sentences in { $language }, each with the answer to whether it is grammatical.
acceptability_example =
    Sentence: { $text }
    Grammatical: { $label }
acceptability_question =
    Sentence: { $text }

    Is this sentence grammatical? Answer with 'yes' or 'no', and nothing else.
yes = yes
no = no
from_english = Translate the following from English into { $language }. Answer with the translation and nothing else.
to_english = Translate the following from { $language } into English. Answer with the translation and nothing else.
by_rule = Mind this rule of grammar
