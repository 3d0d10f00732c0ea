#!/bin/sh
# The main job, offline and without a key: from the sample error list and the sample grammar book to review queues, a
# release of both, scores and a report. A page shows what was understood of the book. Beside it, a small local language
# model reads a page of grammar: its rules and pairs are weak, and the checks show it. One step runs as a Prefect flow.
# Everything is written to output/demo, a workspace of its own that is made anew each time.
set -eu
workspace=output/demo
started=$(date +%s)
echo "demo: takes two to three minutes on two free processor cores, twice that beside other programs, and downloads"
echo "      nothing; the first time, its language model is unpacked into the user's cache (1.3 GB; PAIRWRIGHT_CACHE moves"
echo "      it), which takes a minute or two more"
rm -rf "$workspace"
pairwright init "$workspace" --language lt --sample
pairwright build lt-sample-grammar --workspace "$workspace"
pairwright show lt-sample-grammar --pages 3-8 --workspace "$workspace"
pairwright build lt-sample-page --llm local --workspace "$workspace"
python "$workspace/flows/build.py" lt-sample --workspace "$workspace"
pairwright release create --name lt-sample --version 1.0.0 --workspace "$workspace"
pairwright evaluate lt-sample-1.0.0 --model embedded --workspace "$workspace"
echo
echo "demo: done in $(($(date +%s) - started)) s. A pair of the grammar, and its way:"
pair=$(sed -n '1s/.*"id":"\(pair-[0-9a-f]*\)".*/\1/p' "$workspace/output/work/lt-sample-grammar/checked.jsonl")
pairwright trace "$pair" --workspace "$workspace"
echo
echo "demo: open these:"
echo "  $workspace/output/reports/lt-sample-1.0.0/index.html       how the model does on the release"
echo "  $workspace/output/previews/lt-sample-grammar-3-8.html      pages of a grammar with what was understood"
echo "  $workspace/annotations/lt-sample/jonas.csv                 a reviewer's sheet, in any spreadsheet program"
echo "  $workspace/output/releases/lt-sample-1.0.0/README.md       what is in the release, and how it was made"
echo "demo: next, the documentation; how far everything is; approved pairs grown into more; a source of your own:"
echo "  .venv/bin/pairwright docs"
echo "  .venv/bin/pairwright status --workspace $workspace"
echo "  .venv/bin/pairwright grow words lt-sample --rule 1.4.2 --per-rule 100 --workspace $workspace"
echo "  .venv/bin/pairwright init my-workspace"
