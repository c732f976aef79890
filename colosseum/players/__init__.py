"""Players: the seam to a run (`view`), scripted players, language models, and users' own agents."""
