"""The table of codes. In: nothing; out: every code with its title. A code never changes its meaning.

C001-C029 the text, C030-C049 names and composition, C050-C079 values and data, C080-C099 prompts and experiments,
C100-C119 the optimum, C120-C139 assignments, options and folders; W… are warnings.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A stable code and the one line that names its kind of mistake."""

    code: str
    title: str


CODES: dict[str, Code] = {
    code: Code(code, title)
    for code, title in (
        # ---- the text
        # ---- names and composition
        # ---- values and data
        # ---- prompts and experiments
        # ---- the optimum
        # ---- assignments, options and folders
        # ---- warnings
    )
}
