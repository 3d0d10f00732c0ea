"""Questions with options, made from a release: which rule a sentence instantiates, which sentence is acceptable, ..."""
