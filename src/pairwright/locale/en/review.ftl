## What reviewers write for each decision, the preferred word first.
decisions-approve = approve, ok, yes, a
decisions-fix = fix, f
decisions-reject = reject, no, r
decisions-unsure = unsure, u, ?

## Titles of the columns of sheets.
columns-pair_id = Pair ID
columns-reviewer = Reviewer
columns-rule = Rule
columns-good = Acceptable sentence
columns-bad = Wrong sentence
columns-translation = Translation
columns-differs = What differs
columns-basis = Evidence
columns-alternatives = Other corrections
columns-examples = Examples
columns-source = Source
columns-findings = Automatic checks
columns-votes = Earlier answers
columns-reason = Why it is asked again
columns-decision = Decision
columns-fixed_good = Corrected acceptable
columns-fixed_bad = Corrected wrong
columns-comment = Comment
columns-item_id = Item
columns-sentence_a = Sentence A
columns-sentence_b = Sentence B
columns-choice = A or B
columns-sentence = Sentence
columns-rating = Rating 1-7
columns-exported = Exported (leave as it is)

## The review page and the facts beside a pair.
interface-page_short = p.
interface-title = Review
interface-skip_link = Go to the question
interface-progress = { $done } of { $total } done
interface-pair_question = Is the first sentence acceptable, and does the second one break this rule?
interface-choice_question = Which of the two sentences is better?
interface-likert_question = How acceptable is this sentence?
interface-likert_low = not at all
interface-likert_high = fully
interface-good = Acceptable
interface-bad = Wrong
interface-differs = What differs
interface-translation = Translation
interface-basis = Evidence
interface-banned = the source rules it out
interface-obligatory = inferred, as the source states the rule without exceptions
interface-declared = the rule is declared in
interface-marked = the source marks the wrong sentence
interface-written_by_model = a language model wrote the wrong sentence
interface-attested = the acceptable sentence is in the source
interface-made_from = the acceptable sentence is made from a sentence of the source
interface-derived_from = made by a program from the pair
interface-new_words = words that the source does not have
interface-alternatives = Other corrections
interface-rule = Rule
interface-rule_place = Rule { $number } of { $total }
interface-new_rule = New rule
interface-examples = Examples
interface-source = Source
interface-page_picture = On the page
interface-no_picture = The page can't be shown.
interface-findings = Automatic checks
interface-votes = Earlier answers
interface-reason = Why it is asked again
interface-sentence_a = Sentence A
interface-sentence_b = Sentence B
interface-approve = Approve
interface-fix = Fix
interface-reject = Reject
interface-unsure = Unsure
interface-fixed_good = Corrected acceptable sentence
interface-fixed_bad = Corrected wrong sentence
interface-save_fix = Save the correction
interface-cancel = Cancel
interface-comment = Comment
interface-save_comment = Save the comment
interface-undo = Undo
interface-skip = Later
interface-back = Back
interface-decided = Your answer:
interface-saved = Saved.
interface-undone = Undone: { $answer }. “{ $sentence }”
interface-nothing_to_undo = Nothing to undo.
interface-not_saved = Not saved: the server does not answer. Your answer is still here; try again.
interface-other_reviewer = Not saved: this page was opened for another reviewer, and this browser now answers for { $reviewer }. Open your own address again; one browser serves one reviewer at a time.
interface-fault = Not saved. Your answer is still here; try again, or tell whoever runs the review:
interface-needs_correction = Correct one of the sentences; the two must differ.
interface-finished = All done. Thank you!
interface-finished_more = You can close this page, or go back to an answer.
interface-no_script = Without JavaScript the keys don't work; the buttons do.
interface-keys_on = Use keys
interface-keys_fixed = Shift and a number choose another correction, Ctrl+Enter saves, Esc closes.
interface-expired = This address is not valid. Open the one that the terminal shows.
interface-link_expired = This link is not valid or has expired. Ask whoever runs the review for a new one.
interface-too_many = Too many requests. Wait a little and try again.
interface-enter = Enter
interface-enter_code = The code from your link (the part after #)
interface-enter_switch = This browser answers as { $now }. The link that you opened is for { $new }. If nobody sent it to you under that name, cancel.
interface-enter_as = Go on as { $new }
interface-questionnaire = Before you begin
interface-consent = I have read this and agree.
interface-questionnaire_send = Begin
interface-questionnaire_incomplete = Not saved: agree to the text and answer the questions marked with *.

## What reviewers read before they begin.
instructions-pairs =
    Each row has two sentences: the first should be acceptable, the second wrong by the rule that is given.
    Write one word into the column "Decision":

    approve - the pair is right: the first sentence is acceptable and the second one breaks this rule.
    fix - the pair can be corrected: write the corrected sentence into "Corrected acceptable" or "Corrected wrong"; an empty cell
    means that the sentence stays as it is. To take one of the "Other corrections", write its number into "Decision".
    reject - the pair can't be used.
    unsure - you can't tell.

    Leave the cell empty while you have not decided. Write your thoughts into "Comment"; you may add columns of your own.
    Change no other cell and delete no row. Save the file as xlsx, ods or "CSV UTF-8".
instructions-choice =
    Each row has two sentences, A and B. Read both and write into the column "A or B" the letter of the one that sounds
    better to you. There is no right answer to look up: go by your feeling for the language, and don't take long. If you can't
    decide, choose all the same.

    Leave the cell empty while you have not answered. Write your thoughts into "Comment"; you may add columns of your own.
    Change no other cell and delete no row. Save the file as xlsx, ods or "CSV UTF-8".
instructions-likert =
    Each row has one sentence. Write into the column "Rating 1-7" how acceptable it sounds to you, from 1 (not at all: nobody
    would say this) to 7 (fully: quite natural). Use the whole scale, go by your feeling for the language and don't look back
    at earlier sentences.

    Leave the cell empty while you have not answered. Write your thoughts into "Comment"; you may add columns of your own.
    Change no other cell and delete no row. Save the file as xlsx, ods or "CSV UTF-8".
