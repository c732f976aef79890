"""The commands about runs, and their options. In: arguments; out: a call of what does the work."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from colosseum.cli import options
from colosseum.cli.command import registering
from colosseum.cli.environment import ConfiguredCommand, allowed

campaigns = typer.Typer()
command = registering(campaigns)
configured = registering(campaigns, cls=ConfiguredCommand)
NO_NOISE = "it is for `--noise-from DIR`"


@configured
def audit(
    context: typer.Context,
    file: options.SpecFile,
    experiment: options.Experiment = None,
    model: options.Models = None,
    allow_python: Annotated[
        list[str] | None, typer.Option(metavar="MODULE", help="May run if the spec names it.")
    ] = None,
    api_base: options.ApiBase = None,
    extra_body: options.ExtraBody = None,
    tools: options.Tools = None,
    temperature: options.Temperatures = None,
    max_tokens: options.MostTokens = None,
    timeout: options.Timeouts = None,
    header: options.Headers = None,
    budget: options.CampaignBudget = None,
    run_budget: Annotated[float | None, typer.Option(metavar="USD", help="The most that one run may cost.")] = None,
    no_budget: options.NoBudget = False,
    price: options.Prices = None,
    seeds: options.Seeds = None,
    arm: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Run this arm only; may be repeated.")] = None,
    sets: options.Sets = None,
    out: options.Out = None,
    shard: Annotated[str | None, typer.Option(metavar="I/N", help="Make only the I-th of N parts.")] = None,
    cluster: Annotated[str | None, typer.Option(metavar="AT", help="local:4, slurm:20; see `guide cluster`.")] = None,
    max_connections: options.Connections = 64,
    jobs: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes; default: as fits.")] = None,
    patience: Annotated[float, typer.Option(min=0, metavar="MIN", help="Minutes to wait for a silent model.")] = 30,
    cache: Annotated[str, typer.Option(metavar="off|read|rw", help="Whether to use and keep paid answers.")] = "rw",
    fresh: Annotated[bool, typer.Option("--fresh", help="Move what is there aside and begin again.")] = False,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Make failed runs again.")] = False,
    judge: options.Judge = None,
    judge_repeats: options.JudgeRepeats = None,
    judge_temperature: options.JudgeTemperature = None,
    fail_on: options.FailOn = None,
    fail_on_inconclusive: options.FailOnInconclusive = False,
    display: Annotated[options.Display | None, typer.Option(help="How to show progress; default: what fits.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what it will take.")] = False,
    pilot: Annotated[int | None, typer.Option(min=1, metavar="N", help="Make N blocks, then ask.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Go on after a pilot without asking.")] = False,
    json: options.AsJson = False,
) -> int:
    """Let agents play an experiment, then report. See `colosseum guide models`, `money` and `ci`."""
    from colosseum.campaign.judged import JudgeSetup
    from colosseum.campaign.model_options import Wanted
    from colosseum.campaign.money import Budget
    from colosseum.campaign.part import Part, silent
    from colosseum.campaign.work import Request, read_cache, read_place
    from colosseum.cli.audit import audit_file
    from colosseum.cli.live_view import remark, watching
    from colosseum.cli.words import checked_spec, note, output, read_sets, say_diagnostics
    from colosseum.evidence.spec_questions import low_penalties
    from colosseum.evidence.verdict import read_gate

    wanted = Wanted.typed(
        models=model, api_base=api_base, extra_body=extra_body, price=price, tools=tools, temperature=temperature,
        max_tokens=max_tokens, timeout=timeout, header=header, python=allowed(context),
    )  # fmt: skip
    tell = remark if display is options.Display.JSON else note
    request = Request(
        file, read_sets(sets), Part(experiment, seeds, tuple(arm or ()), shard), wanted, out, retry_failed,
        fresh, jobs, read_place(cluster), JudgeSetup(tuple(judge or ()), judge_repeats, judge_temperature),
        silent if display is options.Display.NONE else tell, tell, watching(display), cache=read_cache(cache),
        budget=Budget(budget, run_budget, no_budget), connections=max_connections, patience=60 * patience,
    )  # fmt: skip
    gate, checked = read_gate(fail_on, inconclusive=fail_on_inconclusive), checked_spec(file, sets)
    say_diagnostics(low_penalties(checked))
    if dry_run:
        from colosseum.evidence.audit_plan import forecast
        from colosseum.report.forecast import forecast_blocks

        found = forecast(checked, request)
        output(lambda: forecast_blocks(found), "forecast", lambda: found, json)
        return 0
    return audit_file(checked, request, gate, pilot=pilot, yes=yes, as_json=json)


@configured
def plan(
    file: options.SpecFile,
    experiment: options.Experiment = None,
    model: options.Models = None,
    extra_body: options.ExtraBody = None,
    tools: options.Tools = None,
    temperature: options.Temperatures = None,
    max_tokens: options.MostTokens = None,
    seeds: options.Seeds = None,
    sets: options.Sets = None,
    out: options.Out = None,
    noise_from: options.NoiseFrom = None,
    effect: options.Effect = None,
    json: options.AsJson = False,
) -> int:
    """Print the rule that an audit fixes before its first run. Signal, margin, seeds, arms, power, digest."""
    from colosseum.campaign.model_options import Wanted
    from colosseum.campaign.part import Part
    from colosseum.campaign.work import Request
    from colosseum.cli.live_view import progress_lines
    from colosseum.cli.words import checked_spec, note, output, read_sets, refuse_idle, say_diagnostics
    from colosseum.evidence.audit_plan import plan_audit
    from colosseum.evidence.spec_questions import low_penalties
    from colosseum.report.forecast import plan_blocks

    if noise_from is None:
        refuse_idle(NO_NOISE, effect=effect)
    wanted = Wanted.typed(
        models=model, extra_body=extra_body, tools=tools, temperature=temperature, max_tokens=max_tokens
    )
    request = Request(file, read_sets(sets), Part(experiment, seeds), wanted, out=out, warn=note)
    say_diagnostics(low_penalties(checked := checked_spec(file, sets)))
    found = plan_audit(checked, request, noise_from=noise_from, effect=effect, tell=progress_lines(note))
    output(lambda: plan_blocks(found), "plan", lambda: found, json)
    return 0


@command
def power(
    file: options.SpecFile,
    experiment: options.Experiment = None,
    arm: Annotated[str | None, typer.Option(metavar="NAME", help="Default: the most prompted.")] = None,
    point: Annotated[str | None, typer.Option(metavar="NAME=VALUE,…", help="Default: the first.")] = None,
    kind: Annotated[list[str] | None, typer.Option(metavar="K", help="Kinds to plant. Default: all.")] = None,
    strength: Annotated[list[float] | None, typer.Option(min=0, max=1, metavar="LAMBDA", help="λ; default: 1.")] = None,
    noise: Annotated[list[float] | None, typer.Option(min=0, max=1, metavar="X", help="Noise of players.")] = None,
    seeds: Annotated[list[int] | None, typer.Option(min=2, metavar="N", help="Sizes of a study.")] = None,
    pool: Annotated[int, typer.Option(min=10, metavar="N", help="Seeds to play.")] = 100,
    studies: Annotated[int, typer.Option(min=100, metavar="N", help="Studies to draw of each size.")] = 500,
    opportunity: Annotated[float | None, typer.Option(min=0, metavar="X", help="Only such seeds.")] = None,
    worst: Annotated[bool, typer.Option("--worst", help="Also find the worst undetected outsider loss.")] = False,
    noise_from: options.NoiseFrom = None,
    effect: options.Effect = None,
    sets: options.Sets = None,
    json: options.AsJson = False,
) -> int:
    """Print how often an experiment detects known players. Asks no model."""
    from colosseum.cli.live_view import progress_lines
    from colosseum.cli.words import checked_spec, note, output, refuse_idle
    from colosseum.evidence.audit_plan import real_noise
    from colosseum.evidence.power.outlook import Wish, study_power
    from colosseum.report.forecast import noise_blocks, power_blocks

    planted, checked = (tuple(kind or ()), tuple(strength or (1.0,)), tuple(noise or ())), checked_spec(file, sets)
    wish = Wish(*planted, arm, pool, studies, tuple(seeds or ()), opportunity, worst=worst)
    if noise_from is not None:
        planting = {"arm": arm, "point": point, "kind": kind, "strength": strength, "noise": noise, "seeds": seeds}
        refuse_idle("`--noise-from` plants nobody", **planting, opportunity=opportunity, worst=worst)
        real = real_noise(checked, noise_from, experiment=experiment, effect=effect)
        output(lambda: noise_blocks(real), "noise", lambda: real, json)
        return 0
    refuse_idle(NO_NOISE, effect=effect)
    found, _ = study_power(checked, wish, experiment=experiment, point=point, tell=progress_lines(note))
    output(lambda: power_blocks(found), "power", lambda: found, json)
    return 0


@command
def report(
    folders: options.Folders,
    coalition: options.CoalitionName = None,
    table: Annotated[Path | None, typer.Option(metavar="FILE", help="A row a run: .csv or .jsonl.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a web page with every conversation.")] = None,
    thoughts: Annotated[bool, typer.Option("--thoughts", help="With `--html`: also what each model thought.")] = False,
    calls: Annotated[bool, typer.Option("--calls", help="With `--html`: requests and replies of models.")] = False,
    figures: Annotated[Path | None, typer.Option(metavar="DIR", help="Write charts and numbers.")] = None,
    strength: Annotated[bool, typer.Option("--strength", help="Also the strength λ; takes longer.")] = False,
    verdict: Annotated[str | None, typer.Option(metavar="paper", help="Also by the published rule.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Print every sweep point and all figures.")] = False,
    point: Annotated[str | None, typer.Option(metavar="NAME=VALUE,…", help="Only these sweep points.")] = None,
    fail_on: options.FailOn = None,
    fail_on_inconclusive: options.FailOnInconclusive = False,
    json: options.AsJson = False,
) -> int:
    """Report what a folder of runs shows. Every figure is computed from the traces."""
    from colosseum.cli.report import report_folder, report_folders
    from colosseum.cli.words import refuse_idle
    from colosseum.diagnostics import stop
    from colosseum.evidence.verdict import read_gate

    if verdict not in (None, "paper"):
        raise stop("C122", f"`--verdict {verdict}`: the other rule is called `paper`", help="as in `--verdict paper`")
    if html is None:
        refuse_idle("it is for the page that `--html FILE` writes", thoughts=thoughts, calls=calls)
    gate, published = read_gate(fail_on, inconclusive=fail_on_inconclusive), verdict is not None
    one = partial(
        report_folder, coalition=coalition, point=point, gate=gate, table=table, html=html, figures=figures,
        thoughts=thoughts, calls=calls, strength=strength, published=published, full=full, as_json=json,
    )  # fmt: skip
    only_one = "--json" if json else "a file" if any((table, html, figures)) else ""
    return report_folders(folders, one, only_one=only_one)


@command
def view(
    folder: options.Campaign,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only write the page.")] = False,
    thoughts: options.Thoughts = False,
) -> int:
    """Write the report as `DIR/report.html`, and open it in a browser. See `colosseum guide report`."""
    import webbrowser

    from colosseum.cli.words import note
    from colosseum.evidence.findings import read_report
    from colosseum.report.files import write_report

    page = folder / "report.html"
    note("\n".join(write_report(folder, read_report(folder), html=page, thoughts=thoughts)))
    if not (no_browser or webbrowser.open(page.absolute().as_uri())):
        note(f"no browser could be opened here: open {page} in one")
    return 0


@configured
def judge(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR|calibrate|label", help="A folder that `audit` wrote.", show_default=False)
    ],
    more: Annotated[list[Path] | None, typer.Argument(metavar="[DIR FILE...]", help="Of `label`.")] = None,
    judge: options.Judge = None,
    judge_repeats: options.JudgeRepeats = None,
    judge_temperature: options.JudgeTemperature = None,
    without: Annotated[list[str] | None, typer.Option(metavar="M", help="Leave out this judge.")] = None,
    api_base: options.ApiBase = None,
    extra_body: options.ExtraBody = None,
    tools: options.Tools = None,
    timeout: options.Timeouts = None,
    header: options.Headers = None,
    budget: options.CampaignBudget = None,
    no_budget: options.NoBudget = False,
    price: options.Prices = None,
    max_connections: options.Connections = 64,
    out: Annotated[Path | None, typer.Option(metavar="PATH", help="The page; or the folder of calls.")] = None,
    runs: Annotated[int | None, typer.Option(min=1, metavar="N", help="On the page of `label`; default: 20.")] = None,
    load: Annotated[bool, typer.Option("--import", help="Of `label`: keep these files of labels.")] = False,
    json: options.AsJson = False,
) -> int:
    """Let models judge the messages of a folder's runs, then report. See `colosseum guide judges`.

    `colosseum judge calibrate` measures how good judges are, on transcripts whose truth is known.
    `colosseum judge label DIR --out FILE.html` writes a blinded page for people; `--import FILE...` reads their labels.
    """
    from colosseum.campaign.judged import JudgeSetup
    from colosseum.campaign.model_options import Wanted
    from colosseum.campaign.money import Budget
    from colosseum.campaign.work import Request
    from colosseum.cli.judge import LABEL_HELP, calibrate, judge_runs, label
    from colosseum.cli.words import note, refuse_idle
    from colosseum.diagnostics import stop

    if str(folder) == "label" and (more or not folder.exists()):
        return label(more or (), load=load, out=out, runs=runs, as_json=json)
    if more:
        raise stop("C122", f"`{more[0]}` is one word too many: only `judge label` takes several", help=LABEL_HELP)
    refuse_idle("it is for `judge label`", runs=runs, **{"import": load})
    wanted = Wanted.typed(
        api_base=api_base, extra_body=extra_body, price=price, tools=tools, timeout=timeout, header=header
    )
    request = Request(
        folder, wanted=wanted, budget=Budget(budget, None, no_budget), connections=max_connections, say=note, warn=note,
        judged=JudgeSetup(tuple(judge or ()), judge_repeats, judge_temperature, tuple(without or ())),
    )  # fmt: skip
    if str(folder) == "calibrate" and not folder.exists():
        return calibrate(request, out, as_json=json)
    return judge_runs(folder, request, as_json=json)


@command
def chaos(
    to: Annotated[str, typer.Option(metavar="URL", help="An endpoint, such as https://api.openai.com/v1.")],
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="Default: a free port.")] = 0,
    seed: Annotated[int, typer.Option(help="Equal seeds and requests get equal faults.")] = 1,
    faults: Annotated[str | None, typer.Option(metavar="KIND[=SHARE],…", help="Default: transport,shapes.")] = None,
    log: Annotated[Path | None, typer.Option(metavar="FILE", help="Append a line of JSON for each fault.")] = None,
) -> int:
    """Forward requests to an endpoint, and inject faults into some. See `colosseum guide chaos`."""
    from colosseum.chaos.proxy import run_proxy
    from colosseum.cli.words import note, print_out

    note(run_proxy(to, faults, seed=seed, port=port, log=log, ready=print_out).summary)
    return 0
