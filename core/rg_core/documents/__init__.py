"""Documents and notes: a project's own texts, with their versions and what they say of each other."""
