"""Statistics on minimal pairs: thin over scipy, statsmodels and rapidfuzz. Each method names its source."""
