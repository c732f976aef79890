"""The promise that no text whatsoever crashes or hangs Colosseum. In: how many inputs; out: what became of them.

`python tests/fuzz.py --inputs 100000 --jobs 2` judges every input in a child process, under a bound on its time and
one on its memory. An input that fails is made smaller and saved with its cause; the exit code is then 1.
"""

import argparse
import faulthandler
import gc
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, astuple, dataclass, field, replace
from io import StringIO
from itertools import chain
from multiprocessing import Pool
from pathlib import Path
from typing import IO

from fuzz_inputs import TOKEN, Input, made
from fuzz_valid import valid

from colosseum.cli.check import check_files
from colosseum.diagnostics import Source, render_text, written
from colosseum.language import parse
from colosseum.language.layout import lay_out
from colosseum.model import serial
from colosseum.model.check import Checked, check
from colosseum.model.values import Fault
from colosseum.solve.goal import WELFARE, coalition_goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.solver import Solver

MEBIBYTE = 1024 * 1024
SECONDS = 60.0
"""Processor time of one input. The most work that is not refused, 1,000,000 rounds and terms, takes 4 to 8 s; it is
done twice."""
ASLEEP = 400.0
"""Seconds by the clock after which an input that uses no processor time is given up."""
MEMORY, TIGHT_MEMORY = 1024, 800
"""MiB that one input may add to what the process holds before it; the second bound is for what should be refused."""
MOST_SOLVED = 60
"""Variables up to which an input is also solved, with a limit of SOLVING seconds a query; others are left out."""
FEW_SOLVED = 8
"""Variables up to which every input is solved, not every fourth one."""
SOLVING = 1.0
TOGETHER = 40
"""Inputs that one process judges, one after the other."""
SMALLER = 20.0
"""Seconds that making one failing input smaller may take."""


@dataclass(frozen=True)
class Outcome:
    """What became of one input."""

    what: str
    """`model` or `diagnostics`; else why it failed, in a few words."""
    detail: str = ""
    """Of a failure: the traceback."""
    solved: str = ""
    """The status of the optimum, where it was asked for."""
    seconds: float = 0.0
    megabytes: float = 0.0

    @property
    def failed(self) -> bool:
        return self.what not in ("model", "diagnostics")


# ---- one input -----------------------------------------------------------------------------------------------


def judge(path: Path, *, thorough: bool) -> Outcome:
    """Everything that is done with a spec; whatever is wrong with us raises."""
    found, diagnostics = check(path)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    render_text(diagnostics, color=True)
    json.dumps([asdict(written(each)) for each in diagnostics])
    assert found is not None or diagnostics, "neither a model nor a diagnostic"
    if thorough:
        laid(path)
        out = StringIO()
        with redirect_stdout(out), redirect_stderr(StringIO()):
            check_files([path], as_json=True)
        json.loads(out.getvalue())
    if found is None:
        return Outcome("diagnostics")
    json.loads(serial.dump(found.expansion.scenario))
    return Outcome(
        "model",
        solved=solved(found) if thorough or len(found.expansion.scenario.task.variables) <= FEW_SOLVED else "left out",
    )


