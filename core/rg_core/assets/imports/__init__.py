"""What is imported as assets: skills, wikis, conversations, code graphs. Nothing that is imported is run."""
