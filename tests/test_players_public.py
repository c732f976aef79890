"""What is public for agents of your own: everything is there, and nothing is loaded before it is named."""

import subprocess
import sys

import colosseum as public


def test_everything_public_is_there() -> None:
    for name in public.__all__:
        assert getattr(public, name) is not None


def test_nothing_is_loaded_before_it_is_named() -> None:
    words = "import sys, colosseum; print([m for m in sys.modules if m.startswith('colosseum')])"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "['colosseum']"


def test_constructors_give_calls_whose_ids_are_the_runs() -> None:
    assert public.decide("seat[Bo]", ("left", 2)) == public.ToolCall(
        "", "decide", {"variable": "seat[Bo]", "value": "(left, 2)"}
    )
    assert public.decide("seat[Bo]", None).arguments == {"variable": "seat[Bo]", "value": None}
    assert public.post("public", "hi").arguments == {"channel": "public", "text": "hi"}
    assert (public.done().tool, public.done().arguments) == ("done", {})
    assert public.state_belief("late", "true", 80).tool == "state_belief"
