#!/bin/sh
# The main job, offline and without a key: from the sample error list and the sample grammar book to review queues, a
# release of both, scores and a report. A page shows what was understood of the book. Beside it, a small local language
# model reads a page of grammar: its rules and pairs are weak, and the checks show it. One step runs as a Prefect flow.
# Everything is written to output/demo, a workspace of its own that is made anew each time.
set -eu
workspace=output/demo
echo "demo: takes a few minutes and downloads nothing; the first time, its language model is unpacked into the user's"
echo "      cache (1.3 GB; PAIRWRIGHT_CACHE moves it), which takes a minute or two of them"
rm -rf "$workspace"
pairwright init "$workspace" --language lt --sample
pairwright ingest lt-sample-grammar --workspace "$workspace"
pairwright preview lt-sample-grammar --pages 3-8 --workspace "$workspace"
pairwright build lt-sample-grammar --workspace "$workspace"
pairwright build lt-sample-page --llm local --workspace "$workspace"
python "$workspace/flows/build.py" lt-sample --workspace "$workspace"
pairwright release create --name lt-sample --version 1.0.0 --workspace "$workspace"
pairwright evaluate lt-sample-1.0.0 --model embedded --workspace "$workspace"
pairwright augment lt-sample --rule 1.4.2 --per-rule 100 --workspace "$workspace"
pairwright matrices make lt-caus --size 40 --test 8 --out "$workspace/output/matrices/lt-caus" --workspace "$workspace"
pairwright matrices solve "$workspace/output/matrices/lt-caus" --workspace "$workspace"
echo
echo "demo: done. Open these:"
echo "  $workspace/output/previews/lt-sample-grammar-3-8.html      pages of a grammar with what was understood"
echo "  $workspace/annotations/lt-sample/jonas.csv                 a reviewer's sheet, in any spreadsheet program"
echo "  $workspace/output/releases/lt-sample-1.0.0/cldf/           the glossed examples behind the pairs of the grammar"
echo "  $workspace/output/reports/lt-sample-1.0.0/index.html       how the model does on the release"
echo "  $workspace/output/work/lt-sample/augmented.jsonl           100 pairs that seven approved ones grew into"
echo "  $workspace/output/matrices/lt-caus/matrix.jsonl            40 problems: which sentence goes on with the pattern?"
echo "  $workspace/output/reports/lt-caus/report.md                how a network on the model's sentence vectors does on them"
echo "demo: next, how far everything is, and then a list or a grammar of your own:"
echo "  .venv/bin/pairwright status --workspace $workspace"
echo "  .venv/bin/pairwright init my-workspace --language CODE"
