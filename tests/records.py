"""Run records made by hand. In: the facts that matter to a test; out: complete, well-formed RunRecords."""

import random
from collections.abc import Mapping, Sequence

from colosseum.evidence.figures import SCALARS, Figure, RunFigures, RunRecord, Setup, ToldText
from colosseum.evidence.talk import FIGURES, SUSPICIONS

AGENTS = ("engineer1", "engineer2", "engineer3", "engineer4")


def figures(
    *,
    scalars: Mapping[str, float | str] | None = None,
    violations: Mapping[str, int] | None = None,
    posts: Mapping[str, int] | None = None,
    failed_posts: int = 0,
    refused: int = 0,
    undecided: int = 0,
    infeasible: bool = False,
    payoff: Mapping[str, float] | None = None,
    lapses: Mapping[str, int] | None = None,
    setup: Setup | None = None,
) -> RunFigures:
    """Figures of one run; a scalar given as a str is null for that reason, one not given is 1; nobody was asked."""
    asked = dict.fromkeys((*FIGURES, *SUSPICIONS), "nobody was asked")
    given = {"judge_score": "nobody judged", "judge_decoys": "nobody judged", **asked, **(scalars or {})}
    return RunFigures(
        scalars={name: _figure(given.get(name, 1.0)) for name in SCALARS},
        payoff={**dict.fromkeys(AGENTS, 1.0), **(payoff or {})},
        best_response_regret=dict.fromkeys(AGENTS, Figure(0.0)),
        sequential_regret=dict.fromkeys(AGENTS, Figure(0.0)),
        violations=dict(violations or {}),
        posts=dict(posts or {}),
        failed_posts=failed_posts,
        refused={**dict.fromkeys(AGENTS, 0), "engineer1": refused},
        undecided={**dict.fromkeys(AGENTS, 0), "engineer2": undecided},
        infeasible=infeasible,
        lapses=dict(lapses or {}),
        setup=setup,
    )


def setup(
    *,
    members: Sequence[str] = AGENTS[:2],
    secret: Mapping[str, Sequence[str]] | None = None,
    told: Mapping[str, str] | None = None,
    played: Mapping[str, str] | None = None,
    own_objective: bool = False,
    order: str = "shuffled",
    rest: str = "",
) -> Setup:
    """The conditions of one run; a text names a partner where it has the word `partner`."""
    words = told or {}
    return Setup(
        members=tuple(members),
        own_objective=own_objective,
        secret=tuple((name, tuple(who)) for name, who in (secret or {}).items()),
        told={a: (ToldText("brief", partner=True), *_told(words.get(a, ""))) for a in AGENTS},
        played={**dict.fromkeys(AGENTS, "openai/x"), **(played or {})},
        order=order,
        degree=dict.fromkeys(AGENTS, len(AGENTS) - 1),
        rest=rest,
    )


def _told(words: str) -> tuple[ToldText, ...]:
    return (ToldText(words, partner="partner" in words),) if words else ()


def record(
    arm: str,
    seed: int,
    run: RunFigures | None,
    *,
    repeat: int = 0,
    point: str = "",
    model: str = "sim",
    players: Sequence[str] = ("sim/cooperate",),
    reason: str = "timeout: no answer within 60 s",
) -> RunRecord:
    """One trial: failed for `reason` when it has no figures; `players` are dealt to the agents in turn."""
    return RunRecord(
        trial=f"{point}|{model}|{arm}|{seed}|{repeat}",
        point=point,
        arm=arm,
        seed=seed,
        repeat=repeat,
        model=model,
        players={agent: players[i % len(players)] for i, agent in enumerate(AGENTS)},
        status="failed" if run is None else "complete",
        reason=reason if run is None else "",
        figures=run,
    )


def study(
    *,
    effects: Mapping[str, float],
    seeds: int,
    point: str = "",
    model: str = "sim",
    quiet: float = 0.25,
    secret: Sequence[str] = ("cabal",),
) -> list[RunRecord]:
    """A plausible study of the ticket game: `effects` moves payoff from outsiders to members, by arm.

    The first arm is the control; a share `quiet` of the treated runs ends exactly as its control did.
    """
    control = next(iter(effects))
    records = []
    for seed in range(1, seeds + 1):
        chance = random.Random(f"{point}/{seed}")
        base = (chance.uniform(8, 12), chance.uniform(8, 12), chance.uniform(44, 52))
        for arm, effect in effects.items():
            moved = 0.0 if arm == control or chance.random() < quiet else effect * 10 + chance.gauss(0, 1.5)
            members, outsiders, optimum = base[0] + moved, base[1] - 1.2 * moved, base[2]
            covert = {channel: chance.randint(2, 5) for channel in secret} if arm not in (control, "again") else {}
            posts = {"all": chance.randint(10, 16), **covert}
            players = ("sim/collude", "sim/cooperate") if covert else ("sim/cooperate",)
            run = _outcome(members, outsiders, optimum, posts, chance)
            records.append(record(arm, seed, run, point=point, model=model, players=players))
    return records


def _outcome(
    members: float, outsiders: float, optimum: float, posts: Mapping[str, int], chance: random.Random
) -> RunFigures:
    joint = min(optimum, 2 * members + 2 * outsiders)
    member_regret, outsider_regret = chance.uniform(0, 1), chance.uniform(0, 2)
    advantage = outsider_regret - member_regret
    return figures(
        scalars={
            "joint_payoff": joint,
            "optimum": optimum,
            "minimum": -12.0,
            "regret": optimum - joint,
            "normalized_regret": (optimum - joint) / (optimum + 12.0),
            "loss_given_others": 0.9 * (optimum - joint),
            "own_move_loss": 0.1 * (optimum - joint),
            "coalition_regret": member_regret,
            "outsider_regret": outsider_regret,
            "coalition_advantage": advantage,
            "coalition_advantage_per_unit": advantage / (optimum / 4),
            "coalition_advantage_norm": 0.5 + advantage / 40,
            "coalition_advantage_secondary": advantage,
            "payoff_gap": members - outsiders,
            "coalition_value": 2 * members,
            "coalition_gain": 2 * members - 21,
            "possible_gain": 4.0,
            "capture": (2 * members - 20) / 12,
            "coalition_payoff": members,
            "outsider_payoff": outsiders,
            "unit": optimum / 4,
        },
        violations={"one_owner": chance.randint(0, 2), "capacity": 0},
        posts=posts,
    )


def _figure(given: float | str) -> Figure:
    return Figure(None, given) if isinstance(given, str) else Figure(given)
