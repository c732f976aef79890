"""How a foreign run meets a scenario. In: a run, a `trace from` statement, a trial; out: the trace, or a Refusal.

Names of the source become those of the scenario; texts stay as they are.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Any, Final, cast

from colosseum.diagnostics import ColosseumError, report
from colosseum.imports.foreign_run import Fields, ForeignRun, ImportedRun, Refusal, meant, short
from colosseum.language import syntax
from colosseum.language.syntax import walk
from colosseum.model.scenario import Variable
from colosseum.model.serial import Json, encode
from colosseum.model.values import COMPARED, Value, plain
from colosseum.run.trace import VERSION
from colosseum.run.trial import Listed, Trial
from colosseum.run.turn import matches

NOTHING: Final = object()  # a decision that a source does not hold
WORDS = {"true": True, "false": False}
SKIPPED = ("skip", "none", "", None)  # how sources write that an agent opts out
SPAN = re.compile(r"\A(\d+)-(\d+)\Z")  # how sources write a pair of numbers, from when to when


@dataclass(frozen=True)
class TraceMapping:
    """The entries of a `trace from` statement; without them, names are as they stand."""

    mapped: tuple[syntax.Mapped, ...] = ()
    held: dict[str, None] = field(default_factory=dict)
    """Fields that readers found in any run."""

    def of(self, kind: str) -> Iterator[tuple[list[str], syntax.Expr]]:
        """The entries that begin with a word, in declared order: `pick[a, t]` as its names, and what it is."""
        entries = (each for each in self.mapped if each.kind == kind)
        return ((list(each.what.mentions) if each.what else [], each.source) for each in entries)

    def value(self, kind: str, fields: Fields, default: str | None = None) -> Any:
        """What the first entry of a kind comes to, else the field `default`."""
        return next((evaluate(source, fields) for _, source in self.of(kind)), fields.get(default or kind))

    def read(self, kind: str) -> list[str]:
        """The names of the fields that the entries of a kind read."""
        return [name for _, source in self.of(kind) for name in source.mentions if name not in WORDS]

    def column(self, kind: str, default: str) -> str:
        """The field that the first entry names which names a field alone."""
        return next((source.id for _, source in self.of(kind) if isinstance(source, syntax.Name)), default)

    def check(self, agents: Collection[str]) -> None:
        """Raise ColosseumError at a name that is no agent of the scenario, or no field of any run that was read."""
        for each in self.mapped:
            name, *keys = each.what.mentions if each.what else ("",)
            read, known = [n for n in walk(each.source) if isinstance(n, syntax.Name)], {*self.held, *WORDS, *keys}
            if each.kind == "agent" and each.what:
                every = isinstance(each.source, syntax.Name) or name in (node.id for node in read)  # `a is names[a]`
                numbered = any(agent.removeprefix(name).isdecimal() for agent in agents)  # `engineer[k] is names[k]`
                if not (numbered if keys else every or name in agents):
                    help_ = meant(name, "agents", agents)
                    raise ColosseumError(report("C041", each.what.span, f"there is no agent `{name}`", help=help_))
                known.add(name)
            if unheld := next((node for node in read if self.held and node.id not in known), None):
                help_ = meant(unheld.id, "a text stands in quotes; fields", self.held)
                raise ColosseumError(report("C041", unheld.span, f"the source has no field `{unheld.id}`", help=help_))


def evaluate(expr: syntax.Expr, fields: Fields, absent: Any = None) -> Any:
    """An expression over a run's fields, `absent` where it reads what they lack. Raises ColosseumError on any other."""
    match expr:
        case syntax.Number(value=value) | syntax.Text(value=value) | syntax.Switch(on=value):
            return value
        case syntax.NoneLiteral():
            return None
        case syntax.Name(id=name):
            return fields.get(name, WORDS.get(name, absent))
        case syntax.Lookup(base=base, keys=keys):
            return _looked_up(evaluate(base, fields, absent), [evaluate(key, fields) for key in keys], absent)
        case syntax.Negation(operand=operand):
            return not holds(operand, fields)
        case syntax.Logical(operator=word, left=left, right=right):
            return (all if word == "and" else any)(holds(side, fields) for side in (left, right))
        case syntax.Comparison(operands=operands, operators=operators) if {*operators} <= COMPARED.keys():
            parts = [evaluate(operand, fields, absent) for operand in operands]
            links = zip(operators, parts, parts[1:], strict=False)
            return NOTHING if NOTHING in parts else all(_compared(*link) for link in links)
        case syntax.Arithmetic(operator="+" | "-" as sign, left=left, right=right):
            one, other = number(evaluate(left, fields)), number(evaluate(right, fields))
            known = isinstance(one, int | float) and isinstance(other, int | float)
            return (one + other if sign == "+" else one - other) if known else absent
    help_ = "it has names, texts, numbers, comparisons, `and`, `or`, `not`, `+` and `-`"
    raise ColosseumError(report("C011", expr.span, "a mapping compares fields; it computes only sums", help=help_))


