"""What a book attests of its language: sentences, the forms of their words, and paradigms."""
