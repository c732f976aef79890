"""Campaigns. In: trials and a folder; out: runs in it, each exactly once, whatever is interrupted."""
