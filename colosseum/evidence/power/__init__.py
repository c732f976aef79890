"""The power of a study. In: an experiment and players whose kind is known; out: how often its verdicts are right."""
