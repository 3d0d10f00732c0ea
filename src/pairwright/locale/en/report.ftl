## Everywhere
percent = %
range = { $low } to { $high }
more = { $names } and { $n } more
and = { $first } and { $second }
page_title = { $title }: language models on minimal pairs

## page
page-kind = Minimal-pair evaluation
page-kind_unreviewed = Minimal-pair evaluation of an unreviewed set
page-unreviewed_hash = Unreviewed set, SHA-256 of its pairs:
page-release_hash = SHA-256 of MANIFEST.sha256:
page-faults = Caveats about the input
page-more = { $n } more
page-contents = Sections
page-release = Release
page-language = Language
page-pairs = Pairs
page-left_out = Rows left out, as they are no pair
page-rules = Rules
page-n_exceptions = { $n } of them { $n ->
        [one] is an exception
        *[other] are exceptions
    }
page-approvals = Approvals per pair
page-at_least = { $n } or more
page-sampled = Released unseen
page-n_sampled = { $n } { $n ->
        [one] pair
        *[other] pairs
    }, as samples of their lots were good enough
page-models = Models
page-n_asked = { $n } { $n ->
        [one] was
        *[other] were
    } asked questions
page-commit = commit { $id }
page-weights = weights SHA-256 { $id }
page-no_identity = not recorded
page-software = Software: { $packages }.
page-good = good
page-bad = bad
page-exception = exception to the rule
page-correlation = correlation { NUMBER($r) }
page-right_of = { $n } of { $of } { $of ->
        [one] model
        *[other] models
    } right by sum_logprob
page-line = { $model }: the good sentence leads by sum_logprob { $sum } nats, mean_nll { $mean } nats per token ({ $good } and { $bad } tokens)
page-file = { $name } as { $ending }

## sections
sections-overall = Overall
sections-rules = By rule and phenomenon
sections-conditions = Word order and subordination
sections-comparisons = Model against model, sizes and tuning
sections-tasks = Prompted tasks
sections-matrices = Matrices
sections-measures = sum_logprob against mean_nll
sections-confounds = What else explains the scores
sections-people = People and models
sections-other-tools = Other tools and tasks
sections-morphology = Tokenizers and morphemes
sections-pairs = Single pairs
sections-measured = What was measured
sections-methods = Methods
sections-limits = Limits

## What the numbers are named after; names and ids that are not here stay as they are.
terms-overall-all-pairs = all pairs
terms-overall-without-exceptions = without exceptions
terms-overall-exceptions-alone = exceptions alone

## terms, phenomenon
terms-phenomenon-all-phenomena = all phenomena
terms-phenomenon-unknown = unknown

## terms, measure
terms-measure-sum_logprob = sum_logprob
terms-measure-mean_nll = mean_nll
terms-measure-slor = SLOR

## terms, basis
terms-basis-rules = rules
terms-basis-families = families of sentences
terms-basis-pairs = pairs

## terms, category
terms-category-all = all

## terms, condition
terms-condition-baseline = baseline

## terms, property
terms-property-length-in-characters = length in characters
terms-property-number-of-tokens = number of tokens
terms-property-word-frequency = word frequency
terms-property-unigram-probability = unigram probability

## terms, relation
terms-relation-base-instruct = base and instruct of one size
terms-relation-size = sizes of one family
terms-relation-family = two families
terms-relation-other = differ in more

## terms, policy
terms-policy-chat = words
terms-policy-logprob = log-probabilities
terms-policy-trained = a network that was trained

## terms, wording
terms-wording-own = the items' language
terms-wording-english = English

## How models were scored, to follow "Scored".
settings-kind-causal = left to right
settings-kind-masked-pll = with each token hidden in turn
settings-kind-masked-pll-within-word = with each token hidden, and the rest of its word
settings-kind-seq2seq = by a decoder, left to right
settings-first-token-scored = with the first token
settings-first-token-not-scored = without the first token
settings-bos-auto = with the model's own start token
settings-bos-always = with a start token
settings-bos-never = without a start token
settings-bos-or-eos = with a start or end token in front
settings-first_token-given-bos = with the first token where a start token comes before it
settings-first_token-unscored = always without the first token
settings-prefix-_27_27 = without a text in front
settings-prefix-_27-_27 = with a space in front
settings-prefix_scored-False = the prefix not scored
settings-prefix_scored-True = the prefix scored
settings-final_period-as-is = with the period as it is
settings-final_period-removed = without the final period
settings-final_period-added = with a final period
settings-case-as-is = in their own case
settings-case-lower = in lower case
settings-eos-unscored = without an end token
settings-eos-scored = with an end token

