"""The short papers of a release: CITATION.cff, LICENSE, the metadata of the Hub."""

from collections import Counter
from typing import Any

import yaml

from pairwright.core.errors import counted
from pairwright.core.records.release import SPLITS
from pairwright.release.contents.contents import ReleaseContents, licence

# The size categories of the Hugging Face Hub; each is ten times the one before, from 1,000 pairs on.
SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M")
SEVERAL_LICENCES = """\
The pairs are under several licences. Each pair has that of its source, in its column `licence`; whoever
uses all pairs together keeps the terms of all of them:"""
QUOTATIONS = "The quotations in rules.jsonl, provenance.jsonl and cldf are their sources', under the same licences."


def _yaml(value: object) -> str:
    # Long lines stay whole: a folded one would be read back the same, but shows as a change.
    return str(yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=10_000))


def citation(contents: ReleaseContents) -> str:
    """CITATION.cff, in the Citation File Format 1.2.0. An author is `Family, Given` or the name of a body."""
    info = contents.info
    sources = " ".join(source.citation for source in contents.released_sources)
    fields: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "Cite this dataset by its version, and the sources that its abstract names.",
        "type": "dataset",
        "title": info.title,
        "version": info.version,
        "authors": [_author(name) for name in info.authors] or [{"name": f"The makers of {info.name}"}],
        "abstract": f"Minimal pairs of acceptable and unacceptable sentences, from: {sources}",
        "keywords": ["minimal pairs", "linguistic acceptability", "language model evaluation", *contents.languages],
    }
    # Several licences in a CITATION.cff mean a choice, which a mixed release doesn't give.
    spdx = contents.licences[0].spdx if len(contents.licences) == 1 else None
    optional = {"date-released": info.date, "repository": info.repository, "license": spdx}
    return _yaml(fields | {name: value for name, value in optional.items() if value})


def _author(name: str) -> dict[str, str]:
    family, comma, given = name.partition(",")
    return {"family-names": family.strip(), "given-names": given.strip()} if comma else {"name": name}


def licence_text(contents: ReleaseContents) -> str:
    """LICENSE: which licence each pair has, and which terms hold for the whole."""
    counts = Counter((pair.source_id, pair.licence) for pair in contents.pairs)
    terms = SEVERAL_LICENCES
    if len(contents.licences) == 1:
        terms = f"The pairs are under the licence {_with_address(contents.licences[0].words)}."
    lines = [f"{contents.info.title} {contents.info.version}\n", f"{terms}\n"]
    for source in contents.released_sources:
        n = counts[source.id, source.licence]
        lines.append(f"- {source.id}: {_with_address(source.licence)}, {counted(n, 'pair')}")
        lines.append(f"  {source.citation}")
    return "\n".join([*lines, "", f"{QUOTATIONS}\n"])


def _with_address(words: str) -> str:
    url = licence(words).url
    return f"{words} ({url})" if url else words


def hub_metadata(contents: ReleaseContents) -> str:
    """The metadata of the card on the Hugging Face Hub: YAML between lines of three hyphens."""
    info = contents.info
    hub = [one.hub or "other" for one in contents.licences]
    splits = [{"split": split, "path": f"data/{split}.parquet"} for split in SPLITS if info.splits.get(split)]
    own_words = {"license_name": "see-license-file", "license_link": "LICENSE"}
    fields = {
        "pretty_name": info.title,
        "language": list(contents.languages),
        "license": hub[0] if len(hub) == 1 else sorted(set(hub)),
        **(own_words if "other" in hub else {}),
        "size_categories": [SIZES[max(0, len(str(info.n_pairs)) - 3)]],
        "task_categories": ["text-classification"],
        "task_ids": ["acceptability-classification"],
        "tags": ["minimal-pairs", "linguistic-acceptability"],
        # The Hub reads the columns from the Parquet files.
        "configs": [{"config_name": "default", "data_files": splits}],
    }
    return f"---\n{_yaml(fields)}---\n\n"
