"""One release scored by one model, shard by shard."""
