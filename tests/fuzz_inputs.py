"""Inputs that may break something. In: a source of chance; out: a spec with the files around it, one of a kind.

The kinds: bytes that are no text, soups of words, mutations of every real spec and CSV file, valid specs in which every
name means something, and paths that lead elsewhere. `fuzz_bombs.py` holds what is written to take time or memory.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from fuzz_bombs import NUMBERS, TEMPLATES, bombed, templated
from fuzz_valid import valid

ROOT = Path(__file__).parent.parent
TOKEN = re.compile(r'"""(?s:.*?)"""|"[^"\n]*"|\w+|\s+|\.\.|[<>=!]=|.', re.DOTALL)
TOP = "colosseum 1\nscenario s\nagents A, B, C\nset moves = {left, right}\nvariable move[agents]: moves\n"
ODD = ("none", "0", "-1", "1e300", "9e307 * 10", "0.5", '""', '"x y"', "{}", "on", "$3", "1..0", "1..99999999", "links", "total",
       "payoff", "agents - agents", "(A, B)", "{1: 2}", "not", "/ 0", "~", "me", "size(agents)", "sample(agents, 9)", "\x00",
       "\u202e", "007", "1e999", "..", "pairs(agents)", "steps(agents)", "|", "{", "}", '"""', "#", "override")  # fmt: skip
SLOW = ("hospital", "meetings", "grid")
"""Large specs, of which a twentieth as many mutations are tried as of others: each takes seconds."""


@dataclass(frozen=True)
class Input:
    """A spec, `any.colo`, and what else its folder holds."""

    kind: str
    spec: bytes
    files: dict[str, bytes] = field(default_factory=dict)
    """Other files, by path."""
    links: dict[str, str] = field(default_factory=dict)
    """Symbolic links and where they lead."""
    special: dict[str, str] = field(default_factory=dict)
    """`fifo`, or `sparse` for a file of 2 GiB, by path."""
    tight: bool = False
    """Written to take time or memory, so it must be refused at once."""

    def lay(self, folder: Path) -> Path:
        """Write it all to a folder; returns the spec's path."""
        import os

        for name, content in {**self.files, "any.colo": self.spec}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for name, target in self.links.items():
            (folder / name).symlink_to(target)
        for name, what in self.special.items():
            if what == "fifo":
                os.mkfifo(folder / name)
            else:
                with (folder / name).open("wb") as file:
                    file.truncate(2 * 1024**3)
        return folder / "any.colo"


Chance = random.Random


# ---- what there is ------------------------------------------------------------------------------------------------


@cache
def sources() -> dict[str, list[str]]:
    """The tokens of every spec of the project, the bad ones included, by path."""
    found = {}
    for folder in ("specs", "specs/lib", "tests/good", "tests/bad"):
        for path in sorted((ROOT / folder).glob("*.colo")):
            try:
                found[f"{folder}/{path.name}"] = TOKEN.findall(path.read_bytes().decode())
            except UnicodeDecodeError:
                continue
    return found


@cache
def around(folder: str) -> dict[str, bytes]:
    """The files beside a spec that it may read."""
    base = ROOT / folder
    beside = [*base.glob("*.colo"), *base.glob("lib/*.colo"), *base.rglob("*.csv")]
    return {str(path.relative_to(base)): path.read_bytes() for path in sorted(beside) if path.is_file()}


@cache
def words() -> list[str]:
    """Every word of every spec, and of the grammar."""
    grammar = (ROOT / "grammar" / "colosseum.lark").read_text(encoding="utf-8")
    quoted = re.findall(r'"([^"\\\s]+)"', grammar)
    every = {t for tokens in sources().values() for t in tokens if t.strip() and len(t) < 40}
    return sorted(every | set(quoted))


