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

    @property
    def group(self) -> str:
        """What its kind of mistake is about."""
        return next(group for group, last in GROUPS if self.code <= last)


GROUPS = (
    ("the text", "C029"),
    ("names and files", "C049"),
    ("values and data", "C079"),
    ("prompts and experiments", "C099"),
    ("the optimum", "C119"),
    ("assignments, options and folders", "C139"),
    ("warnings", "W999"),
)
"""What codes are about, each group with the last code that it may have."""
CODES: dict[str, Code] = {
    code: Code(code, title)
    for code, title in (
        ("C001", "the first line is not `colosseum 1`"),
        ("C002", "an edition of the language that this version cannot read"),
        ("C003", "the edition is stated twice"),
        ("C004", "the scenario has no name"),
        ("C005", "a second scenario in one file"),
        ("C006", "the scenario's name comes after other statements"),
        ("C007", "a character without meaning"),
        ("C008", "a text in quotes that is not closed on its line"),
        ("C009", "a long text that is never closed"),
        ("C010", "an unknown escape in a text"),
        ("C011", "something else was expected here"),
        ("C012", "a bracket that is not closed"),
        ("C013", "a closing bracket that closes nothing"),
        ("C014", "a word that cannot be a name"),
        ("C015", "`=` where values are compared"),
        ("C016", "a word that begins no statement"),
        ("C017", "a missing or a wrong sign between a name and its value"),
        ("C018", "an expression too deep or too long"),
        ("C019", "a line of a grid that is neither header nor row"),
        ("C020", "a word outside the statement it belongs to"),
        ("C021", "a number too large"),
        ("C030", "a file that cannot be read"),
        ("C031", "a file that is not UTF-8 text, or too long"),
        ("C032", "a path that `use` does not follow"),
        ("C033", "files that use each other in a circle or too deeply"),
        ("C034", "a name declared twice"),
        ("C035", "an override of nothing"),
        ("C036", "an override of a statement in the same file"),
        ("C040", "a name would mean two things"),
        ("C041", "a name that is not declared"),
        ("C042", "a built-in name is declared"),
        ("C043", "there are no agents"),
        ("C044", "something that is not a table or a variable is looked up"),
        ("C045", "a look-up has too few or too many indices"),
        ("C046", "payoffs are named outside a coalition's objective"),
        ("C047", "a function is unknown or called wrongly"),
        ("C048", "a map where none is allowed"),
        ("C049", "something depends on itself"),
        ("C050", "a value is of the wrong kind"),
        ("C051", "a number cannot be computed"),
        ("C052", "a table has no such entry"),
        ("C053", "a payoff is none"),
        ("C054", "the minimum or maximum of nothing"),
        ("C055", "a decision is read where only data is known"),
        ("C056", "the spec expands to too much"),
        ("C057", "a set or range is needed"),
        ("C058", "a draw cannot be made"),
        ("C059", "a data file cannot be read"),
        ("C060", "a grid's rows and columns do not fit"),
        ("C061", "data is missing, repeated or unknown"),
        ("C062", "private data would reach others"),
        ("C063", "a variable has no owner"),
        ("C064", "a variable has no domain"),
        ("C065", "an agent is needed here"),
        ("C066", "a penalty is not a price"),
        ("C067", "`per unit` where there is nothing to measure"),
        ("C068", "a coalition or channel has wrong members"),
        ("C070", "a network cannot be made"),
        ("C080", "a prompt tells a private fact to others"),
        ("C081", "a prompt is not a template"),
        ("C082", "a prompt is too long"),
        ("C083", "a prompt uses something that is not allowed"),
        ("C084", "a variant is declared twice"),
        ("C085", "a claim without `is true` or `is false`"),
        ("C086", "a setting is unknown or misplaced"),
        ("C087", "a setting has a wrong value"),
        ("C088", "an arm is declared twice"),
        ("C089", "something is swept twice, or swept and set"),
        ("C090", "a prompt has no such variant"),
        ("C091", "there is no such experiment or arm"),
        ("C092", "an experiment has nothing to run"),
        ("C093", "a rubric's scores are not whole numbers, each once"),
        ("C100", "a term is too large for an integer program"),
        ("C101", "nothing satisfies the hard requirements"),
        ("C120", "an assignment cannot be read"),
        ("C121", "an assignment does not fit the scenario"),
        ("C122", "an option has a wrong value"),
        ("C123", "a folder is not a campaign"),
        ("C124", "a model cannot play"),
        ("C125", "a price is not known"),
        ("C126", "a `.env` cannot be read"),
        ("C127", "a cluster cannot be used"),
        ("C128", "your own agent cannot play"),
        ("W001", "a table that nothing reads"),
        ("W002", "a reward that no decision changes"),
        ("W003", "a coalition of all agents"),
        ("W004", "an arm that equals the control"),
        ("W006", "one seed, where several may be meant"),
        ("W007", "an agent whose decisions never change its own payoff"),
        ("W008", "a sweep that changes nothing"),
        ("W009", "a secret channel for agents who already have a channel of their own"),
        ("W010", "a soft requirement that is worth breaking"),
        ("W011", "a variable that sets no option"),
        ("W012", "a reward or requirement that agents are not told"),
        ("W013", "a payoff sheet that is too long to be complete"),
        ("W014", "compared variants that differ in length"),
        ("W015", "a treated arm and its placebo whose channels have different names"),
        ("W016", "a secret channel for one agent"),
        ("W017", "a filter or a hard rule that tells agents about private rows of others"),
    )
}
