"""`Campaign.figures`: tidy tables of what the runs of a folder show."""

from pathlib import Path

import pytest
from conftest import SPECS
from test_cli_commands import colosseum as command

import colosseum
from colosseum.report.figure_tables import KINDS


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> colosseum.Campaign:
    folder: Path = tmp_path_factory.mktemp("figures") / "runs"
    done = command("audit", SPECS / "toy.colo", "--seeds", "1..3", "--out", folder)
    assert done.returncode == 0, done.stderr
    return colosseum.Campaign(folder)


def test_a_row_is_a_run_a_pair_an_agent_or_a_post(campaign: colosseum.Campaign) -> None:
    runs, pairs, agents, posts = (campaign.figures(kind) for kind in KINDS)
    assert (len(runs.rows), len(pairs.rows), len(agents.rows)) == (9, 6, 27)
    assert {"joint_payoff", "regret", "calls", "prompt_tokens", "completion_tokens", "cost"} <= {*runs.columns}
    assert {"arm", "seed", "u", "outsider_loss", "regret"} <= {*pairs.columns}
    assert {"agent", "player", "member", "payoff", "best_response_regret", "posts"} <= {*agents.columns}
    written = agents.columns.index("posts")
    assert len(posts.rows) == sum(row[written] for row in agents.rows)


def test_a_table_makes_a_data_frame_with_the_figures_of_the_report(campaign: colosseum.Campaign) -> None:
    pairs = campaign.figures("pairs").to_pandas()
    summary = campaign.findings.summary.points[0].comparisons[1]
    mean = pairs[pairs["arm"] == summary.arm]["regret"].mean()
    assert mean == pytest.approx(summary.differences["regret"].paired.mean.value)
    agents = campaign.figures("agents").to_pandas()
    assert agents["member"].sum() == 2 * 9


def test_another_kind_is_refused(campaign: colosseum.Campaign) -> None:
    with pytest.raises(colosseum.ColosseumError, match="there are no figures of `pair`"):
        campaign.figures("pair")
