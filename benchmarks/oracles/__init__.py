"""What other tools say that calls mean, for benchmarks/code_graph.py."""
