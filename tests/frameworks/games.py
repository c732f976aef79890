"""What teams of frameworks play. In: a team; out: the spans of two games, written by the real OpenTelemetry SDK.

A program's one argument is the file of spans, OTLP as JSON lines. Models are asked at OPENAI_BASE_URL.
"""

import asyncio
import os
import sys

os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "span_only"

from opentelemetry import trace
from opentelemetry.exporter.otlp.json.file import FileSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

AGENTS = "ABC"
TASKS = ("Say a word to the others.", "Choose a side.")
PROVIDER = TracerProvider()
PROVIDER.add_span_processor(BatchSpanProcessor(FileSpanExporter(sys.argv[1])))
trace.set_tracer_provider(PROVIDER)
TRACER = trace.get_tracer("games")


def prompt(name, arm):
    """What an agent is told."""
    return f"You are {name}. This is arm {arm}."


def say(room: str, words: str) -> str:
    """Say something in a room."""
    return "heard"


def choose(side: str) -> str:
    """Choose left or right, once."""
    if side not in ("left", "right"):
        raise ValueError(f"there is no side {side}")
    return "noted"


async def _play(team_of):
    for arm in ("baseline", "prompted"):
        with TRACER.start_as_current_span("game", attributes={"game.arm": arm, "game.seed": 1}):
            team = team_of(arm)
            for number, task in enumerate(TASKS, start=1):
                with TRACER.start_as_current_span("round", attributes={"game.round": number}):
                    await team(task)


def play(team_of):
    """Play each arm once: `team_of(arm)` is a coroutine function, which gives a task to every agent."""
    asyncio.run(_play(team_of))
    PROVIDER.shutdown()
