"""Language models that we load ourselves: from a package, a folder, a GGUF file or the hub."""
