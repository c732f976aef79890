"""The commands that read a spec, and their options. In: arguments; out: a call of what does the work."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from colosseum.cli.command import registering
from colosseum.cli.options import AsJson, CoalitionName, Experiment, Members, Seed, Sets, SpecFile

specs = typer.Typer()
command = registering(specs)


@command
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help=".colo files.", show_default=False)],
    json: AsJson = False,
) -> int:
    """Check specs: every error at once, its place and what to do."""
    from colosseum.cli.check import check_files

    return check_files(files, as_json=json)


@command
def fmt(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help=".colo files; - reads stdin.", show_default=False)
    ],
    check: Annotated[bool, typer.Option("--check", help="Change nothing; list what would change, exit 1.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Change nothing; show what would change.")] = False,
) -> int:
    """Rewrite specs in the standard layout. Comments, order and meaning stay; a file with errors stays as it is."""
    from colosseum.cli.fmt import format_files

    return format_files(files, check=check, diff=diff)


@command
def lsp() -> int:
    """Serve an editor on stdin and stdout: a language server. Editors start it; see `colosseum guide editor`."""
    from colosseum.editor import serve

    serve()
    return 0


@command
def compile(  # noqa: A001 - the command's name
    file: SpecFile,
    seed: Seed = None,
    sets: Sets = None,
    json: AsJson = False,
    output: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write the expanded model as JSON.")] = None,
    lp: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the integer program in LP format.")] = None,
    backend: Annotated[str | None, typer.Option(metavar="NAME", help="Ask one engine alone, such as pulp.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Prove each optimum by every other engine, too.")] = False,
) -> int:
    """Prove the optimum, the worst case and each coalition's best."""
    from colosseum.cli import words
    from colosseum.diagnostics import file_errors, stop
    from colosseum.evidence import spec_questions as ask
    from colosseum.model import serial
    from colosseum.report.instances import optima_blocks
    from colosseum.solve.backends import engine_named
    from colosseum.solve.backends.pulp import write_lp
    from colosseum.solve.goal import WELFARE

    if str(lp) == "-":
        raise stop("C122", "cannot write the program to `-`", help="name a file, such as `model.lp`")
    checked = words.checked_spec(file, sets, seed=seed)
    if output is not None:
        with file_errors(output):
            output.write_bytes(serial.dump(checked.expansion.scenario))
        words.note(f"wrote {output}")
    optima = ask.solve(checked, only=engine_named(backend))
    optima = ask.verified(optima) if verify else optima
    if lp is not None:
        with file_errors(lp):
            write_lp(optima.solver.highs.lowered.program, optima.solver.highs.lowered.form(WELFARE), lp)
        words.note(f"wrote {lp}")
    words.say_diagnostics(ask.low_penalties(checked, optima.optimum))
    words.output(lambda: optima_blocks(optima), "compile", lambda: ask.compile_content(optima), json)
    if wrong := list(ask.wrong_answers(optima)):
        words.note("\n".join([*wrong, "This is a bug in Colosseum: please report it, with the spec and its seed."]))
        return 1
    ask.require_feasible(optima.optimum, checked)
    return 0


@command
def prompts(
    file: SpecFile,
    experiment: Experiment = None,
    arm: Annotated[str | None, typer.Option(metavar="NAME", help="Default: the control.")] = None,
    agent: Annotated[str | None, typer.Option(metavar="NAME", help="Default: all of them.")] = None,
    seed: Seed = None,
    sets: Sets = None,
    point: Annotated[str | None, typer.Option(metavar="K=V", help="A sweep point, as in network=ring.")] = None,
    phase: Annotated[str, typer.Option(metavar="P", help="planning, survey or execution.")] = "planning",
    diff: Annotated[str | None, typer.Option(metavar="ARM", help="Show arms against this one, word by word.")] = None,
    text: Annotated[bool, typer.Option("--text", help="As for a model with `--tools text`.")] = False,
    json: AsJson = False,
) -> int:
    """Print exactly what agents are sent: messages and tools. No model is asked."""
    from colosseum.campaign.openings import prompts as sent
    from colosseum.cli.words import checked_spec, output
    from colosseum.report.prompts import prompt_blocks

    found = sent(
        checked_spec(file, sets, seed=seed), experiment=experiment, arm=arm, against=diff, agent=agent, point=point,
        seed=seed, phase=phase, text_tools=text,
    )  # fmt: skip
    output(lambda: prompt_blocks(found), "prompts", lambda: found, json)
    return 0


