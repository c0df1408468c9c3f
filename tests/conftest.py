"""How hypothesis runs."""

from hypothesis import settings

# how long an example takes says something about the machine, not about the code
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
