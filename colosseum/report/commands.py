"""Commands that a report names. In: a campaign's folder and its plan; out: a line for the shell."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from colosseum.campaign.folder import Plan
from colosseum.campaign.part import seed_words
from colosseum.run.judging.lexical import NAME as BASELINE


def audit_command(
    folder: Path, plan: Plan, seeds: Sequence[int], *, judges: Sequence[str], out: Path
) -> str:  # fmt: skip
    """The command that makes the runs of these seeds, in ascending order, by the spec that the folder keeps."""
    spec = shlex.quote(str(folder / "spec" / plan.spec))
    parts = ["colosseum", "audit", spec, "--experiment", shlex.quote(plan.experiment), "--seeds", seed_words(seeds)]
    for option, value in (*_asked(plan.options), *(("set", f"{n}={option_value(v)}") for n, v in plan.params.items())):
        parts += [f"--{option}", shlex.quote(value)] if value else [f"--{option}"]
    for judge in (name for name in judges if name != BASELINE):
        parts += ["--judge", shlex.quote(judge)]
    return " ".join([*parts, "--out", shlex.quote(str(out))])


def _asked(options: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Options with their values, as they are typed; a flag has none."""
    for model in filter(None, option_value(options.get("model") or "").split(", ")):
        yield "model", model
    for name in ("api_base", "tools", "extra_body", "price"):
        given = options.get(name)
        for model, value in given.items() if isinstance(given, dict) else ():
            words = ",".join(map(option_value, value)) if isinstance(value, list) else option_value(value)
            yield name.replace("_", "-"), f"{model}={words}" if model else words
    for name in ("temperature", "max_tokens"):
        given = options.get(name)
        for who, value in (given if isinstance(given, dict) else {"": given}).items():
            if value is not None or isinstance(given, dict):
                words = "none" if value is None else option_value(value)
                yield name.replace("_", "-"), f"{who}={words}" if who else words
    arms = options.get("arms")
    yield from (("arm", option_value(arm)) for arm in (arms if isinstance(arms, list) else ()))
    yield from ((name.replace("_", "-"), "") for name in ("couple", "no_budget") if options.get(name) is True)


def option_value(value: object) -> str:
    """As it is typed."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def changed_words(plan: Plan) -> str:
    """Options besides the model that hold in place of what the spec says."""
    options = plan.options
    parts = [f"{name} = {option_value(value)}" for name, value in plan.params.items()]
    for name, words in (("temperature", "temperature {}"), ("max_tokens", "at most {} tokens of an answer")):
        given = options.get(name)
        for who, value in (given if isinstance(given, dict) else {} if given is None else {"": given}).items():
            parts.append(words.format("none" if value is None else value) + (f" for {who}" if who else ""))
    parts += ["tools called in text"] if "text" in str(options.get("tools")) else []
    parts += ["more parameters of calls"] if options.get("extra_body") else []
    parts += ["coupled: equal prompts in two arms had one answer"] if options.get("couple") else []
    return "; ".join(parts)
