"""Terms at all joint values of their scope at once. In: ground terms and variables; out: arrays, an axis a variable."""
