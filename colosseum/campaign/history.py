"""Lengths of earlier replies on this machine. In: runs of a folder; out: numbers for later campaigns.

One small file in the user's cache folder, by model (with its address and parameters) and spec. All that stands in it
are digests and numbers. Where it cannot be read or written there is none.
"""

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from pydantic import TypeAdapter, ValidationError

from colosseum.campaign.folder import Folder, replace_file
from colosseum.campaign.lengths import MOST_MEASURED, Basis, Lengths, measure
from colosseum.language.tables import cache_folder, is_ours
from colosseum.model.json_text import encode
from colosseum.players.models.request import Endpoint
from colosseum.run.trial import Listed

MOST_KEPT = 200
"""Models in the history; the oldest go."""

History: TypeAlias = dict[str, dict[str, Lengths]]
"""By endpoint and spec, as digests."""
_HISTORY = TypeAdapter(History)


def _path() -> Path | None:
    """Of the file; None where there is no place that is ours alone."""
    folder = cache_folder()
    return folder / "lengths.json" if folder is not None and is_ours(folder) else None


def read_history() -> History:
    """What is on file; empty where nothing is, or where it cannot be read."""
    path = _path()
    try:
        return {} if path is None else _HISTORY.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return {}


def recall(history: History, spec: str, endpoint: Endpoint) -> tuple[Lengths, Basis]:
    """The lengths of a model in a spec, else in other specs, else none."""
    specs = history.get(_digest(endpoint), {})
    if spec in specs:
        return specs[spec], "this model in this spec"
    return sum(specs.values(), Lengths()), "this model in other specs" if specs else "defaults"


def remember(spec: str, endpoints: Mapping[str, Endpoint], folder: Folder, listed: Iterable[Listed]) -> None:
    """Keep the lengths of a folder's runs for later campaigns. A file that cannot be written is left out."""
    path, runs = _path(), [each for each in listed if folder.result_path(each.trial).exists()]
    if path is None or not runs or not endpoints:
        return
    seen = read_history()
    for model, lengths in measure(folder, runs[:: math.ceil(len(runs) / MOST_MEASURED)], {}).items():
        if lengths.counted and model in endpoints:
            name = _digest(endpoints[model])
            seen[name] = {**seen.pop(name, {}), spec: lengths}
    kept = dict(list(seen.items())[-MOST_KEPT:])
    with suppress(OSError):
        replace_file(path, _HISTORY.dump_json(kept))


def spec_digest(files: Mapping[str, str]) -> str:
    """Of a spec's files, given by name with their SHA-256."""
    return sha256(" ".join(sorted(files.values())).encode()).hexdigest()[:24]


def _digest(endpoint: Endpoint) -> str:
    """Equal for the same model at the same address with the same parameters, but for the temperature."""
    asked = {**endpoint.parameters, "temperature": None, "model": endpoint.model, "at": endpoint.api_base}
    return sha256(encode(asked).encode()).hexdigest()[:24]
