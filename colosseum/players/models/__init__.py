"""Players that are language models. In: a View; out: what the model did, asked through litellm."""
