"""Means, intervals and exact tests, one idea a file, all of them pure; scipy is imported where it is needed."""
