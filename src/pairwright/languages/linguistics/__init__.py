"""What is true of sentences and words in any source: marks, sentence ends, brackets, likeness, concord, morphemes."""
