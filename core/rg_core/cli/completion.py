"""rg-memory completion: what completes commands and options in your shell."""

from __future__ import annotations

import argparse

EPILOG = """\
  bash   rg-memory completion bash > ~/.local/share/bash-completion/completions/rg-memory
  zsh    rg-memory completion zsh > ~/.zfunc/_rg-memory     with fpath+=~/.zfunc before compinit in ~/.zshrc
  fish   rg-memory completion fish > ~/.config/fish/completions/rg-memory.fish
"""
SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"one of {', '.join(SHELLS)}")
    parser.epilog = EPILOG


def run(options: argparse.Namespace) -> int:
    """Print the script that the shell reads; it is made from the commands' own arguments."""
    import shtab

    from rg_core.cli.main import parser

    print(shtab.complete(parser(), shell=options.shell))
    return 0
