"""Charts of a report: findings in, descriptions of charts out; a str in place of one says why there is none."""
