"""Seed -> Candidate: a pair in other word orders and in subordinate clauses, tied to its seed as a paradigm.

seeds    what a seed is: a pair cut into subject, object, verb and the rest
trees    treebank pairs as seeds, by their dependency trees
markup   seeds that a person marked up in a text file
frames   what a language's file says of orders, pronouns and clauses
variants seeds in all conditions
"""