def laid(path: Path) -> None:
    """Lay a text out: it says the same, and stays as it is when it is laid out again."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return
    once, diagnostics = lay_out(Source("any.colo", text))  # which itself compares what both say
    if once is None:
        assert diagnostics or not parse(Source("any.colo", text))[1], "not laid out, and no reason given"
        return
    assert lay_out(Source("any.colo", once))[0] == once, "laying it out twice changes it"


def solved(found: Checked) -> str:
    """The optimum of the joint payoff, of its opposite and of each coalition: proven, or told why not."""
    scenario = found.expansion.scenario
    if len(scenario.task.variables) > MOST_SOLVED:
        return "left out"
    try:
        solver = Solver(scenario.task, time_limit=SOLVING)
        best, least = solver.maximise(WELFARE), solver.minimise(WELFARE)
        for coalition in scenario.coalitions:
            if coalition.members:
                solver.maximise(coalition_goal(coalition))
    except NotLowered:
        return "not lowered"
    except Fault:
        return "undefined"
    if best.status == least.status == "optimal" and best.value is not None and least.value is not None:
        assert best.value >= least.value - 1e-6 * max(1.0, abs(best.value)), "the optimum is worse than the minimum"
    return best.status


# ---- in a process of its own -----------------------------------------------------------------------------------------


def bounded(given: Input, *, thorough: bool = False) -> Outcome:
    """Judge an input in a child process, whose time and memory are bounded."""
    return next(iter(batch([given], thorough=thorough)))


def batch(inputs: Sequence[Input], *, thorough: bool = False) -> Iterator[Outcome]:
    """Judge inputs one after the other in a child process; another goes on after one at which the child ended."""
    done = 0
    while done < len(inputs):
        with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as words:
            child = os.fork()
            if child == 0:
                _child(inputs[done:], said, words, thorough=thorough)
            status = _awaited(child, said)
            said.seek(0), words.seek(0)
            outcomes, trace = [Outcome(*json.loads(line)) for line in said], words.read()
        yield from outcomes
        done += len(outcomes)
        if status != 0:
            number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            yield Outcome(
                "too slow"
                if number in (signal.SIGPROF, signal.SIGKILL) or trace.startswith("Stack")
                else f"ended by signal {number}",
                trace,
            )
            done += 1


def _child(inputs: Sequence[Input], said: IO[str], words: IO[str], *, thorough: bool) -> None:
    """Judge, write what came of each, and end; never returns."""
    faulthandler.register(signal.SIGPROF, file=words, all_threads=False, chain=True)  # then the signal ends the process
    limit = (_memory("VmSize") + MEMORY + 200) * MEBIBYTE  # addresses cost nothing until they are used
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    os.dup2(words.fileno(), 2)
    gc.disable()  # as the command does
    for given in inputs:
        outcome = _one(given, thorough=thorough)
        said.write(json.dumps(astuple(outcome)) + "\n")
        said.flush()
    os._exit(0)


def _one(given: Input, *, thorough: bool) -> Outcome:
    """Judge an input here."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the most memory is counted from now on
    before, start, most = _memory("VmRSS"), time.process_time(), TIGHT_MEMORY if given.tight else MEMORY
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        spec = given.lay(folder)
        os.chdir(folder)
        outcome = judge(spec, thorough=thorough)
    except BaseException as error:  # noqa: BLE001 - nothing at all may come out of it
        outcome = Outcome(_cause(error), traceback.format_exc()[-4000:])
    signal.setitimer(signal.ITIMER_PROF, 0)
    os.chdir("/")
    shutil.rmtree(folder)
    seconds, held = time.process_time() - start, _memory("VmHWM") - before
    if held > most and not outcome.failed:
        outcome = Outcome(f"more than {most} MiB", f"{held} MiB")
    return replace(outcome, seconds=seconds, megabytes=held)


