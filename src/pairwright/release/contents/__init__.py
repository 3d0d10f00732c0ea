"""What is released, what is left out and why, under which licences and names, in which splits."""