## faults
faults-other-release = { $subject } { $reason }; left out
faults-other-pairs = { $subject } { $reason }; left out
faults-missing = { $subject } has no score for { $n } of { $of } { $of ->
        [one] pair
        *[other] pairs
    }, which its numbers leave out: { $ids }
faults-not-finite = { $subject } has a score that is not a finite number for { $n } of { $of } { $of ->
        [one] pair
        *[other] pairs
    }, which its numbers leave out: { $ids }
faults-two-policies = { $subject } was scored under { $n } policies: { $labels }; they are shown separately and not compared with each other
faults-same-weights = { $labels } have the same weights; where models are counted, they count once
faults-one-pair = { $n } of { $of } { $subject } { $n ->
        [one] has
        *[other] have
    } a single pair, too few to judge by; the mean over { $subject } is given with and without them: { $labels }
faults-other-items = { $subject } answered { $n } { $n ->
        [one] item
        *[other] items
    } that the release lacks, which are left out; where they are in a folder of their own, name it with --items: { $labels }
faults-not-answered = { $subject } gave no answer to { $n } of { $of } { $of ->
        [one] question
        *[other] questions
    }, the first because of '{ $reason }': { $labels }
faults-asked-otherwise = { $subject } was asked other items, or with another number of examples, than most models; its scores are in columns of their own: { $labels }
faults-not-scored = { $reason }

## What stands in the column Kind of their table.
fault_kinds-other-release = other release
fault_kinds-other-pairs = other pairs
fault_kinds-missing = missing
fault_kinds-not-finite = not finite
fault_kinds-two-policies = two policies
fault_kinds-same-weights = same weights
fault_kinds-one-pair = one pair
fault_kinds-other-items = other items
fault_kinds-not-answered = not answered
fault_kinds-asked-otherwise = asked otherwise
fault_kinds-not-scored = not scored

## finding
finding-ways = The models were scored in { $n } ways. Numbers from different ways do not compare, so each way has a result of its own.
finding-way = Scored { $way }. { $result }
finding-unusable = { $model } has no usable scores for any pair.
finding-single = { $model } finds the good sentence more probable in { PERCENT($share) }% of { $n } { $n ->
        [one] pair
        *[other] pairs
    } (95% interval { PERCENT($low) }–{ PERCENT($high) }%; chance is 50%).
finding-best = { $model } is the best of { $n_models } models: it finds the good sentence more probable in { PERCENT($share) }% of { $n } { $n ->
        [one] pair
        *[other] pairs
    } (95% interval { PERCENT($low) }–{ PERCENT($high) }%; chance is 50%).
finding-alike = Its lead over { $n } { $n ->
        [one] other
        *[other] others
    } may be chance.
finding-sure = Its lead over each of the others is beyond chance.
finding-task = { $column }: { $model } ({ PERCENT($value) }%)
finding-task_mcc = { $column }: { $model } ({ NUMBER($value) })
finding-tasks = Best by task: { $names }.
finding-last = { $model } comes last, with { PERCENT($share) }%.
finding-phenomenon = By phenomenon, { $model } does best on { $easy } ({ PERCENT($high) }%) and worst on { $hard } ({ PERCENT($low) }%).
finding-rule = By rule, { $model } does best on { $easy } ({ PERCENT($high) }%) and worst on { $hard } ({ PERCENT($low) }%).
finding-chance_single = This is not significantly better than chance.
finding-chance_all = None of them is significantly better than chance.
finding-chance_some = { $n } of the { $of } { $n ->
        [one] is
        *[other] are
    } not significantly better than chance.
finding-below_single = It is significantly worse than chance: the model finds the bad sentences more probable, perhaps for their length.
finding-below_some = { $n } of the { $of } { $n ->
        [one] is
        *[other] are
    } significantly worse than chance.

## text
text-power_none = With { $n } { $n ->
        [one] pair
        *[other] pairs
    }, no difference between two models shows four times in five.
text-power = With { $n } { $n ->
        [one] pair
        *[other] pairs
    }, a true difference of about { WHOLE($points) } percentage points between two models shows four times in five ({ $basis }).