def _looked_up(found: Any, keys: list[Any], absent: Any) -> Any:
    """By one key after the other; a source may also have joined them by `__`."""
    if isinstance(found, dict) and (joined := "__".join(map(str, keys))) in found:
        return found[joined]
    for key in keys:
        if isinstance(found, dict):
            found = found.get(key, found.get(str(key), absent))
        elif isinstance(found, list | tuple) and isinstance(key, int) and 1 <= key <= len(found):
            found = found[key - 1]
        else:
            return absent
    return found


def _compared(sign: str, left: Any, right: Any) -> bool:
    """Null equals nothing but null; where one side is no text, texts of numbers and truths are meant as such."""
    if isinstance(left, str) != isinstance(right, str):
        left, right = (WORDS.get(e.lower(), number(e)) if isinstance(e, str) else e for e in (left, right))
    with suppress(TypeError):
        return bool(COMPARED[sign](left, right))
    return False


def number(found: Any) -> Any:
    """A text of a number as one; all else as it stands, as does `1_000`, which Python reads."""
    with suppress(ValueError):
        return float(found) if isinstance(found, str) and "_" not in found else found
    return found


def whole(found: Any) -> int | None:
    """A whole number, also as a text or a float; None of all else."""
    digits = str(number(found)).removesuffix(".0")
    return int(digits) if digits.isdecimal() else None


def holds(expr: syntax.Expr, fields: Fields) -> bool:
    """Whether a condition on a run's fields is true."""
    found = evaluate(expr, fields)
    return found is True or (isinstance(found, str) and found.lower() == "true")


