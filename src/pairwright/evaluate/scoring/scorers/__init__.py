"""One scorer for each kind of model."""
