"""The task of one instance. In: a World; out: a Task, every variable, payoff and requirement as ground terms."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from colosseum.diagnostics import Diagnostic, report
from colosseum.language import syntax
from colosseum.model import terms
from colosseum.model.credit import credit
from colosseum.model.environment import Environment, Meter
from colosseum.model.evaluate import evaluate, value
from colosseum.model.faults import Findings, Poisoned
from colosseum.model.folding import disjunction, inverse, term
from colosseum.model.instances import Key, domain, indexed
from colosseum.model.lookup import check_depth
from colosseum.model.nones import fault_example, none_example
from colosseum.model.scenario import Cell, Payoff, Requirement, Task, Variable
from colosseum.model.tables import agent_position, in_order, people
from colosseum.model.terms import Constant, Ground, Term
from colosseum.model.values import Fault, Number, Value, at, first_doubled, instance_name, kind, number, text, truth
from colosseum.model.world import World

MOST_SHOWN = 4
"""Decisions of an example assignment that are shown."""


@dataclass
class Grounding:
    """One pass over the statements of a world."""

    world: World
    findings: Findings = field(default_factory=Findings)
    reads: dict[Cell, None] = field(default_factory=dict)
    meter: Meter = field(default_factory=Meter)

    def each(
        self, statement: syntax.Declaration, indices: syntax.Indices | None
    ) -> Iterator[tuple[str, Key, Environment]]:
        """(name, key, environment) of every instance. The caller's own faults end the loop as its faults do."""
        outer = Environment(self.world, meter=self.meter, reads=set())
        for key, env in indexed(indices, outer):
            yield instance_name(statement.name, key), key, env
        self.note(outer)

    def note(self, env: Environment) -> None:
        """Remember the private cells that an instance was computed from, in a stable order."""
        for cell in in_order(env.reads):
            self.reads.setdefault(cell)


def ground(world: World, *, meter: Meter | None = None) -> tuple[Task, list[Diagnostic]]:
    """Expand variables, rewards and requirements; the task is whole only when no diagnostic is an error."""
    work = Grounding(world, meter=meter or Meter())
    agents = tuple(str(a) for a in world.sets["agents"])
    made = {s.name: _variables(s, work) for s in world.spec.of(syntax.Variable)}
    work.world = replace(world, domains={n: d for n, d in world.domains.items() if made.get(n) is not None})
    task = Task(agents, tuple(v for found in made.values() for v in found or ()), (), ())
    payoffs: list[Payoff] = []
    requirements: list[Requirement] = []
    for statement in world.spec.composition.statements:
        match statement:
            case syntax.Reward():
                payoffs += _rewards(statement, task, work)
            case syntax.Require():
                for requirement, payoff in _requirements(statement, task, work):
                    requirements.append(requirement)
                    payoffs += [payoff] if payoff else []
            case _:
                pass
    if not made and not world.spec.doubts:
        where = world.spec.composition.scenario.span
        work.findings.add(report("C064", where, "nobody decides anything: there are no variables",
                                 help="add a line such as `variable pick[agents]: tasks or none`"))  # fmt: skip
    whole = replace(task, payoffs=tuple(payoffs), requirements=tuple(requirements), reads=tuple(work.reads))
    return whole, work.findings.diagnostics


# ---- variables -----------------------------------------------------------------------------------------------


def _variables(statement: syntax.Variable, work: Grounding) -> list[Variable] | None:
    """The instances of a variable; None when something is wrong with them."""
    found: list[Variable] = []
    name = ""
    try:
        keys = list(work.world.instances(statement.name))
        position = agent_position(keys, work.world.sets["agents"])
        for name, key, env in work.each(statement, statement.indices):
            owner = _owner(statement, key, env, position)
            found.append(Variable(name, owner, domain(statement, env, name)))
            _check_domain(name, owner, env, work.world)
            work.note(env)
    except Fault as fault:
        work.findings.fault(fault, statement.name_span, instance=name)
        return None
    doubled = first_doubled(v.name for v in found)
    if doubled:
        message = f"two instances of `{statement.name}` would both be named `{doubled}`"
        work.findings.fault(Fault(message, code="C061"), statement.name_span)
        return None
    return found