text-power_assumed = 80% power, if only one of them is right on one pair in five
text-power_measured = 80% power, if they disagree as often as these models, on { WHOLE($discordance) }% of pairs; { WHOLE($points) } points if pairs of a rule were independent
text-one_rule = All pairs are of one rule: { $rule }.
text-conditions = The pairs of { $n } conditions count together in this: { $names }. Further down each is shown on its own.
text-comparisons = Of { $n } { $n ->
        [one] pair
        *[other] pairs
    } of models, { $holm } { $holm ->
        [one] differs
        *[other] differ
    } at the 5% level by sum_logprob after Holm's adjustment and { $bh } after Benjamini and Hochberg's. That no difference was found does not show that there is none.
text-hardest_heading = Hardest pairs
text-hardest_none = No pair is wrong by sum_logprob.
text-hardest = { $n } { $n ->
        [one] pair is
        *[other] pairs are
    } not right by sum_logprob.
text-hardest_shown = { $n } { $n ->
        [one] pair is
        *[other] pairs are
    } not right by sum_logprob; these { $shown } are furthest from it.
text-hardest_models = { $n } { $n ->
        [one] pair is
        *[other] pairs are
    } not right by sum_logprob for at least one model.
text-hardest_models_shown = { $n } { $n ->
        [one] pair is
        *[other] pairs are
    } not right by sum_logprob for at least one model; these { $shown } are furthest from it.
text-hardest_returned = { $n } { $n ->
        [one] pair is
        *[other] pairs are
    } missed by every model and should be looked at again.
