"""The folder of a queue and its logs, which only grow."""