@command
def score(
    file: SpecFile,
    assignment: Annotated[
        Path, typer.Option(metavar="FILE", help='JSON: {"pick[engineer1]": "ticket3", …}; null is none.')
    ],
    seed: Seed = None,
    sets: Sets = None,
    coalition: CoalitionName = None,
    members: Members = None,
    order: Annotated[str | None, typer.Option(metavar="A,B,…", help="The turn order, for sequential regret.")] = None,
    json: AsJson = False,
) -> int:
    """Score an assignment: value, payoffs, regrets, broken rules."""
    from colosseum.cli.words import checked_spec, output
    from colosseum.evidence.spec_questions import chosen_coalition, measured, read_assignment, score_content
    from colosseum.report.instances import score_blocks

    checked = checked_spec(file, sets, seed=seed)
    scenario = checked.expansion.scenario
    realised, undecided = read_assignment(assignment, scenario)
    chosen = chosen_coalition(scenario, coalition, members)
    found = measured(checked, realised, chosen, order)
    drawn = {name: realised[name] for name in undecided}
    content = score_content(found, scenario.task, undecided)
    output(lambda: score_blocks(found, scenario, chosen, drawn), "score", lambda: content, json)
    return 0


@command
def frontier(
    file: SpecFile,
    seed: Seed = None,
    sets: Sets = None,
    coalition: CoalitionName = None,
    members: Members = None,
    at: Annotated[
        list[float] | None, typer.Option(metavar="LAMBDA", help="Also what it costs at this λ; repeatable.")
    ] = None,
    json: AsJson = False,
) -> int:
    """Show what a coalition can gain at the team's cost."""
    from rich.console import Console

    from colosseum.cli.words import checked_spec, output
    from colosseum.evidence.spec_questions import frontier_content, prospected
    from colosseum.report.instances import frontier_blocks

    checked = checked_spec(file, sets, seed=seed)
    with Console(stderr=True).status("proving plans"):
        scenario, found = checked.expansion.scenario, prospected(checked, coalition, members, at or [])
    output(lambda: frontier_blocks(scenario, found), "frontier", lambda: frontier_content(scenario, found), json)
    return 0


@command
def scan(
    file: SpecFile,
    size: Annotated[int, typer.Option(metavar="K", help="Number of members.", show_default=False)],
    by: Annotated[str, typer.Option(metavar="M", help="worst, selfish, outsider or temptation.")] = "worst",
    top: Annotated[int, typer.Option(min=1, metavar="N", help="Coalitions to show.")] = 10,
    seed: Seed = None,
    sets: Sets = None,
    json: AsJson = False,
) -> int:
    """Rank all coalitions of a size by what they could do."""
    from functools import partial

    from rich.console import Console
    from rich.progress import track

    from colosseum.cli.words import checked_spec, output
    from colosseum.evidence.spec_questions import scan_content, scanned
    from colosseum.report.instances import scan_blocks

    hidden = not sys.stderr.isatty()
    bar = partial(track, description="coalitions", console=Console(stderr=True), transient=True, disable=hidden)
    checked = checked_spec(file, sets, seed=seed)
    scenario, found = checked.expansion.scenario, scanned(checked, size, by, bar)
    output(lambda: scan_blocks(scenario, found, top=top), "scan", lambda: scan_content(scenario, found), json)
    return 0


@command
def explain(
    code: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CODE|FIGURE|WORD]", help="C041, regret, collusion; default: all.", show_default=False),
    ] = None,
    flows: Annotated[Path | None, typer.Option(metavar="FILE", help="Who can learn what is private in a spec.")] = None,
) -> int:
    """Explain a code of a message, a figure, or a word of a report."""
    from colosseum.cli.explain import explain_code

    return explain_code(None if code is None else " ".join(code), flows)


@command
def schema(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="[KIND]", help="model, trace, report, score, …; a wrong one lists all.", show_default=False
        ),
    ] = "model",
) -> int:
    """Print a JSON Schema. Of a kind of file, or of what a command prints with --json."""
    from colosseum.cli.words import print_out
    from colosseum.report.published import published

    print_out(published(kind).rstrip("\n"))
    return 0


@command
def new(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The scenario's name, or a path.", show_default=False)
    ] = None,
    origin: Annotated[str | None, typer.Option("--from", metavar="SPEC", help="A shipped spec to begin from.")] = None,
    specs: Annotated[bool, typer.Option("--list", help="List the specs that ship.")] = False,
) -> int:
    """Begin a spec, or copy a shipped one."""
    import shlex

    from colosseum.cli.words import note, print_out
    from colosseum.language.copying import listed, new_spec, shipped_specs

    if specs:
        print_out("\n".join(listed(shipped_specs())))
        return 0
    print_out("\n".join(f"wrote {path}" for path in new_spec(name or "", origin)))
    spec = shlex.quote((name or "").removesuffix(".colo") + ".colo")
    note("next, when you have read it:")
    for command, purpose in (("check", "is it correct?"), ("compile", "what is best?"), ("audit", "who gains?")):
        note(f"  {f'colosseum {command} {spec}':<40}  {purpose}")
    return 0