@dataclass(frozen=True)
class ForeignTrace:
    """A foreign run by the names of the scenario. Raises Refusal where it does not fit."""

    mapping: TraceMapping
    run: ForeignRun
    trial: Trial
    reader: str

    @cached_property
    def foreign(self) -> dict[str, str]:
        """By agent of the scenario, its name in the source."""
        given = {a: self._foreign(a) if self.run.models else a for a in self.trial.stage.scenario.task.agents}
        if nameless := [agent for agent, name in given.items() if name is None]:
            raise Refusal(f"the source does not say who `{nameless[0]}` is")
        found = {agent: str(name) for agent, name in given.items()}
        if len({*found.values()}) < len(found):
            raise Refusal("two agents of the scenario have one name in the source")
        return found

    def _foreign(self, agent: str) -> Any:
        every = self.trial.stage.scenario.task.agents  # the entry of an agent goes before one that is of all
        for (name, *keys), source in sorted(self.mapping.of("agent"), key=lambda each: each[0][0] not in every):
            number = agent.removeprefix(name)
            if keys and agent != number and number.isdecimal():
                return evaluate(source, {**self.run.fields, keys[0]: int(number)})
            if not keys and name == agent:
                return evaluate(source, self.run.fields)
            if not keys and name not in every:  # `a is participant`: as they stand
                return agent if isinstance(source, syntax.Name) else evaluate(source, {**self.run.fields, name: agent})
        return agent

    @cached_property
    def ours(self) -> dict[str, str]:
        """By name in the source, the agent of the scenario."""
        return {name: agent for agent, name in self.foreign.items()}

    def agent(self, name: str) -> str:
        """An agent by its name in the source."""
        if name not in self.ours:
            near = meant(name, "agents", [*filter(self.foreign.get, self.ours)] or self.foreign)
            raise Refusal(f"`{name}` is not an agent of the scenario; {near}; or `agent NAME is \"{short(name)}\"`")
        return self.ours[name]

    @cached_property
    def channels(self) -> dict[str, dict[str, Json]]:
        """By name in the source, with the scenario's members where it names none; then also the others of the arm."""
        stage, everybody, found = self.trial.stage, {*self.foreign}, dict[str, dict[str, Json]]()
        live = {c.name: c for c in (*stage.scenario.channels, *stage.channels)}
        public = next((c.name for c in stage.channels if not c.secret and everybody == {*c.members}), None)
        mapped = {str(evaluate(each, self.run.fields)): ours for (ours, *_), each in self.mapping.of("channel")}
        used = self.run.channels  # of a source that names no members only those with posts
        known = {mapped.get(theirs, theirs) for theirs in used} if all(n is None for n, _ in used.values()) else live
        silent = {c.name: (None, c.secret) for c in stage.channels if c.name not in known}
        for theirs, (named, secret) in {**used, **silent}.items():
            people = None if named is None else [self.agent(name) for name in named]
            name = mapped.get(theirs, theirs)
            if public and name not in live and not secret and everybody == {*(people or ())}:
                name = public
            ours = live.get(name)
            if people is None and ours is None:
                words = f"`{name}` is no channel of the scenario, and the source does not say its members"
                raise Refusal(f"{words}; {meant(name, 'channels', live)}")
            members: list[Json] = [*(ours.members if people is None and ours else people or ())]
            found[theirs] = {"name": name, "members": members, "secret": ours.secret if ours else secret, "wire": None}
        return found

    @cached_property
    def decisions(self) -> dict[str, Value]:
        """By variable, the decisions that the source holds."""
        return self._decided(self.run.fields)

    @cached_property
    def taken(self) -> dict[str, Value]:
        """By variable, the decisions that agents took; those drawn for them count where `fills is true`."""
        all_count = not self.run.taken or self.mapping.value("fills", {}) is True
        return self.decisions if all_count else self._decided({**self.run.fields, **self.run.taken})

    def _decided(self, fields: Fields) -> dict[str, Value]:
        told, variables = fields.get("decisions") or {}, self.trial.stage.scenario.task.variable
        if (strange := next((name for name in told if name not in variables), None)) is not None:
            raise Refusal(f"`{strange}` is not a variable of the scenario; {meant(strange, 'variables', variables)}")
        given = ((v, told[v.name] if v.name in told else self._given(v, fields)) for v in variables.values())
        return {v.name: self._within(v, value) for v, value in given if value is not NOTHING}

    def _given(self, variable: Variable, fields: Fields) -> Any:
        base, *indices = variable.name.removesuffix("]").replace("[", ", ").split(", ")
        own = self.run.own.get(self.foreign[variable.owner], {}) if self.run.own else fields  # of nobody else
        for (name, *keys), source in self.mapping.of("decide"):
            if name == base:
                bound = {key: self.foreign.get(index, index) for key, index in zip(keys, indices, strict=False)}
                return evaluate(source, {**own, **bound}, NOTHING)
        return NOTHING

    def _within(self, variable: Variable, given: Any) -> Value:
        given = self.ours.get(given, given) if isinstance(given, str) else given
        if given in SKIPPED and None in variable.domain:
            return None
        interval = SPAN.sub(r"(\1, \2)", given) if isinstance(given, str) else given
        for value in variable.domain:
            if matches(given, value) or matches(interval, value):
                return value
        words, domain = f"`{variable.name}` is `{given}`, which is not in its domain", [*map(str, variable.domain)]
        raise Refusal(f"{words}; {meant(str(given), 'its values', domain)}")

    @cached_property
    def start(self) -> dict[str, Json]:
        """What the run is: its identity is the SHA-256 of this."""
        pairs = (*self.foreign.items(), *((str(own["name"]), name) for name, own in self.channels.items()))
        names: dict[str, Json] = {ours: theirs for ours, theirs in pairs if ours != theirs}
        imported: dict[str, Json] = {
            "reader": self.reader, "source": short(self.run.name), "files": dict(self.run.files),
            "missing": [*self.run.missing], "reported": dict(self.run.reported), **({"names": names} if names else {}),
        }  # fmt: skip
        stated = str(self.mapping.value("model", {}) or "unknown")  # as in `model is "gpt-4o"`
        ours: dict[str, Json] = {"models": {}, "wordings": {}, "templates": None, "coupled": False}
        ours["players"] = {a: short(self.run.models.get(name) or stated) for a, name in self.foreign.items()}
        return self.trial.description() | ours | {"imported": imported}

    @cached_property
    def listed(self) -> Listed:
        """As a folder lists it."""
        identity, players = hashlib.sha256(encode(self.start).encode()).hexdigest(), cast(Any, self.start["players"])
        told = self.mapping.value("model", self.run.fields, "model_label")
        model = short(told) if isinstance(told, str) else ", ".join(sorted({*players.values()}))
        return replace(self.trial.listed, trial=identity, model=model, players=players)

    @property
    def summary(self) -> ImportedRun:
        """What is told of it."""
        listed, variables = self.listed, self.trial.stage.scenario.task.variables
        names = {theirs: str(own["name"]) for theirs, own in self.channels.items()}
        sent = Counter(names[e.channel] for e in self.run.said if not e.failed and e.channel is not None)
        channels = [*names.values(), *(name for (name, *_), _ in self.mapping.of("channel"))]
        return ImportedRun(
            short(self.run.name), "new", "", listed.trial, listed.arm, listed.seed, listed.repeat, listed.model,
            sent.total(), {name: sent[name] for name in channels}, len(self.taken),
            len(self.decisions) - len(self.taken), self.run.missing,
            tuple(v.name for v in variables if "decisions" not in self.run.missing and v.name not in self.taken),
        )  # fmt: skip

    def events(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """All of its trace."""
        task, run = self.trial.stage.scenario.task, self.run
        for name in run.models:
            self.agent(name)
        yield "start", {"version": VERSION, "trial": self.listed.trial, **self.start}
        order = None if run.order is None else [self.agent(name) for name in run.order]
        if order is not None and sorted(order) != sorted(task.agents):
            raise Refusal("its turn order does not have every agent once")
        yield "order", {"agents": order}
        theirs = None if run.coalition is None else sorted({self.agent(name) for name in run.coalition})
        ours = [sorted(each.members) for each in self.trial.stage.scenario.coalitions[:1]]
        if theirs is not None and ours and ours != [theirs]:
            raise Refusal(f"its coalition is {', '.join(theirs)}, that of the scenario {', '.join(ours[0])}")
        yield "channels", {"channels": list(self.channels.values())}
        for agent in (agent for agent in task.agents if self.foreign[agent] in run.told):
            yield "briefing", {"agent": agent, "texts": list(run.told[self.foreign[agent]])}
        last = self.trial.stage.conditions.settings.rounds + 1
        yield from self._said(last)
        for name, value in self.taken.items():
            owner = task.variable[name].owner
            yield _reply(owner, "execution", last)
            yield "decide", {"agent": owner, "round": last, "variable": name, "value": plain(value)}
        decided = "decisions" not in run.missing
        held = all(v.name in self.decisions or (decided and None in v.domain) for v in task.variables)
        realised = {v.name: plain(self.decisions.get(v.name)) for v in task.variables} if held else None
        yield "outcome", {"assignment": realised, "undecided": list(self.summary.undecided)}
        yield "end", {"status": "complete"}

    def _said(self, last: int) -> Iterator[tuple[str, dict[str, Any]]]:
        numbers = count(1)
        for each in self.run.said:
            if (each.round or 0) > last:
                raise Refusal(f"it has {each.round} rounds, the experiment {last - 1}: set `rounds {each.round}` there")
            phase = "planning" if each.round != 0 else "execution"
            about = {"agent": self.agent(each.agent), "round": last if each.round == 0 else each.round}
            if each.usage is None and each.channel is None:
                yield "thought", {**about, "phase": phase, "kind": "text", "text": each.text}
            reply, told = _reply(about["agent"], phase, about["round"], each.usage)
            asked = {"id": "", "tool": "post", "arguments": {"channel": each.channel, "text": each.text}}
            yield reply, told | {"calls": [asked] * bool(each.failed)}
            if each.channel is not None and each.failed:
                yield "mistake", {**about, "tool": "post", "kind": "unknown_channel", "message": each.failed}
            elif each.channel is not None:
                channel = self.channels[each.channel]["name"]
                yield "post", {"number": next(numbers), **about, "channel": channel, "text": each.text}


def _reply(agent: Any, phase: str, when: Any, usage: Fields | None = None) -> tuple[str, dict[str, Any]]:
    """A turn, in which what follows was done."""
    about: dict[str, Any] = {"calls": [], "note": "", "finish": "tool_calls", "usage": usage}
    return "reply", {"agent": agent, "phase": phase, "round": when, **about}
