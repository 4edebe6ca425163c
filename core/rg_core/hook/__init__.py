"""rg-hook: notes each read, tells what memory has; never blocks."""