text-hardest_doubt = A pair that every model misses may be faulty: look at it again.
text-discriminating_heading = Pairs that tell models apart
text-discriminating = Models that are right on these pairs tend to be right on all others, too: a good model gets them right, a weak one does not. The number is the corrected item-total correlation.
text-measures = A longer sentence tends to have a lower sum_logprob (the sum of its tokens' log-probabilities, in nats); mean_nll (minus that sum per token) takes length out. Where the two disagree on a pair, the result depends on the measure.
text-confounds_sum_logprob = By sum_logprob, { WHOLE($r2) }% of the variance of a model's score differences follows from differences in { $names } ({ $model }, the largest share).
text-confounds_mean_nll = By mean_nll, { WHOLE($r2) }% of the variance of a model's score differences follows from differences in { $names } ({ $model }, the largest share).
text-people = { $n } { $n ->
        [one] person
        *[other] people
    } judged.
text-people_unanimous = In { $n } of { $of } { $of ->
        [one] phenomenon
        *[other] phenomena
    } all raters prefer the good sentences.
text-people_unknown = { $n } judged { $n ->
        [one] pair is
        *[other] pairs are
    } not in this release, so not compared with models: { $ids }.
text-people_best = { $model }'s score differences agree best with people's ratings: r = { NUMBER($r) } over { $n } { $n ->
        [one] pair
        *[other] pairs
    }, by sum_logprob.
text-tools_differ = Other tools come to another verdict than ours on { $n } of { $of } { $of ->
        [one] pair
        *[other] pairs
    }.
text-tools_unmatched = Models without scores of ours to compare with: { $names }.
text-returned = all { $n } models prefer the bad sentence or find both equal: is the good sentence good, the bad one bad, and the change the one that the rule names?
text-asked = { $n_models } { $n_models ->
        [one] model was
        *[other] models were
    } asked { $n } { $n ->
        [one] question
        *[other] questions
    } of { $n_tasks } { $n_tasks ->
        [one] task
        *[other] tasks
    }, and { $answered } { $answered ->
        [one] was
        *[other] were
    } answered.
text-task_chance = Chance is the accuracy of drawing at random, for each question, as many options as are right.
text-task_place = { $model } on { $task }
text-task_within = Chance lies within the interval of { $names }.
text-task_answer = { $model } on { $task } (always { $answer })
text-task_always = These give one answer throughout, which says nothing of what they read: { $names }.
text-task_missing = { $n } of { $of } { $of ->
        [one] question has
        *[other] questions have
    } no answer that could be read; they are in no accuracy.

## figures
figures-few = Some points rest on fewer than { $few } pairs, the smallest on { $n } { $n ->
        [one] pair
        *[other] pairs
    }.
figures-conditioned = { $title }; scored { $way }

## figures, ranking
figures-ranking-title = Accuracy on all pairs, by sum_logprob
figures-ranking-description = A dot for each model, best first, with { $over }; the dashed line is chance.

## figures, size
figures-size-title = Size against accuracy, a line for each family
figures-size-description = { $n_models } models by their number of parameters and their accuracy by sum_logprob, joined within a family.

## figures, rules
figures-rules-title = Accuracy by rule, by sum_logprob; n is the number of pairs
figures-rules-description = { $n_rules } rules from the hardest to the easiest, with { $over }; empty circles rest on few pairs.

## On axes and in legends.
axes-instruct = instruct: empty marker
axes-parameters = parameters

## The headings of tables by the columns of their frames. Another heading of one table is among its words below.
columns-low = low
columns-high = high
columns-a = A
columns-accuracy = Accuracy
columns-answered = Answered
columns-policy = Answers by
columns-b = B
columns-baseline = Baseline
columns-both = Right by both
columns-precision = Boundary precision
columns-recall = Boundary recall
columns-category = Category
columns-chance = Chance
columns-template = Chat template
columns-n_choices = Choices
columns-n_clusters = Clusters
columns-coefficient = Coefficient
columns-condition = Condition
columns-construction = Construction
columns-cost = Cost
columns-cut = Cut
columns-under = Cut too rarely
columns-over = Cut too often
columns-dataset = Data set
columns-property = Difference in
columns-draws = Draws
columns-distance = Edits a word
columns-exact = Exact
columns-shots = Examples
columns-f1 = F1
columns-failed = Failed
columns-input_tokens = Input tokens
columns-basis = Interval over
columns-n_differ = Judged otherwise
columns-kind = Kind
columns-label = Label
columns-languages = Language
columns-majority = Majority right
columns-mean_nll = By mean_nll
columns-mean_only = By mean_nll alone
columns-measure = Measure
columns-metric = Metric
columns-model = Model
columns-neither = Neither
columns-n_tied = No difference
columns-n_unusable = Not usable
columns-number_format = Number format
columns-subject = Of
columns-only_a = Only A right
columns-only_b = Only B right
columns-only_baseline = Only baseline right
columns-only_condition = Only condition right
columns-ours = Ours
columns-output_tokens = Output tokens
columns-p = p
columns-p_bh = p, Benjamini-Hochberg
columns-p_holm = p, Holm
columns-p_mcnemar = p, McNemar
columns-n = Pairs
columns-n_pairs = Pairs
columns-n_rules = Rules
columns-n_single = Rules with one pair
columns-pairs_taken = Pairs taken
columns-pattern = Pattern
columns-pearson = Pearson
columns-phenomenon = Phenomenon
columns-n_prefer = Prefer the good one
columns-problems = Problems
columns-prompts = Prompt
columns-gap = Published − other
columns-r2 = R²
columns-n_raters = Raters
columns-refused = Refused
columns-relation = Relation
columns-requested = Requested
columns-right_of_all = Right of all
columns-rule = Rule
columns-scored = Scored
columns-sd = SD
columns-seconds = Seconds
columns-seed = Seed
columns-n_runs = Seeds
columns-share = Share
columns-size = Size
columns-slor = SLOR
columns-source = Source
columns-spearman = Spearman
columns-standard_error = Standard error
columns-state = State
columns-sum_logprob = By sum_logprob
columns-sum_only = By sum_logprob alone
columns-task = Task
columns-test = Test split
columns-theirs = Theirs
columns-thinking_tokens = Thinking tokens
columns-ties = Ties
columns-tool = Tool
columns-unreadable = Unreadable
columns-value = Value
columns-message = What
columns-n_both = With a baseline
columns-wording = In the words of
columns-mean_difference = Difference in z
columns-licence = Licence
columns-citation = Cite as
columns-architecture = Architecture
columns-parameters = Parameters
columns-device = Device
columns-hardware = Hardware
columns-date = Date
columns-without_single = Without those

## cells
cells-server = the server's
cells-yes = yes
cells-no = no

## tables
tables-few = { $n } of { $of } { $of ->
        [one] row
        *[other] rows
    } { $n ->
        [one] rests
        *[other] rest
    } on fewer than { $few } pairs: too few to tell models apart.
tables-bases = 95% intervals over { $bases }
tables-not_ranked = Models that were scored with different settings stand apart: their sums do not compare.

## tables, ranking
tables-ranking-title = Accuracy on all pairs
tables-ranking-note = Percent of pairs in which the good sentence is the more probable one: by sum_logprob, the sum of log-probabilities in nats; by mean_nll, in nats per token. { $over }.

## tables, rule-means
tables-rule-means-title = Mean over rules
tables-rule-means-note = Percent; each rule counts once, with 95% intervals over rules. Rules with a single pair are left out in the last column.

## tables, phenomena-by-model
tables-phenomena-by-model-title = Accuracy by phenomenon and model, by sum_logprob

## tables, table-2
tables-table-2-title = Accuracy by rule and model, by sum_logprob

tables-table-2-note = Percent of pairs; blue is above chance, orange below, paler with fewer pairs.

## tables, groups
tables-groups-by-overall = Accuracy with and without exceptions
tables-groups-by-phenomenon = Accuracy by phenomenon
tables-groups-by-rule = Accuracy by rule
tables-groups-by-construction = Accuracy by construction
tables-groups-by-source = Accuracy by source
tables-groups-note = Percent of pairs, with { $over }; ties by sum_logprob are not right.

## tables, conditions
tables-conditions-title = Conditions of paradigms in full
tables-conditions-note = Accuracies with Wilson intervals. Differences in percentage points with 95% intervals; these and p take paradigms of one rule as dependent where there are { $fewest } rules; McNemar's p takes all as independent.
tables-conditions-difference = Condition − baseline

tables-conditions-by-model-title = Accuracy by condition, by sum_logprob
tables-conditions-by-model-note = Percent of pairs.

## tables, comparisons
tables-comparisons-title = Model against model on the same pairs
tables-comparisons-note = Differences in percentage points with 95% intervals. These and p take pairs of a cluster, a rule or a family of sentences, as dependent; McNemar's exact test takes all pairs as independent and is too sure where rules differ. Holm and Benjamini-Hochberg adjust p over all comparisons of the measure.
tables-comparisons-difference = A − B

## tables, measures
tables-measures-title = Pairs by the measures that find them right

## tables, confounds
tables-confounds-title = What else goes with a model's score differences
tables-confounds-note = Standardised coefficients of differences between the two sentences, good minus bad, with 95% intervals that take pairs of a rule as dependent. A large R² says that the scores follow from more than grammar.

## tables, human-preferences
tables-human-preferences-title = What raters prefer
tables-human-preferences-note = A rater prefers the good sentences of a phenomenon if their mean rating is higher. z: ratings as distances from the rater's mean in the rater's standard deviations; the mean over raters.

## tables, human-choices
tables-human-choices-title = Forced choices of people and models
tables-human-choices-note = Percent of choices, and of pairs for models by sum_logprob, in which the good sentence is taken. The interval takes choices as independent.
tables-human-choices-share = People

## tables, human-alignment
tables-human-alignment-title = Score differences of models against ratings of people
tables-human-alignment-note = Correlations over pairs of the difference of mean z-scores with the difference of the model's scores, with 95% intervals. No number: fewer than 3 pairs, or one side never varies.

## tables, other-tools
tables-other-tools-title = Other tools on the same pairs
tables-other-tools-note = Tools differ in the token before a sentence and in whether its first token counts.

## tables, other-tasks
tables-other-tasks-title = The same models on tasks of EuroEval
tables-other-tasks-value = Score

## tables, morphology
tables-morphology-title = Cuts of tokenizers against morphemes
tables-morphology-note = Damerau-Levenshtein distance between the pieces and the morphemes of a word. Not usable: words that the pieces don't add up to.
tables-morphology-n = Words

## tables, task-table
tables-task-table-title = Models and tasks
tables-task-table-note = Percent; MCC is -1 to 1. ± is the standard deviation over draws of examples and seeds of items, where there are several. Accuracy asks for all right options and no other. Of several sizes, the smallest.

## tables, task-scores
tables-task-scores-title = Tasks by condition
tables-task-scores-note = Shares, 0-1; MCC is -1 to 1. With 95% intervals, had other rules been drawn. SD: over the draws of examples and the seeds of items. Chance: answers drawn at random.
tables-task-scores-n = Answers

## tables, task-outcomes
tables-task-outcomes-title = Questions without an answer
tables-task-outcomes-note = Percent of questions. All other tables are of answered questions alone; right of all: as if each question without an answer had been answered wrong. Cut: the server ended the answer. Failed: no answer came.
tables-task-outcomes-n = Questions

## tables, task-cost
tables-task-cost-title = What the answers took
tables-task-cost-note = Tokens as the server counted them; cost at the prices of the settings; seconds by the clock, in the last run.
tables-task-cost-n = Questions

## tables, matrix-f1
tables-matrix-f1-title = Matrices: F1
tables-matrix-f1-note = Percent of problems for testing whose right answer was chosen; ± is the standard deviation over seeds.

## tables, matrix-scores
tables-matrix-scores-title = Matrices: F1 with intervals
tables-matrix-scores-note = Percent. The interval: had other problems been drawn for testing, with the same training. A problem counts once, by its mean over seeds. SD: over seeds.
tables-matrix-scores-n_problems = n

## tables, matrix-unanswered
tables-matrix-unanswered-title = Matrices: models without an answer
tables-matrix-unanswered-note = Nothing was answered, so there is no score; the reason is the most frequent one.
tables-matrix-unanswered-n_problems = n
tables-matrix-unanswered-reason = Reason

## tables, matrix-answers
tables-matrix-answers-title = Matrices: what was chosen
tables-matrix-answers-n = Answers

## tables, task-runs
tables-task-runs-title = How models were asked

## tables, leaderboard
tables-leaderboard-title = Leaderboard
tables-leaderboard-note = Percent of pairs in which the good sentence is the more probable one, with 95% intervals: by sum_logprob, in nats, and by mean_nll, in nats per token. Test split: by sum_logprob, without the pairs kept for examples and validation. Published − other: by sum_logprob, in percentage points, pairs whose sentences are in a published source against the others; a large lead can mean that a model has read them.

## tables, faults
tables-faults-title = What could not be used

## tables, cited-sources
tables-cited-sources-title = Sources of the pairs

## tables, models
tables-models-title = Models, as they were loaded

## tables, back-to-review
tables-back-to-review-title = Pairs to look at again

## leaderboard
leaderboard-heading = Leaderboard
leaderboard-title = { $release }; scored { $way }
leaderboard-lead = Accuracy of language models on frozen releases, computed anew from the scores of every sentence. Models that were scored with different settings stand in different tables, as their numbers do not compare; nor do those of different releases. Click a heading to sort.
leaderboard-published = From published text
leaderboard-canary = Canary string
leaderboard-date = Released
leaderboard-yes = yes
leaderboard-no = none

## matrices
matrices-title = Matrices: { $name }

## browser
browser-heading = All pairs
browser-text = Search and filter every pair. A difference above zero favours the good sentence; “any model” asks whether at least one model has the verdict, “every model” whether all do.
browser-query = Search sentences, rules and ids
browser-query_sentences = Search sentences and ids
browser-rule = Rule
browser-phenomenon = Phenomenon
browser-model = Model
browser-verdict = Verdict
browser-measure = Measure
browser-order = Order
browser-all = all
browser-reset = Clear all
browser-earlier = Earlier pairs
browser-later = Later pairs
browser-size = The pairs take { NUMBER($size) } MB of this page; the table has the same numbers in full.
browser-tokens = Beside each model of a pair stand its tokens and how surprising each one is, in nats: the darker, the more surprising. Point at a token or tap it to compare both sentences.
browser-tokens_some = To keep the page small, it has the tokens of { $n } of { $all } pairs, the listed ones first. For a page with all of them:
browser-no_script = Without scripts this page can't filter; tables/pairs.csv beside it has every pair.

## browser, quantifiers
browser-quantifiers-any = any model
browser-quantifiers-every = every model
browser-quantifiers-some = some models, not all

## browser, verdicts
browser-verdicts-all = all
browser-verdicts-right = right
browser-verdicts-wrong = not right
browser-verdicts-tie = tie
browser-verdicts-flip = right by one measure alone

## browser, measures
browser-measures-sum = sum_logprob, in nats
browser-measures-mean = mean_nll, in nats per token

## browser, orders
browser-orders-release = as in the release
browser-orders-low = smallest difference first
browser-orders-high = largest difference first

## In script, words in braces are filled in by pairs.js.
browser-script-good = good
browser-script-bad = bad
browser-script-none = (none)
browser-script-exception = exception to the rule
browser-script-line = { $model }: the good sentence leads by sum_logprob { $sum } nats, mean_nll { $mean } nats per token ({ $good } and { $bad } tokens)
browser-script-no_score = no score
browser-script-right_of = Models that are right by sum_logprob: { $right } of { $n }
browser-script-status = Pairs { $first }–{ $last } of { $n } that match, { $all } in all
browser-script-nothing = None of { $all } pairs matches
browser-script-old_browser = This browser is too old to unpack the pairs; tables/pairs.csv beside this page has them.
browser-script-tokens = Tokens of both sentences by { $model }
browser-script-in_good = good: “{ $token }” { $nats } nats
browser-script-in_bad = bad: “{ $token }” { $nats } nats
browser-script-change = bad minus good: { $nats } nats
browser-script-hint = Point at a token or tap it.

## How each kind of model was scored, and what happened to a sentence first.
policy-causal = Each token was scored given those before it.
policy-masked-pll = Each token was hidden and scored given all others (Salazar and others 2020, ACL, 2699-2712).
policy-masked-pll-within-word = Each token was hidden with those to its right in the same word, and scored given the others (Kauf and Ivanova 2023, ACL, 925-935).
policy-seq2seq = The decoder scored each token given those before it.
policy-alone = Each sentence was scored on its own, with no text before it.
policy-prefix = Each sentence followed the text “{ $text }”, which was not scored.
policy-prefix_scored = Each sentence followed the text “{ $text }”, which was scored.
policy-prefix_read = The encoder read the text “{ $text }”, which was not scored.
policy-prefix_read_scored = The encoder read the text “{ $text }”, which was scored.
policy-chat = Each sentence was the answer to the message “{ $text }” in the model's chat template.
policy-period_removed = A period at the end of a sentence was removed first.
policy-period_added = A period was added where a sentence ends without punctuation.
policy-case_lower = Sentences were lower-cased first.
policy-eos_unscored = No end-of-sequence token was scored.
policy-eos_scored = An end-of-sequence token was put after each sentence and scored with it.
policy-no_normalisation = Sentences were not brought into a Unicode normal form.
policy-normalisation = Sentences were brought into Unicode normal form { $form } first.
policy-specials_text = The name of a special token inside a sentence was read as plain text.
policy-version = Scoring policy version { $version }.
policy-of_models = { $models }: { $text }

## What stood before the first token.
first_token-scored = { $before }; the first token is scored
first_token-not_scored = { $before }; the first token is not scored
first_token-not_asked = { $before }; the first token is not scored, as was asked
first_token-server = the server's tokenizer decides what comes before a sentence
first_token-masked = the special tokens of the model's tokenizer around the sentence, which are not scored
first_token-decoder = the decoder's start token
first_token-chat = the beginning of the answer in the model's chat template
first_token-never = no beginning-of-sequence token, as was asked
first_token-bos = exactly one beginning-of-sequence token (id { $id })
first_token-eos = one end-of-sequence token, since the model has no beginning-of-sequence token
first_token-none = no beginning-of-sequence token, since the model has none

## methods
methods-measures = sum_logprob is the sum of the natural logarithms of the probabilities of a sentence's scored tokens, in nats; a model is right on a pair if the good sentence has the higher sum. mean_nll is minus that sum divided by the number of scored tokens, in nats per token; a model is right if the good sentence has the lower mean.
methods-lengths = The two can disagree only where the sentences of a pair have different numbers of tokens: the sum then favours the shorter sentence, the mean the one whose additional tokens are easy to predict.
methods-ties = A tie, two equal scores, does not count as right; ties are listed. Choosing at random is right on 50% of pairs.
methods-slor = SLOR is the sum minus the log-probability of the same tokens by their frequency alone, per token (Pauls and Klein 2012, ACL, 959-968): it takes out how rare the words are.
methods-intervals_families = Intervals are 95%. Pairs that share a sentence resemble each other: where some do and there are at least { $fewest_clusters } families of such pairs, the interval is over families: each is left out in turn (the cluster jackknife, CV3; MacKinnon, Nielsen and Webb 2023, Journal of Applied Econometrics 38, 671-694), and the interval is a t interval of the logit (Korn and Graubard 1999), never narrower than Wilson's. If not, it is Wilson's over pairs (Wilson 1927, JASA 22, 209-212), which takes pairs as independent.
methods-intervals = Intervals are 95%. Pairs of one rule resemble each other, so where a row has at least { $fewest_clusters } rules, the interval is over rules: each rule is left out in turn (the cluster jackknife, CV3; MacKinnon, Nielsen and Webb 2023, Journal of Applied Econometrics 38, 671-694), and the interval is a t interval of the logit (Korn and Graubard 1999), never narrower than Wilson's. Otherwise it is the same over families of sentences, if some have several pairs and there are at least { $fewest_clusters }; if not, it is Wilson's over pairs (Wilson 1927, JASA 22, 209-212), which takes pairs as independent.
methods-comparisons = Two models are compared on the pairs that both scored, by a t-test with cluster-robust variance, in which each rule, or family of sentences where rules are few, is left out in turn. Its p-values, which are never smaller than those of the exact McNemar test (McNemar 1947, Psychometrika 12, 153-157), are adjusted over all comparisons of a measure by Holm (1979) and by Benjamini and Hochberg (1995). Models that were scored with different settings, or the first token for one of them only, are not compared.
methods-power = The smallest difference that can be shown follows Connor (1987, Biometrics 43, 207-211), with the number of pairs divided by the design effect of the comparisons (Kish 1965).
methods-confounds = Confounds are a least-squares regression of score differences on other differences between the two sentences, all standardised, with cluster-robust errors (Liang and Zeger 1986).
methods-people = Ratings are z-scored within each rater (Schütze and Sprouse 2013), with the standard deviation of a sample. Correlations have Fisher's interval; Spearman's takes the variance of Bonett and Wright (2000).
methods-tasks = Questions were made from the release's pairs and rules. An answer is right if it names all right options and no other; options of which the release does not say whether they are right count for nothing. Chance takes each answer that a question allows as equally probable. Intervals are over rules, the rule for which a question was made; those of coefficients come from { $task_resamples } resamples of whole rules (Davison and Hinkley 1997; seed { $seed }). With fewer than { $fewest_clusters } rules the interval takes questions as independent. The standard deviation is over draws of examples and seeds of questions.
methods-task_acceptability = Acceptability follows EuroEval (Nielsen 2023, NoDaLiDa): the Matthews correlation coefficient (Matthews 1975) and macro-F1, each the mean over the draws of examples.
methods-task_logprob = Models that were loaded compared options by log-probability. Where several options may be right, each was judged by itself: it is chosen if yes is more probable than no. What a model says to the same prompt without content was taken off first (contextual calibration: Zhao and others 2021, ICML, PMLR 139), as the logarithm of its mean probability after “N/A”, “[MASK]” and nothing in place of each text; acceptability keeps EuroEval's form and was not calibrated.
methods-task_translation = chrF++ is of the whole corpus (Popović 2017, WMT, 612-618), by sacrebleu (Post 2018, WMT, 186-191); { $translation_resamples } resamples.

## limits
limits-policies = The models were scored under different policies. Their numbers do not compare: they stand apart, and no test is made across policies.
limits-first_tokens = The first token is scored for some models only: they stand apart, and no test is made between them. Scored with `--first-token unscored`, they compare.
limits-dtypes = The models ran in different number formats, which can flip pairs with almost equal scores.
limits-few = { $few } of { $n_rules } { $n_rules ->
        [one] rule
        *[other] rules
    } { $few ->
        [one] has
        *[other] have
    } fewer than { $fewest } pairs: their rows show where to look, not what a model knows.
limits-few_rules = There { $n_rules ->
        [one] is
        *[other] are
    } only { $n_rules } { $n_rules ->
        [one] rule
        *[other] rules
    }, too few to tell how results would change with others.
limits-exceptions = { $n_exceptions } of { $n_pairs } { $n_pairs ->
        [one] pair
        *[other] pairs
    } { $n_exceptions ->
        [one] is an exception
        *[other] are exceptions
    }, to which the rule of the source does not apply; all tables count them unless a row says otherwise.
limits-unreviewed = Nobody reviewed these pairs here: each may be wrong, and they belong to no release. The SHA-256 above identifies this set.
limits-coverage = The pairs show what the sources describe, not all of a language.
limits-memorised = Sentences of a published source may have been in a model's training data.
limits-judging = Finding the good sentence more probable is not the same as judging it acceptable.