def _owner(statement: syntax.Variable, key: Key, env: Environment, position: int | None) -> str:
    if statement.owner is not None:
        owners = people(value(statement.owner, env), env.facts.members("agents"), statement.owner)
        if len(owners) != 1:
            raise Fault(f"a variable has one owner, not {len(owners)}", code="C063")
        return owners[0]
    if position is None and not key:
        name, choice = statement.name, " ".join(statement.domain.span.text.split())
        each, one = (
            f"variable {name}[agents]: {choice}",
            f"variable {name} of {env.facts.members('agents').items[0]}: {choice}",
        )
        raise Fault(f"nobody owns `{name}`: it has neither an index nor an owner", code="C063",
                    help=f"one for each agent is `{each}`, one for all `{one}`")  # fmt: skip
    if position is None:
        raise Fault(f"nobody owns `{statement.name}`: no index is an agent", code="C063",
                    help="say who decides with `of OWNER`, as in `variable price[goods] of seller: 0..9`")  # fmt: skip
    return str(key[position])


def _check_domain(name: str, owner: str, env: Environment, world: World) -> None:
    """The owner must be able to see what it may choose."""
    for cell in in_order(env.reads):
        if owner not in (world.table(cell.table).audience or {})[cell.key]:
            source = instance_name(cell.table, cell.key)
            raise Fault(f"the domain of `{name}` is computed from `{source}`, which its owner `{owner}` may not see",
                        code="C062")  # fmt: skip


# ---- rewards -------------------------------------------------------------------------------------------------


def _rewards(statement: syntax.Reward, task: Task, work: Grounding) -> list[Payoff]:
    found: list[Payoff] = []
    name = ""
    try:
        for name, _, env in work.each(statement, statement.indices):
            holds = guard(statement.when, env)
            if holds is False:
                continue
            body = number_term(evaluate(statement.value, env), statement.value, "a reward")
            payoff = terms.Conditional(holds, body, Constant(0)) if isinstance(holds, Ground) else body
            check_scope(payoff, task)
            shares = credit(statement.recipients, env, scope=payoff.scope, task=task)
            check_condition(holds, statement.when, task, work.meter)
            check_none(payoff, statement.value, task, work.meter)
            found.append(Payoff(name, statement.name, "reward", payoff, shares))
            work.note(env)
    except Fault as fault:
        work.findings.fault(fault, statement.name_span, instance=name)
    return found


def number_term(folded: "Value | Term", expr: syntax.Expr, role: str) -> Term:
    """What was evaluated as a term; a plain value that is no number is a Fault."""
    if not isinstance(folded, Ground):
        try:
            if folded is None:
                raise Fault(f"{role} is none", code="C053", help="guard it with `when … != none`")
            number(folded, role)
        except Fault as fault:
            raise at(fault, expr.span) from None
    return term(folded)


def guard(expr: syntax.Expr | None, env: Environment) -> "bool | Term":
    """The condition of `when`: a truth where no decision matters, else its term."""
    holds = True if expr is None else evaluate(expr, env)
    if isinstance(holds, Ground) or expr is None:
        return term(holds) if isinstance(holds, Ground) else True
    try:
        return truth(holds, "`when`")
    except Fault as fault:
        raise at(fault, expr.span) from None


def check_scope(found: Term, task: Task) -> None:
    """Raises Poisoned when a term mentions a variable that is in error, a Fault when it is nested too deeply."""
    if not found.scope <= task.variable.keys():
        raise Poisoned("a variable is in error")
    check_depth(found)


def check_none(payoff: Term, expr: syntax.Expr, task: Task, meter: Meter) -> None:
    """Raises a Fault with an example when a payoff can be none or cannot be computed."""
    found = none_example(payoff, task, meter)
    if found is not None:
        raise _with_example(*found, expr)


def check_condition(holds: "Value | Term", expr: syntax.Expr | None, task: Task, meter: Meter) -> None:
    """Raises a Fault with an example when a condition can be none of the kind or cannot be computed."""
    if isinstance(holds, Ground):
        check_scope(holds, task)
    found = fault_example(holds, task, meter) if isinstance(holds, Ground) and expr is not None else None
    if found is not None and expr is not None:
        raise _with_example(*found, expr)


def _with_example(x: Mapping[str, Value], fault: Fault, expr: syntax.Expr) -> Fault:
    shown = [f"{name} = {text(v)}" for name, v in x.items()][:MOST_SHOWN]
    example = f"for example when {', '.join(shown)}{', …' if len(x) > MOST_SHOWN else ''}"
    fault.help = f"{fault.help}; {example}" if fault.help else example
    return at(fault, expr.span)