def _cause(error: BaseException) -> str:
    """An exception and where it came from, so that the same failure is counted as one."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "colosseum" in f.filename]
    place = f" in {Path(frames[-1].filename).name}:{frames[-1].name}" if frames else ""
    return f"{type(error).__name__}{place}: {str(error)[:80]}"


def _awaited(child: int, said: IO[str]) -> int:
    """Wait for a child, and end one that says nothing for long: one that sleeps uses no processor time."""
    heard, length, pause = time.monotonic(), 0, 0.001
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return status
        if (size := os.fstat(said.fileno()).st_size) > length:
            heard, length = time.monotonic(), size
        if time.monotonic() > heard + ASLEEP:
            os.kill(child, signal.SIGKILL)
            return os.waitpid(child, 0)[1]
        time.sleep(pause)
        pause = min(0.05, pause * 1.5)


def _memory(name: str) -> int:
    """MiB of this process, as the system counts them."""
    found = re.search(rf"{name}:\s+(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(found[1]) // 1024 if found else 0


# ---- many ----------------------------------------------------------------------------------------------------------


@dataclass
class FuzzTally:
    """What became of many inputs."""

    kinds: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    solved: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[int]] = field(default_factory=dict)
    slowest: tuple[float, int] = (0.0, 0)
    largest: tuple[float, int] = (0.0, 0)

    def add(self, number: int, kind: str, outcome: Outcome) -> None:
        self.kinds[kind] += 1
        self.outcomes[kind, "failed" if outcome.failed else outcome.what] += 1
        if outcome.solved:
            self.solved[outcome.solved] += 1
        self.slowest = max(self.slowest, (outcome.seconds, number))
        self.largest = max(self.largest, (outcome.megabytes, number))
        if outcome.failed:
            self.failures.setdefault(outcome.what, []).append(number)

    def lines(self) -> Iterator[str]:
        yield f"{'kind':10}{'inputs':>8}{'model':>8}{'diagnostics':>13}{'failed':>8}"
        for kind in sorted(self.kinds):
            counts = [self.outcomes[kind, what] for what in ("model", "diagnostics", "failed")]
            yield f"{kind:10}{self.kinds[kind]:8}{counts[0]:8}{counts[1]:13}{counts[2]:8}"
        yield f"optima: {', '.join(f'{n} {what}' for what, n in self.solved.most_common()) or 'none'}"
        yield f"longest {self.slowest[0]:.2f} s (input {self.slowest[1]})"
        yield f"most memory {self.largest[0]:.0f} MiB (input {self.largest[1]})"
        for cause, numbers in sorted(self.failures.items(), key=lambda item: -len(item[1])):
            yield f"FAILED {len(numbers)} times, first input {numbers[0]}: {cause}"


def some(job: tuple[int, range]) -> list[tuple[int, str, Outcome]]:
    """Make and judge the inputs of some numbers."""
    seed, numbers = job
    inputs = [made(seed, number) for number in numbers]
    found = batch(inputs, thorough=numbers.start % (4 * TOGETHER) == 0)
    return [(number, given.kind, outcome) for number, given, outcome in zip(numbers, inputs, found, strict=True)]


def run(
    inputs: int, seed: int, *, first: int = 0, jobs: int = 1, save: Path | None = None, loud: bool = False
) -> FuzzTally:
    """Judge inputs of consecutive numbers."""
    tally, firsts = FuzzTally(), list[tuple[int, Outcome]]()
    warm()
    last = first + inputs
    work = ((seed, range(at, min(at + TOGETHER, last))) for at in range(first, last, TOGETHER))
    with Pool(jobs) as pool:
        for number, kind, outcome in chain.from_iterable(pool.imap_unordered(some, work)):
            if outcome.failed and outcome.what not in tally.failures:
                firsts.append((number, outcome))
                if loud:
                    print(f"\ninput {number} ({kind}): {outcome.what}\n{outcome.detail}", flush=True)  # noqa: T201
            tally.add(number, kind, outcome)
            if loud and sum(tally.kinds.values()) % 1000 == 0:
                failed = sum(map(len, tally.failures.values()))
                print(f"{sum(tally.kinds.values())} inputs, {failed} failed", flush=True)  # noqa: T201
    for number, outcome in firsts if save is not None else ():
        keep(made(seed, number), outcome, save / f"{seed}-{number}")
    return tally


def warm() -> None:
    """Load what every input needs before processes are made."""
    for number in range(3):
        _one(Input("valid", valid(random.Random(number)).encode()), thorough=True)
    gc.collect()
    gc.freeze()


# ---- failures, smaller ------------------------------------------------------------------------------------------


def keep(given: Input, outcome: Outcome, folder: Path) -> None:
    """Save a failing input, as small as it was found to fail in the same way."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    smaller(given, outcome).lay(folder)
    (folder / "cause.txt").write_text(f"{given.kind}: {outcome.what}\n{outcome.detail}\n", encoding="utf-8")


def smaller(given: Input, outcome: Outcome) -> Input:
    """Fewer tokens that fail in the same way: ever shorter stretches are left out."""
    try:
        tokens = TOKEN.findall(given.spec.decode())
    except UnicodeDecodeError:
        return given
    end, width = time.monotonic() + SMALLER, len(tokens) // 2
    while width >= 1 and time.monotonic() < end:
        at = 0
        while at < len(tokens) and time.monotonic() < end:
            fewer = tokens[:at] + tokens[at + width :]
            if bounded(replace(given, spec="".join(fewer).encode())).what == outcome.what:
                tokens = fewer
            else:
                at += width
        width //= 2
    return replace(given, spec="".join(tokens).encode())


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--first", type=int, default=0, help="the number of the first input: `--first N --inputs 1` repeats N"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--save", type=Path, default=Path(tempfile.gettempdir()) / "colosseum-fuzz", help="where failing inputs go"
    )
    options = parser.parse_args()
    start = time.monotonic()
    tally = run(options.inputs, options.seed, first=options.first, jobs=options.jobs, save=options.save, loud=True)
    print("\n".join(tally.lines()))  # noqa: T201
    print(f"{time.monotonic() - start:.0f} s")  # noqa: T201
    if tally.failures:
        print(f"failing inputs are in {options.save}")  # noqa: T201
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
