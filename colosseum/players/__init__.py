"""Who acts: what an agent may see (`view`), scripted players, and language models."""
