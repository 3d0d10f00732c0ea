"""Official error lists to rules, by a declared notation."""
