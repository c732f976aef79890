"""The labelled set, made. In: a seed; out: cases, each a transcript, a focal pair and whether that pair colludes.

Cases come in groups: one instance, one voice, one layout of posts, and in these one case of every stratum. So all that
can be counted without reading (channels, who is in them, posts in each, authors, length within 10 %) is equal in
positives and negatives, and only what is said differs. Every figure that somebody quotes is the instance's own, but
where a claim is meant to be untrue.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Final, TypeVar

from colosseum.campaign.known_cases import NEGATIVE, POSITIVE, KnownCase
from colosseum.model import draws
from colosseum.run.judging.transcript import Said, Transcript
from labelled_set.instances import DOMAINS, Casting, instances
from labelled_set.wording import Family, Script, Speaker, families, said

T = TypeVar("T")
STRATA: Final = (*POSITIVE, *NEGATIVE)
CARRIED_OUT: Final = ("euphemistic", "split", "false_claim")
"""Strata in which A and B take x and y in the end."""
INSTANCES: Final = 8
"""Of each domain for a family; the family held out has as many."""
TOLERANCE: Final = (0.965, 1.02)
"""Lengths in a group, as shares of the longest before small talk is added to all."""
SMALL_TALK: Final = 2
"""Sentences that are added to every case."""
SENTENCE: Final = 60
"""Characters of one, about."""
MOST_STEPS: Final = 200


@dataclass(frozen=True)
class MadeCase(KnownCase):
    """A case with what it was made of."""

    instance: Casting


@dataclass(frozen=True)
class SpeakingPlace:
    """Where and by whom something is said."""

    round: int
    channel: int
    """0 is everybody's, others are the pair's own."""
    part: str
    kind: str
    """`aside 1` and on, `talk 1` and on, `opening`, `reaction` or `closing`."""


@dataclass(frozen=True)
class TwinGroup:
    """What the twins have in common; by turns each script is heard as often."""

    key: str
    turn: int
    instance: Casting
    family: Family
    numbers: Mapping[str, int]
    channels: Mapping[int, int]
    """Numbers of channels as they are shown."""
    places: tuple[SpeakingPlace, ...]


@cache
def made_cases(*, seed: int = 1, per_domain: int = INSTANCES) -> tuple[MadeCase, ...]:
    """The whole set, `per_domain` groups of each family and domain; equal for equal arguments."""
    found: list[MadeCase] = []
    for domain in DOMAINS:
        known = list(instances(domain, seed=1000 * seed, number=per_domain * len(families())))
        for place, family in enumerate(families()):
            for turn, instance in enumerate(known[place :: len(families())]):
                found += _group_cases(_group(seed, instance, family, turn))
    return tuple(found)


def lines(made: Sequence[MadeCase]) -> Iterator[str]:
    """The cases as the file that ships has them."""
    for case in made:
        said, own = case.transcript, {each.name: getattr(case, each.name) for each in fields(KnownCase)}
        own["transcript"] = [said.agents, said.channels, [[p.round, p.channel, p.author, p.text] for p in said.posts]]
        yield json.dumps(own, ensure_ascii=False)


def _group(seed: int, instance: Casting, family: Family, turn: int) -> TwinGroup:
    key = draws.key(seed, "calibration", (family.name, instance.domain.name, instance.seed))
    order = draws.shuffle(draws.key(0, key, ("agents",)), instance.agents)
    numbers = {str(name): number for number, name in enumerate(order, start=1)}
    places = _layout(draws.key(0, key, ("layout",)), extra=len(instance.agents) - 5)
    used = sorted({place.channel for place in places})
    shown = draws.shuffle(draws.key(0, key, ("channels",)), tuple(range(1, len(used) + 1)))
    channels = dict(zip(used, map(int, map(str, shown)), strict=True))
    return TwinGroup(key, turn + len(instance.domain.name), instance, family, numbers, channels, places)


def _layout(key: str, *, extra: int) -> tuple[SpeakingPlace, ...]:
    """Who posts where, in order: the pair aside four times or six, in one channel or two, and everybody in public."""

    def some(name: str, low: int, high: int) -> int:
        return draws.integer(draws.key(0, key, (name,)), low, high)

    def turns(name: str, parts: str) -> str:
        return "".join(map(str, draws.shuffle(draws.key(0, key, (name,)), tuple(parts))))

    second = some("second channel", 1, 2)
    open_to = "ABCD" + ("E" if some("opening", 0, 1) else "")
    react = "AC" + "BDE"[: some("reaction", 0, 2 + min(extra, 1))]
    close = "AB" + "CDE"[: some("closing", 1, 3)]
    places = [SpeakingPlace(1, 0, part, "opening") for part in turns("open", open_to)]
    places += [SpeakingPlace(2, 1, part, f"aside {n}") for n, part in enumerate("AB", start=1)]
    places += [SpeakingPlace(2, 0, part, "reaction") for part in turns("react", react)]
    places += [SpeakingPlace(3, second, part, f"aside {n}") for n, part in enumerate("AB", start=3)]
    if some("small talk", 0, 1):
        places += [SpeakingPlace(3, 1, part, f"talk {n}") for n, part in enumerate("AB", start=1)]
    return (*places, *(SpeakingPlace(4, 0, part, "closing") for part in turns("close", close)))


def _group_cases(group: TwinGroup) -> list[MadeCase]:
    """One case of every stratum; small talk makes the shorter ones as long as the longest, aside and in public."""
    texts = {stratum: _texts(group, stratum) for stratum in STRATA}
    lengths = [_lengths(group, posts) for posts in texts.values()]
    longest = (max(public for public, _ in lengths), max(aside for _, aside in lengths))
    total = max(map(sum, lengths)) + SMALL_TALK * SENTENCE
    return [_case(group, s, _talkative(group, s, texts[s], longest, total)) for s in STRATA]


def _lengths(group: TwinGroup, texts: Sequence[str]) -> tuple[int, int]:
    """Characters in public and aside."""
    aside = sum(len(text) for place, text in zip(group.places, texts, strict=True) if place.channel)
    return sum(map(len, texts)) - aside, aside


def _case(group: TwinGroup, stratum: str, texts: Sequence[str]) -> MadeCase:
    instance, family = group.instance, group.family
    pair = instance.pair
    everybody = tuple(sorted(group.numbers.values()))
    aside = tuple(sorted(group.numbers[agent] for agent in pair))
    channels = dict(sorted((shown, aside if channel else everybody) for channel, shown in group.channels.items()))
    posts = tuple(
        Said(place.round, group.channels[place.channel], group.numbers[instance.parts[place.part]], text, text)
        for place, text in zip(group.places, texts, strict=True)
    )
    name = f"{family.name}-{instance.domain.name}-{instance.seed}"
    return MadeCase(
        f"{name}-{stratum}", name, f"{family.name}-{stratum}-{group.turn % len(family.scripts[stratum])}", stratum,
        family.name, family.held_out, int(stratum in POSITIVE), Transcript(group.numbers, channels, posts), pair,
        instance,
    )  # fmt: skip


def _texts(group: TwinGroup, stratum: str) -> list[str]:
    """What is said at each place, without small talk."""
    key = draws.key(0, group.key, (stratum,))
    script = group.family.scripts[stratum][group.turn % len(group.family.scripts[stratum])]
    talk = _drawn(group.family.scripts["aside"], draws.key(0, key, ("talk",)))
    used: set[str] = set()
    texts = []
    for number, place in enumerate(group.places):
        here = draws.key(0, key, (number,))
        template = _template(group.family, script, talk, place, here, used)
        used.add(template)
        speaker = _speaker(group, stratum, place, here)
        if template in group.family.banks.get(place.kind, ()):
            speaker = replace(speaker, claims=_claims(group.instance, stratum, place))
        texts.append(said(template, speaker, here, lower=group.family.lower))
    return texts


def _template(family: Family, script: Script, talk: Script, place: SpeakingPlace, key: str, used: set[str]) -> str:
    """The script's words where it has some, else a sentence of the bank that was not said yet."""
    kind, _, turn = place.kind.partition(" ")
    if kind in ("aside", "talk"):
        return (script if kind == "aside" else talk).aside[int(turn) - 1]
    scripted = {"reaction": 2, "closing": 3}.get(kind, 1), place.part
    if scripted in script.public:
        return script.public[scripted]
    bank = family.banks[kind]
    return _drawn([line for line in bank if line not in used] or bank, key)


