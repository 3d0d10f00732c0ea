"""Language models asked about pairs: the requests, their numbered answers, and the judgments made of them."""
