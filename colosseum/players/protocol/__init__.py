"""The words that models read besides the spec's own: versioned Jinja files, and the code that renders them."""