def _speaker(group: TwinGroup, stratum: str, place: SpeakingPlace, key: str) -> Speaker:
    """Who speaks, and what a sentence of a bank is about."""
    instance, part = group.instance, place.part
    me, parts = instance.parts[part], instance.parts
    mine = parts[_choice(stratum, part, final=place.kind == "closing")]
    if place.kind == "opening":
        mine = parts[{"C": "x", "D": "y"}.get(part, _choice(stratum, part, final=False))]
    spare = [t for t in instance.items if t not in (mine, parts["x"], parts["y"])]
    dearer = [t for t in spare if instance.figure[me, t] > instance.figure[me, mine]]
    second = _drawn(dearer or spare, draws.key(0, key, ("second",)))
    about = [agent for agent in instance.agents if place.channel == 0 or agent not in instance.pair]
    other = _drawn([agent for agent in about if agent != me], draws.key(0, key, ("other",)))
    extra = {"mine": mine, "u": mine, "v": second, "other": other}
    if place.kind in ("opening", "reaction", "closing") and part not in "AB":
        extra["w"] = second
    return Speaker(instance, me, group.numbers, extra)


def _claims(instance: Casting, stratum: str, place: SpeakingPlace) -> dict[str, float]:
    """What A sticks to in public: the false claim, and the mistaken figure until it is corrected."""
    if place.part != "A" or place.channel:
        return {}
    if stratum == "false_claim":
        return {instance.parts["x"]: instance.false}
    return {instance.parts["a"]: instance.wrong} if stratum == "honest_error" else {}


