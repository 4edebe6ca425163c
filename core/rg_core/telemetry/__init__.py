"""What memory served, what was used of it, and whether it pays: one private file per user, never sent."""
