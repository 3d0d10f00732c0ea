"""From official error lists to rules with corrections, without a language model."""
