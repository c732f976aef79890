"""A proxy that injects faults. In: requests for an endpoint; out: its answers, or faults drawn by seed; and a log."""
