"""Players that are scripts. In: a View with data; out: what a small reference agent does, without a network."""
