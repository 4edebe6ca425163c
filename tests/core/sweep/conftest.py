from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.core.sweep.bench import Bench, Clock
from tests.github_standin.server import TOKEN, Standin
from tests.github_standin.world import World

MakeBench = Callable[..., Bench]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[MakeBench]:
    """Make a Bench over a World: `bench(world)`, `bench(world, token="")`."""
    running: list[Bench] = []

    def make(world: World, token: str = TOKEN, **options: object) -> Bench:
        clock = Clock()
        standin = Standin(world, clock=clock, **options)  # type: ignore[arg-type]
        standin.__enter__()
        running.append(Bench(tmp_path / f"data{len(running)}", standin, clock, token))
        return running[-1]

    yield make
    for made in running:
        made.store.close()
        made.standin.__exit__(None)
