"""What people and other tools say of the same pairs."""
