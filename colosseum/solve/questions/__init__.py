"""Questions to optima. In: a task, a coalition, what a run realised; out: counterfactuals and prospects."""
