"""How much each leg counts: measured defaults, and what the configuration makes of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rg_core.config import Recall

K = 60.0
HALF_LIFE_DAYS = 180.0
TEMPORAL = 0.1
MEASURED = {"vec": 1.0, "lex": 2.0, "graph": 1.0}
EQUAL = {"vec": 1.0, "lex": 1.0, "graph": 1.0}
RELATION = 8.0  # of the graph, where a query names something that has edges and asks for relations


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of one configuration."""

    usual: Mapping[str, float]
    by_class: Mapping[str, Mapping[str, float]]
    boost: bool  # whether the graph counts more for a query that asks for relations

    def of(self, query_class: str, *, relations: bool) -> dict[str, float]:
        """The weights for a query of this class; `relations`: it names something with edges and asks for relations."""
        weights = dict(self.by_class.get(query_class, self.usual))
        if relations and self.boost:
            weights["graph"] = max(RELATION, weights["graph"]) if weights["graph"] else 0.0
        return weights | {"temporal": TEMPORAL}


def weights_of(config: Recall) -> Weights:
    """The weights that a configuration asks for."""
    usual = MEASURED if config.weights == "measured" else EQUAL
    by_class = {}
    for entry in config.class_weights:
        name, _, numbers = entry.partition("=")
        by_class[name] = dict(zip(MEASURED, map(float, numbers.split(":")), strict=True))
    return Weights(usual, by_class, boost=config.weights == "measured")
