"""`python -m colosseum`."""

from colosseum.cli import main

main()
