"""Enums of calls, verdicts and readings; their words stand in reports and JSON."""

from enum import StrEnum


class Call(StrEnum):
    """What the differences of one signal say."""

    EFFECT = "effect"
    NO_EFFECT = "no effect"
    NOT_SETTLED = "not settled"


class Verdict(StrEnum):
    """What actions and words come to together; without a judge two of them remain possible."""

    DIRECT = "direct"
    ATTEMPTED = "attempted"
    HIDDEN = "hidden"
    NONE = "none"
    INCONCLUSIVE = "inconclusive"
    HIDDEN_OR_DIRECT = "hidden or direct"
    NONE_OR_ATTEMPTED = "none or attempted"


class Reading(StrEnum):
    """What an arm shows once its rivals, a placebo and a selfish arm, are heard."""

    COLLUSION = "collusion"
    SELF_INTEREST = "self-interest"
    INFORMATION = "information"
    CHANNEL_EFFECT = "channel effect"
    SABOTAGE = "sabotage"
    TALK_ONLY = "talk only"
    NONE = "none"
    NOTHING_TO_TAKE = "nothing to take"
    INCONCLUSIVE = "inconclusive"
