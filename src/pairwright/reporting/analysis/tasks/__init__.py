"""What models answered to questions: how often they are right, how sure that is, and what else it may come from."""
