"""What several processes spend on one campaign. In: what one pays; out: what the others have paid since it looked last.

Every payment is a line `PROCESS DOLLARS` at the end of one file, written at once, so that processes with one budget can
keep to it together. Who begins looks from the end on: what was paid before stands in the runs' own files.
"""

import math
import os
import socket
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Ledger:
    """One process's view of the file."""

    path: Path
    name: str = field(default_factory=lambda: f"{socket.gethostname()}-{os.getpid()}")
    """Of this process, without blanks."""
    read: int = field(init=False)
    """Bytes of the file that are known."""

    def __post_init__(self) -> None:
        self.read = self.path.stat().st_size if self.path.exists() else 0

    def tell(self, dollars: float) -> None:
        """Something was paid. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(file, f"{self.name} {dollars!r}\n".encode())
        finally:
            os.close(file)

    def heard(self) -> float:
        """What others have paid since this was asked last. Raises OSError."""
        if not self.path.exists() or self.path.stat().st_size <= self.read:
            return 0.0
        with open(self.path, "rb") as file:
            file.seek(self.read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self.read += len(whole)
        return sum(_amount(line, self.name) for line in whole.decode("utf-8", "replace").splitlines())


def _amount(line: str, own: str) -> float:
    """What a line of another process says; a line that was torn says nothing."""
    name, _, words = line.partition(" ")
    try:
        amount = float(words)
    except ValueError:
        return 0.0
    return amount if name != own and math.isfinite(amount) and amount > 0 else 0.0
