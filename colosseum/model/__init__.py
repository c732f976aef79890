"""From syntax to a scenario. In: a composition of statements; out: checked, expanded models and trial designs."""
