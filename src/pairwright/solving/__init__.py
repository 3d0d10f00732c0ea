"""The baseline that solves matrices: sentence vectors of an encoder, and a network that is trained on problems."""
