"""The maker of the labelled set. In: voices, shipped specs, a seed; out: cases, as `known_cases.jsonl` has them."""
