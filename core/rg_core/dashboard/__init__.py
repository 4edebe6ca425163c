"""The page that shows one person what memory holds, what it served, and whether it pays."""