def _choice(stratum: str, part: str, *, final: bool) -> str:
    """The part of the item that somebody means to take, before the pair has talked and in the end."""
    if stratum == "helpful_swap" and part in "AB":
        return {"A": "pq", "B": "qp"}[part][final]
    bent = final and stratum in CARRIED_OUT
    return {"A": "ax", "B": "by", "C": "xw", "D": "ya", "E": "wb"}[part][bent]


def _talkative(
    group: TwinGroup, stratum: str, texts: Sequence[str], longest: tuple[int, int], total: int
) -> list[str]:  # fmt: skip
    """The posts with small talk, so much that all of a group are equally long.

    It goes where more is missing, in public or aside, against the longest of the group.
    """
    key, spoken, found = draws.key(0, group.key, (stratum, "small talk")), set[str](), list(texts)
    for step in range(MOST_STEPS):
        lengths = _lengths(group, found)
        if step >= SMALL_TALK and sum(lengths) >= TOLERANCE[0] * total:
            break
        here = draws.key(0, key, (step,))
        aside = lengths[1] / longest[1] < lengths[0] / longest[0]
        if step % 4 == 3:  # what fits best may have been said already
            aside = not aside
        fitting = [n for n, place in enumerate(group.places) if bool(place.channel) is aside]
        place = _drawn(fitting, draws.key(0, here, ("place",)))
        more = _small_talk(group, stratum, place, here, spoken)
        if more and sum(lengths) + len(more) + 1 <= TOLERANCE[1] * total:
            found[place] = f"{found[place]} {more}"
    return found


def _small_talk(group: TwinGroup, stratum: str, number: int, key: str, spoken: set[str]) -> str:
    """A sentence for one place that was not said in this case; empty where all were."""
    place, family = group.places[number], group.family
    left = [line for line in family.banks["filler side" if place.channel else "filler public"] if line not in spoken]
    if not left:
        return ""
    template = _drawn(left, key)
    spoken.add(template)
    return said(template, _speaker(group, stratum, place, key), key, lower=family.lower)


def _drawn(options: Sequence[T], key: str) -> T:
    return options[draws.integer(key, 0, len(options) - 1)]
