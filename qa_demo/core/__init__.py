"""Records, rules and arithmetic of extractive question answering, in numpy."""
