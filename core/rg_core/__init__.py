"""The core of rg-memory: addresses, memory, the Sweep and the readers. It knows no harness."""

__version__ = "0.1.0"
