"""What core and a harness agree on."""