@cache
def terminals() -> list[str]:
    """The words of the grammar, with a few of each open kind."""
    grammar = (ROOT / "grammar" / "colosseum.lark").read_text(encoding="utf-8")
    quoted = sorted(set(re.findall(r'"([^"\\\s]+)"', grammar)))
    signs = [
        "not in",
        "per unit",
        "\n",
        "\n  ",
        "\n| a b\nx | 1 2\n",
        "# x\n",
        '"t"',
        '"""t\nu"""',
        "$2",
        "1",
        "2.5",
        "1e3",
    ]
    return [
        *quoted,
        *signs,
        *["A", "B", "C", "a", "b", "moves", "left", "right", "move", "cost", "n", "agents", "me"],
        *"()[]{},:=~|+-*/&<>",
    ]


# ---- kinds ----------------------------------------------------------------------------------------------------------


def raw(chance: Chance) -> Input:
    """Bytes that are no text, or hardly."""
    real = "".join(chance.choice(list(sources().values()))).encode()
    size = chance.choice([0, 1, 3, 20, 300, 5000])
    match chance.randrange(10):
        case 0:
            made = chance.randbytes(size)
        case 1:
            made = real[: chance.randrange(len(real) + 1)]
        case 2:
            at = chance.randrange(len(real))
            made = (
                real[:at]
                + chance.choice([b"\xff", b"\x00", b"\xed\xa0\x80", b"\xc3", b"\xef\xbb\xbf", b"\r"])
                + real[at:]
            )
        case 3:
            made = chance.choice([b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00" * 9]) + real
        case 4:
            made = real.replace(b"\n", chance.choice([b"\r", b"\r\n", b" ", b"\x0b", b"\xc2\x85", b"\xe2\x80\xa8"]))
        case 5:
            made = TOP.encode() + chance.choice(b'ax1(|"{-[# \n\t,.~=').to_bytes(1, "big") * chance.choice(
                [999, 999, 5_000, 5_000, 30_000, 1_000_000 if chance.random() < 0.1 else 9]
            )
        case 6:
            opening, closing = chance.choice(["()", "{}", "[]", ("not ", ""), ("-", ""), ("abs(", ")"), ("1 if ", " else 1"),
                                              ("sum(", " for i in agents)"), ("{x for x in ", "}"), ("move[", "]"), ("1 + (", ")")])  # fmt: skip
            depth = chance.choice([20, 90, 400, 5000])
            made = (TOP + "reward r: " + opening * depth + "1" + closing * depth).encode()
        case 7:
            long = chance.choice(["1 + ", "A or ", "a, ", "left == ", "move[A] ", '"x" ', "{ ", "1..", "not in ", "| "])
            made = (
                TOP
                + "reward r: "
                + long * chance.choice([100, 500, 500, 2_000, 20_000 if chance.random() < 0.1 else 9])
                + "1"
            ).encode()
        case 8:
            changed = bytearray(real)
            for _ in range(chance.choice([1, 3, 30])):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            made = bytes(changed)
        case _:
            line = chance.choice(
                ["param p{} = 1", "set s{} = {{a{}}}", "reward r{}: 1", "agents2", "}}", "table t{} = 1", 'use "x{}"']
            )
            made = (
                TOP
                + "\n".join(
                    line.format(i, i) for i in range(chance.choice([50, 50, 1500 if chance.random() < 0.2 else 300]))
                )
            ).encode()
    return Input("bytes", made)


def soup(chance: Chance) -> Input:
    """Words of the grammar in any order, after a good beginning or none."""
    many = chance.choice([3, 8, 20, 60, 300])
    made = " ".join(chance.choice(terminals()) for _ in range(many))
    return Input("soup", ((TOP if chance.random() < 0.8 else "") + made).encode())


def mutation(chance: Chance) -> Input:
    """A real spec with a few tokens or lines changed, or two of them spliced."""
    names = [n for n in sorted(sources()) if "bad" not in n or chance.random() < 0.4]
    name = chance.choice(names)
    if any(slow in name for slow in SLOW) and chance.random() < 0.95:
        name = chance.choice([n for n in names if not any(slow in n for slow in SLOW)])
    tokens = list(sources()[name])
    mutate = chance.choice([changed, alike])
    for _ in range(chance.choice([1, 1, 1, 2, 3, 6])):
        tokens = mutate(tokens, chance)
    return Input("mutation", "".join(tokens).encode(), around(name.rpartition("/")[0]))


def changed(tokens: list[str], chance: Chance) -> list[str]:
    """One mutation."""
    if not tokens:
        return [chance.choice(ODD)]
    at, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
    match chance.randrange(9):
        case 0:
            del tokens[at]
        case 1:
            tokens.insert(at, tokens[at])
        case 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case 3 | 4:
            places = [i for i, token in enumerate(tokens) if token.strip()] or [at]
            tokens[chance.choice(places)] = chance.choice([*ODD, chance.choice(words()), chance.choice(words())])
        case 5:
            tokens.insert(at, f" {chance.choice([*ODD, chance.choice(words())])} ")
        case 6:
            del tokens[at : at + chance.choice([2, 5, 20])]
        case 7:
            lines = "".join(tokens).splitlines(keepends=True)
            one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
            match chance.randrange(3):
                case 0:
                    del lines[one]
                case 1:
                    lines.insert(two, lines[one])
                case _:
                    lines[one], lines[two] = lines[two], lines[one]
            return TOKEN.findall("".join(lines))
        case _:
            others = sources()[chance.choice([n for n in sorted(sources()) if "hospital" not in n])]
            start = chance.randrange(len(others))
            tokens[at:at] = ["\n", *others[start : start + chance.choice([10, 60, 9999])]]
    return tokens


def alike(tokens: list[str], chance: Chance) -> list[str]:
    """A mutation after which the spec may still mean something: a word for another of its kind."""
    places = [i for i, token in enumerate(tokens) if re.fullmatch(r"\d+|\w+|[-+*/<>]|[<>=!]=", token)] or [0]
    at = chance.choice(places)
    old = tokens[at] if tokens else ""
    if old.isdigit():
        new = chance.choice(["0", "1", "2", "3", "7", "12", "40", "0.5", "1e3"])
    elif old in ("+", "-", "*", "/"):
        new = chance.choice("+-*/")
    elif old in ("<", ">", "<=", ">=", "==", "!="):
        new = chance.choice(["<", ">", "<=", ">=", "==", "!="])
    else:
        new = tokens[chance.choice(places)]
    return [*tokens[:at], new, *tokens[at + 1 :]]


SHEETED = """colosseum 1
scenario s
agents A, B
set tasks from "tasks.csv"
table cost[agents, tasks] from "cost.csv"
variable pick[agents]: tasks
reward r[a in agents]: -cost[a, pick[a]] + weight[pick[a]]
"""


def sheet(chance: Chance) -> Input:
    """CSV files, changed."""
    good = {
        "tasks.csv": b'tasks,weight\nt1,1\nt2,2.5\n"t 3",1e2\n',
        "cost.csv": b"agents,t1,t2,t 3\nA,1,2,3\nB,4,5,6\n",
    }
    if chance.random() < 0.3:
        good["cost.csv"] = b"agents,tasks,cost\n" + b"".join(
            f"{a},{t},{chance.randrange(9)}\n".encode() for a in "AB" for t in ("t1", "t2", "t 3")
        )
    name = chance.choice(sorted(good))
    content = good[name]
    for _ in range(chance.choice([1, 1, 2, 4])):
        at = chance.randrange(len(content) + 1)
        bit = chance.choice([b",", b"\n", b'"', b"\r", b"\x00", b"\xff", b"nan", b"inf", b"1e999", b"none", b"A", b"t1", b" ", b"\xef\xbb\xbf",
                             b"," * 9999, b"x" * 99999, b"1" * 400, b"1e-400", b"-", b"7", b"2", b"0.5", b"3", b"\xd9\xa3", b";", b"=", b"\n" * 9999])  # fmt: skip
        match chance.randrange(3):
            case 0:
                content = content[:at] + bit + content[at:]
            case 1:
                content = content[:at] + content[at + chance.choice([1, 3, 9]) :]
            case _:
                content = content[:at] + bit + content[at + len(bit) :]
    return Input("csv", SHEETED.encode(), {**good, name: content})


def path(chance: Chance) -> Input:
    """Paths that lead out of the folder, to what is no file, or in circles."""
    spec, files, links, special = TOP, dict[str, bytes](), dict[str, str](), dict[str, str]()
    end = chance.choice(["colo", "csv", "CSV", "Colo", ""])
    wild = ["../../etc/passwd", "/etc/passwd", "/dev/zero", "/dev/stdin", "..", ".", "", "x/../../y", "~/x", "C:\\x", "\\\\a\\b", "file:///etc/passwd",
            "http://a.b/c", "a\\x00b", "a" * 5000, "a/" * 3000 + "b", "any.colo", "ANY.colo", "./any.colo", "sub/../any.colo", "con", "x\u202ey",
            "/proc/self/mem", "/proc/self/environ", "//etc/passwd", "./../etc", "sub", "/"]  # fmt: skip
    target = chance.choice(wild)
    match chance.randrange(7):
        case 0:
            links = {
                f"l.{end}": chance.choice(
                    [
                        "/etc/passwd",
                        "/dev/zero",
                        "/dev/random",
                        "..",
                        f"l.{end}",
                        "any.colo",
                        "/proc/self/mem",
                        "no",
                        "/",
                    ]
                )
            }
            target = f"l.{end}"
        case 1:
            special, target = {f"s.{end}": chance.choice(["fifo", "sparse"])}, f"s.{end}"
        case 2:
            many = chance.choice([3, 15, 16, 17, 60])
            files = {f"c{i}.colo": f'use "c{(i + 1) % many}.colo"\nparam q{i} = 1\n'.encode() for i in range(many)}
            if chance.random() < 0.5:
                files[f"c{many - 1}.colo"] = b"param z = 1\n"
            target = "c0.colo"
        case 3:
            many = chance.choice([5, 14])
            files = {f"d{i}.colo": (f'use "d{i + 1}.colo"\n' * 4).encode() for i in range(many)}
            target = "d0.colo"
        case 4:
            files = {
                "a/b/c.colo": f'use "{chance.choice(["../../any.colo", "../../../x", "d.colo", "../c.colo"])}"\n'.encode()
            }
            target = "a/b/c.colo"
        case 5:
            links, files = (
                {"sub": chance.choice(["/etc", "..", "real"])},
                {"real/p.colo": b"param p = 1\n", "real/p.csv": b"x\n1\n"},
            )
            target = chance.choice(["sub/p.colo", "sub/passwd", "sub/p.csv", "sub/sub/p.colo"])
        case _:
            pass
    statement = chance.choice(
        ['use "{}"\n', 'set t from "{}"\n', 'table t[agents] from "{}"\n', 'use "{}"\nuse "{}"\n']
    )
    return Input(
        "path",
        (spec + statement.replace("{}", target)).encode(errors="surrogatepass"),
        files,
        links,
        special,
        tight=True,
    )


def bomb(chance: Chance) -> Input:
    """Numbers, loops and products written to grow."""
    return Input("bomb", bombed(chance, NUMBERS).encode(), tight=True)


def template(chance: Chance) -> Input:
    """Prompts written to run for ever, or to reach what they should not."""
    return Input("template", templated(chance, TEMPLATES).encode(), tight=True)


def sound(chance: Chance) -> Input:
    """A valid spec, every name of which means something."""
    return Input("valid", valid(chance).encode())


KINDS: tuple[tuple[int, Callable[[Chance], Input]], ...] = (
    (12, raw), (14, soup), (38, mutation), (8, sheet), (16, sound), (2, bomb), (6, template), (4, path),
)  # fmt: skip
"""Of a hundred inputs, how many are of each kind."""


def made(seed: int, number: int) -> Input:
    """The input of a number: the same in every process."""
    chance = random.Random(f"{seed}/{number}")
    weights, kinds = zip(*KINDS, strict=True)
    return chance.choices(kinds, weights)[0](chance)
