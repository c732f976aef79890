"""What Python users call, and the command line with them. In: checked specs; out: plain data."""
