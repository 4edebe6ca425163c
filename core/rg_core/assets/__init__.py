"""Governed assets: skills, wikis, conversations and code graphs that reach the right agent, under a budget."""
