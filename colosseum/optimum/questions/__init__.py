"""What optima are asked for. In: a task, a coalition, what a run realised; out: counterfactuals and prospects."""
