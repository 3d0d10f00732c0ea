"""The steps from a document to a report: plain functions over a `Context`, run by commands, flows and Python alike."""