# ---- requirements ----------------------------------------------------------------------------------------------


def _requirements(statement: syntax.Require, task: Task, work: Grounding) -> list[tuple[Requirement, Payoff | None]]:
    found: list[tuple[Requirement, Payoff | None]] = []
    name = ""
    try:
        if statement.penalty is None and statement.recipients is not None:
            fault = Fault("a hard requirement pays nobody, so `to` has no meaning here", code="C065",
                          help="give it a `penalty`, or drop `to`")  # fmt: skip
            raise at(fault, statement.recipients.span)
        for name, _, env in work.each(statement, statement.indices):
            instance = _requirement(statement, name, env, task)
            if instance is not None:
                found.append(instance)
            work.note(env)
    except Fault as fault:
        work.findings.fault(fault, statement.name_span, instance=name)
    return found


def _requirement(
    statement: syntax.Require, name: str, env: Environment, task: Task
) -> tuple[Requirement, Payoff | None] | None:
    holds = guard(statement.when, env)
    if holds is False:
        return None
    inside = evaluate(statement.condition, env)
    if not isinstance(inside, Ground) and not isinstance(inside, bool):
        fault = Fault(f"a requirement is a condition, not {kind(inside)} (`{text(inside)}`)", code="C050",
                      help="compare it, as in `… <= 1`")  # fmt: skip
        raise at(fault, statement.condition.span)
    check_scope(term(inside), task)
    check_condition(holds, statement.when, task, env.meter)
    condition = term(inside if holds is True else disjunction([inverse(holds), inside]))
    check_condition(condition, statement.condition, task, env.meter)
    if statement.penalty is None:
        return Requirement(name, statement.name, condition, None, None), None
    price = _price(statement.penalty, env)
    excess = term(_excess(statement, env)) if statement.per_unit else None
    if excess is not None:
        broken: Term = terms.Arithmetic("*", Constant(-price), excess)
        cost = broken if holds is True else terms.Conditional(term(holds), broken, Constant(0))
    else:
        cost = terms.Conditional(condition, Constant(0), Constant(-price))
    shares = credit(statement.recipients, env, scope=cost.scope, task=task)
    try:
        check_none(cost, statement.condition, task, env.meter)
    except Fault as wrong:
        if excess is None or wrong.code != "C050":
            raise
        message = "`per unit` measures how far two numbers are apart, and these are not numbers"
        raise at(Fault(message, code="C067", help=wrong.help), statement.condition.span) from None
    payoff = Payoff(name, statement.name, "penalty", cost, shares)
    return Requirement(name, statement.name, condition, float(price), excess), payoff


def _price(expr: syntax.Expr, env: Environment) -> Number:
    price = value(expr, env)
    try:
        if number(price, "a penalty") < 0:
            raise Fault(f"a penalty is a price ≥ 0, not {text(price)}", code="C066", help="what pays is a `reward`")
    except Fault as fault:
        raise at(fault, expr.span) from None
    return number(price, "a penalty")


def _excess(statement: syntax.Require, env: Environment) -> "Value | Term":
    """What `per unit` measures: the distance by which each link of the comparison is missed, summed."""
    expr = statement.condition
    if not isinstance(expr, syntax.Comparison) or any(o not in ("<=", ">=", "==") for o in expr.operators):
        fault = Fault("`per unit` measures how far a comparison with `<=`, `>=` or `==` is missed", code="C067",
                      help="drop `per unit` to charge once for each broken instance")  # fmt: skip
        raise at(fault, expr.span)
    operands = [evaluate(o, env) for o in expr.operands]
    links = zip(expr.operators, operands, operands[1:], strict=False)
    parts = [_distance(o, term(left), term(right)) for o, left, right in links]
    return parts[0] if len(parts) == 1 else terms.Total(tuple(parts))


def _distance(operator: str, left: Term, right: Term) -> Term:
    if operator == "==":
        return terms.Absolute(terms.Arithmetic("-", left, right))
    over = terms.Arithmetic("-", left, right) if operator == "<=" else terms.Arithmetic("-", right, left)
    return terms.Extremum("max", (Constant(0), over), (Constant(True), Constant(True)), aggregate=False)
