"""Lessons: steps that set a state, cover what is asked, take a guess and reveal."""
