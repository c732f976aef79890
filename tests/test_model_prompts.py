"""How a prompt reads once it is rendered: which lines of a template are lines of the text."""

from pathlib import Path

from specs_made import TEAM, expanded

LINES = '''prompt briefing for agents """
  You are {{ me }}:{% for a in agents %} {{ a }}{% endfor %}
  {% for m in moves %}
  - {{ m }}{% if m == left %} (west){% endif %}
  {% endfor %}
  {% if me == A %}{% endif %}
  Go.
"""'''


def test_only_lines_of_nothing_but_blocks_vanish(tmp_path: Path) -> None:
    briefing = expanded(tmp_path, TEAM + LINES).prompts[0]
    told = dict(briefing.variants[0].texts)["B"]
    assert told == "You are B: A B C\n- left (west)\n- right\nGo."
