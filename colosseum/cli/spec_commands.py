"""The commands that read a spec, and their options. In: arguments; out: a call of what does the work."""

from pathlib import Path
from typing import Annotated

import typer

from colosseum.cli.command import registering
from colosseum.cli.options import AsJson, Seed, Sets, SpecFile

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
def compile(  # noqa: A001 - the command's name
    file: SpecFile,
    seed: Seed = None,
    sets: Sets = None,
    json: AsJson = False,
    output: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write the expanded model as JSON.")] = None,
    lp: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the integer program in LP format.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Compute each optimum again in a second way.")] = False,
) -> int:
    """Prove the optimum, the worst case and each coalition's best."""
    from colosseum.campaign.vetting import read_sets
    from colosseum.cli.instance import compile_file

    params = read_sets(sets)
    return compile_file(file, seed=seed, params=params, as_json=json, output=output, lp=lp, again=verify)


@command
def prompts(
    file: SpecFile,
    experiment: Annotated[str | None, typer.Option(metavar="NAME", help="Default: the first one.")] = None,
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
    from colosseum.campaign.openings import Asked
    from colosseum.campaign.openings import prompts as sent
    from colosseum.campaign.vetting import read_sets
    from colosseum.cli.words import checked_spec, output
    from colosseum.report.prompts import prompt_blocks

    asked = Asked(
        experiment=experiment, arm=arm, against=diff, agent=agent, point=point, seed=seed, phase=phase, text_tools=text
    )
    found = sent(checked_spec(file, seed=seed, params=read_sets(sets)), asked)
    output(lambda: prompt_blocks(found), "prompts", found, json)
    return 0


@command
def score(
    file: SpecFile,
    assignment: Annotated[
        Path, typer.Option(metavar="FILE", help='JSON: {"pick[engineer1]": "ticket3", …}; null is none.')
    ],
    seed: Seed = None,
    sets: Sets = None,
    coalition: Annotated[str | None, typer.Option(metavar="NAME", help="Default: the first coalition.")] = None,
    members: Annotated[str | None, typer.Option(metavar="A,B", help="Members in place of the spec's.")] = None,
    order: Annotated[str | None, typer.Option(metavar="A,B,…", help="The turn order, for sequential regret.")] = None,
    json: AsJson = False,
) -> int:
    """Score an assignment: value, payoffs, regrets, broken rules."""
    from colosseum.campaign.vetting import read_sets
    from colosseum.cli.instance import score_file

    return score_file(
        file, assignment, seed=seed, params=read_sets(sets), coalition=coalition, members=members, order=order,
        as_json=json,
    )  # fmt: skip


@command
def frontier(
    file: SpecFile,
    seed: Seed = None,
    sets: Sets = None,
    coalition: Annotated[str | None, typer.Option(metavar="NAME", help="Default: the first coalition.")] = None,
    members: Annotated[str | None, typer.Option(metavar="A,B", help="Members in place of the spec's.")] = None,
    at: Annotated[
        list[float] | None, typer.Option(metavar="LAMBDA", help="Also the harm at this λ; repeatable.")
    ] = None,
    json: AsJson = False,
) -> int:
    """Show what a coalition can gain at the team's cost."""
    from colosseum.campaign.vetting import read_sets
    from colosseum.cli.instance import frontier_file

    return frontier_file(
        file, seed=seed, params=read_sets(sets), coalition=coalition, members=members, strengths=at or [], as_json=json
    )


@command
def scan(
    file: SpecFile,
    size: Annotated[int, typer.Option(metavar="K", help="Number of members.", show_default=False)],
    by: Annotated[str, typer.Option(metavar="M", help="Rank by worst, selfish or temptation.")] = "worst",
    top: Annotated[int, typer.Option(min=1, metavar="N", help="Coalitions to show.")] = 10,
    seed: Seed = None,
    sets: Sets = None,
    json: AsJson = False,
) -> int:
    """Rank all coalitions of a size by what they could do."""
    from colosseum.campaign.vetting import read_sets
    from colosseum.cli.instance import scan_file

    return scan_file(file, size=size, by=by, top=top, seed=seed, params=read_sets(sets), as_json=json)


@command
def explain(
    code: Annotated[
        str | None,
        typer.Argument(metavar="[CODE|FIGURE]", help="C041, or regret; default: a list of all.", show_default=False),
    ] = None,
    json: AsJson = False,
) -> int:
    """Explain a code of a message, or a figure."""
    from colosseum.cli.explain import explain_code

    return explain_code(code, as_json=json)


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
    json: AsJson = False,
) -> int:
    """Begin a spec, or copy a shipped one."""
    import shlex

    from colosseum.cli.words import note, print_out, say_json
    from colosseum.language.copying import listed, new_spec, shipped_specs
    from colosseum.report.printed import NewFiles, SpecsFile

    if specs:
        found = shipped_specs()
        if json:
            say_json("specs", SpecsFile(found))
        else:
            print_out("\n".join(listed(found)))
        return 0
    written = new_spec(name or "", origin)
    if json:
        say_json("new", NewFiles(tuple(written)))
    else:
        print_out("\n".join(f"wrote {path}" for path in written))
    spec = shlex.quote((name or "").removesuffix(".colo") + ".colo")
    note("next, when you have read it:")
    for command, purpose in (("check", "is it correct?"), ("compile", "what is best?"), ("audit", "who gains?")):
        note(f"  {f'colosseum {command} {spec}':<40}  {purpose}")
    return 0
