"""The door to servers of language models: bounded bytes without keys come in, and nobody vouches for them."""
