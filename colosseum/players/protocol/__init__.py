"""What models are told besides the spec's own texts: versioned Jinja files, and the reader that renders them."""
