"""A task as an integer program. In: a task; out: a Program with its hard requirements, and objectives on request."""

from dataclasses import dataclass, field

from colosseum.model.scenario import Task
from colosseum.model.terms import Term
from colosseum.optimum import conditions, counting, numbers, options, products, tables
from colosseum.optimum.binding import bind
from colosseum.optimum.goal import Goal
from colosseum.optimum.lowering import DEFAULT_LIMITS, CannotLower, Limits, Lowering
from colosseum.optimum.program import Affine, Program, TooLarge, total
from colosseum.optimum.splits import agent_payoff
from colosseum.optimum.tables import referred

NUMBER_RULES = (
    tables.constant, tables.unary, numbers.payoff, counting.counted, numbers.linear, tables.small,
    numbers.small_look_up, numbers.look_up, numbers.case,
    products.multiplied, numbers.absolute, numbers.extremum, products.large_product, tables.table,
)  # fmt: skip
CONDITION_RULES = (
    tables.constant, tables.unary, conditions.inverse, conditions.every, conditions.some, conditions.same,
    conditions.compared, options.alike, options.within, tables.table,
)  # fmt: skip


FARTHEST = 1e15
"""How far a goal may reach; beyond it sums of floating-point numbers lose whole units."""


class NotLowered(Exception):  # noqa: N818 - a finding about the task, not a failure
    """A part of the task does not fit an integer program; says which and how large it is."""

    HELP = "write it with sums, counts, `min`, `max`, or over fewer variables"

    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"`{name}` cannot be optimised exactly: {what}")
        self.name = name


@dataclass
class Lowered:
    """A program and the objectives lowered onto it so far."""

    program: Program
    lowering: Lowering
    goals: dict[Goal, Affine] = field(default_factory=dict)

    def objective(self, goal: Goal) -> Affine:
        """The affine form of a goal; it may add columns the first time. Raises NotLowered."""
        if goal not in self.goals:
            parts = [self._total().scaled(goal.total)] if goal.total else []
            parts += [self._agent(agent).scaled(weight) for agent, weight in goal.payoffs]
            parts += [self._term(term).scaled(weight) for term, weight in goal.terms]
            self.goals[goal] = self._counted(total(parts))
        return self.goals[goal]

    def _counted(self, form: Affine) -> Affine:
        """The form of a goal, unless it is past what floating-point numbers can add up."""
        reach = max(map(abs, self.program.bounds(form)))
        if reach > FARTHEST:
            raise NotLowered("the sum of payoffs", f"it may reach {reach:.2g}, and sums are exact up to {FARTHEST:g}")
        return form

    def _total(self) -> Affine:
        known = self.lowering.payoffs
        if None not in known:
            forms = []
            for payoff in self.program.task.payoffs:
                try:
                    forms.append(self.lowering.number(payoff.term))
                except (CannotLower, TooLarge) as fault:
                    raise NotLowered(payoff.name, fault.what) from None
            known[None] = total(forms)
        return known[None]

    def _agent(self, agent: str) -> Affine:
        known = self.lowering.payoffs
        if agent not in known:
            try:
                known[agent] = agent_payoff(agent, self.lowering)
            except (CannotLower, TooLarge) as fault:
                raise NotLowered(f"payoff[{agent}]", fault.what) from None
        return known[agent]

    def _term(self, term: Term) -> Affine:
        for agent in referred(term):
            _ = self._total() if agent is None else self._agent(agent)
        try:
            return self.lowering.number(term)
        except (CannotLower, TooLarge) as fault:
            raise NotLowered("a coalition's objective", fault.what) from None


def lower(task: Task, *, limits: Limits = DEFAULT_LIMITS) -> Lowered:
    """The program of a task, with its hard requirements as rows. Raises NotLowered."""
    try:
        program = Program(task)
    except TooLarge as fault:
        raise NotLowered("the variables", fault.what) from None
    lowering = Lowering(program, NUMBER_RULES, CONDITION_RULES, limits)
    for requirement in task.hard:
        try:
            bind(requirement.condition, lowering)
        except (CannotLower, TooLarge) as fault:
            raise NotLowered(requirement.name, fault.what) from None
    return Lowered(program, lowering)
