"""Puts rg-memory into the files of a harness, shows what it will change, and takes back exactly that."""
