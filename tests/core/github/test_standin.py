"""The stand-in is GitHub where it matters: its schema, limits and meanings."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLUnionType,
    build_schema,
    parse,
    validate,
)

from rg_core.github import graphql
from rg_core.github.faults import MAY_BE_MISSING
from rg_core.github.whole import KINDS
from tests.github_standin.samples import busy_world, small_world
from tests.github_standin.server import TOKEN, Standin
from tests.github_standin.trim import KEEP, SCHEMA, trim
from tests.github_standin.world import World

ROOT = Path(__file__).parents[3]


def published_schema() -> Path | None:
    """Where npm has put GitHub's own schema, here or globally."""
    places = [ROOT / "node_modules", Path(os.environ.get("RG_NODE_MODULES", "-"))]
    try:
        listed = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True, check=False, timeout=20)
        places.append(Path(listed.stdout.strip() or "-"))
    except OSError:
        pass
    found = (place / "@octokit" / "graphql-schema" / "schema.graphql" for place in places)
    return next((path for path in found if path.exists()), None)


def test_the_schema_is_a_subset_of_githubs() -> None:
    path = published_schema()
    if path is None:
        pytest.skip("npm install @octokit/graphql-schema, here or globally, to compare with GitHub's own schema")
    text = path.read_text(encoding="utf-8")
    assert SCHEMA.read_text(encoding="utf-8") == trim(text)
    theirs = build_schema(text, assume_valid=True, assume_valid_sdl=True).type_map
    for name, ours in build_schema(SCHEMA.read_text(encoding="utf-8")).type_map.items():
        if name in KEEP:
            assert type(ours) is type(theirs[name])
            _is_part(ours, theirs[name])


def test_our_queries_are_valid_in_githubs_schema() -> None:
    path = published_schema() or SCHEMA
    schema = build_schema(path.read_text(encoding="utf-8"), assume_valid=True, assume_valid_sdl=True)
    arguments = dict.fromkeys(("states", "labels", "filterBy", "orderBy"))
    connections = [("x", "PullRequest", name, "c") for name in graphql.OF_PULL]
    queries = [
        *(graphql.whole(kind) for kind in KINDS),
        *(graphql.whole(kind, {name}) for kind in KINDS for name in MAY_BE_MISSING),
        graphql.lookup([("a/b", [1, 2], [3]), ("c/d", [], [])])[0],
        graphql.search(inside=True),
        graphql.search(inside=False),
        graphql.listing("issues", arguments),
        graphql.listing("pulls", {"states": None, "orderBy": None}),
        graphql.more([*connections, ("x", "PullRequestReviewThread", "comments", "c")])[0],
    ]
    for query in queries:
        assert [error.message for error in validate(schema, parse(query))] == []


def _is_part(ours: Any, theirs: Any) -> None:
    if isinstance(ours, GraphQLObjectType | GraphQLInterfaceType):
        for name, field in ours.fields.items():
            assert str(field.type) == str(theirs.fields[name].type)
            for argument, value in field.args.items():
                assert str(value.type) == str(theirs.fields[name].args[argument].type)
            required = {n for n, a in theirs.fields[name].args.items() if str(a.type).endswith("!")}
            assert required <= field.args.keys()
    elif isinstance(ours, GraphQLInputObjectType):
        assert {n: str(f.type) for n, f in ours.fields.items()} == {n: str(f.type) for n, f in theirs.fields.items()}
    elif isinstance(ours, GraphQLUnionType):
        assert {each.name for each in ours.types} <= {each.name for each in theirs.types}
    elif isinstance(ours, GraphQLEnumType):
        assert set(ours.values) == set(theirs.values)


@pytest.fixture
def standin() -> Iterator[Standin]:
    with Standin(small_world()) as running:
        yield running


def ask(standin: Standin, query: str, **variables: object) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {TOKEN}", "X-Github-Next-Global-ID": "1"}
    answer = httpx2.post(f"{standin.url}/graphql", json={"query": query, "variables": variables}, headers=headers)
    body: dict[str, Any] = answer.json()
    return body


def test_labels_of_a_connection_are_or(standin: Standin) -> None:
    query = '{repository(owner:"acme",name:"widgets"){issues(first:10,labels:["perf","help wanted"]){totalCount}}}'
    assert ask(standin, query)["data"]["repository"]["issues"]["totalCount"] == 2


def test_a_search_ands_labels(standin: Standin) -> None:
    query = '{search(type:ISSUE,first:10,query:"repo:acme/widgets label:bug label:perf"){issueCount}}'
    assert ask(standin, query)["data"]["search"]["issueCount"] == 1


@pytest.mark.parametrize(
    ("query", "type"),
    [
        ('{repository(owner:"a",name:"b"){issues(first:101){pageInfo{hasNextPage}}}}', "EXCESSIVE_PAGINATION"),
        ('{repository(owner:"a",name:"b"){issues{pageInfo{hasNextPage}}}}', "MISSING_PAGINATION_BOUNDARIES"),
        (
            '{repository(owner:"a",name:"b"){issues(first:100){nodes{comments(first:100){nodes{issue{'
            "comments(first:100){totalCount}}}}}}}}",
            "MAX_NODE_LIMIT_EXCEEDED",
        ),
        ("{nodes(ids:[" + ",".join(['"x"'] * 101) + "]){id}}", "ARGUMENT_LIMIT"),
    ],
)
def test_what_is_too_large_is_refused(query: str, type: str, standin: Standin) -> None:
    answer = ask(standin, query)
    assert answer.get("data") is None
    assert answer["errors"][0]["type"] == type


def test_a_hundred_issues_with_six_connections_cost_six_points(standin: Standin) -> None:
    parts = " ".join(f"c{n}: comments(first: 100) {{ totalCount }}" for n in range(6))
    query = f'{{rateLimit{{cost}} repository(owner:"acme",name:"widgets"){{issues(first:100){{nodes{{{parts}}}}}}}}}'
    assert ask(standin, query)["data"]["rateLimit"]["cost"] == 6


def test_an_unknown_id_is_null_beside_good_ones(standin: Standin) -> None:
    good = standin.world.repos["acme/widgets"].things[1].node_id
    answer = ask(standin, "query($ids:[ID!]!){nodes(ids:$ids){id}}", ids=["I_nothing", good])
    assert answer["data"]["nodes"] == [None, {"id": good}]
    assert (answer["errors"][0]["type"], answer["errors"][0]["path"]) == ("NOT_FOUND", ["nodes", 0])


def test_wide_queries_lose_nested_nodes_silently() -> None:
    world = World()
    repo = world.repo("o/r")
    for _ in range(70):
        issue = repo.issue()
        for _ in range(10):
            issue.mentioned_by(repo.things[1])
    query = "query($ids:[ID!]!){nodes(ids:$ids){...on Issue{timelineItems(first:100){totalCount}}}}"
    ids = [thing.node_id for thing in repo.things.values()]
    with Standin(world) as standin:
        whole = ask(standin, query, ids=ids[:40])
        lossy = ask(standin, query, ids=ids)
    assert {node["timelineItems"]["totalCount"] for node in whole["data"]["nodes"]} == {10}
    assert all(node["timelineItems"]["totalCount"] < 10 for node in lossy["data"]["nodes"])
    assert "errors" not in lossy


def test_graphql_needs_a_token(standin: Standin) -> None:
    answer = httpx2.post(f"{standin.url}/graphql", json={"query": "{viewer{login}}"})
    assert (answer.status_code, answer.headers["x-ratelimit-remaining"]) == (401, "0")


def test_rest_lists_link_their_pages_and_answer_etags(standin: Standin) -> None:
    url = f"{standin.url}/repos/acme/widgets/issues?state=all&per_page=2"
    first = httpx2.get(url)
    assert [row["number"] for row in first.json()] == [5, 4]
    assert "pull_request" in first.json()[0]
    assert [row["number"] for row in httpx2.get(first.links["next"]["url"]).json()] == [3, 2]
    assert httpx2.get(url, headers={"If-None-Match": first.headers["etag"]}).status_code == 304


def test_sixty_requests_an_hour_without_a_token() -> None:
    with Standin(busy_world(1, 0)) as standin:
        answers = [httpx2.get(f"{standin.url}/repos/acme/busy") for _ in range(61)]
    assert [answer.status_code for answer in answers] == [200] * 60 + [403]
    assert answers[-1].headers["x-ratelimit-remaining"] == "0"


def test_moved_and_missing_things(standin: Standin) -> None:
    world = standin.world
    widgets = world.repos["acme/widgets"]
    world.transfer(widgets.things[3], world.repos["acme/gears"])
    widgets.delete(2)
    paths = {"issues/3": 301, "issues/3/comments": 404, "issues/2": 410, "issues/99": 404, "pulls/1": 404}
    for path, status in paths.items():
        assert httpx2.get(f"{standin.url}/repos/acme/widgets/{path}").status_code == status, path
    assert httpx2.get(f"{standin.url}/repos/acme/secret").status_code == 404
    world.repos["acme/gears"].disabled = True
    assert httpx2.get(f"{standin.url}/repos/acme/gears").status_code == 451


def test_it_runs_by_hand() -> None:
    import sys

    command = [sys.executable, "-u", "-m", "tests.github_standin"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        url = json.loads(lines[1].partition(" = ")[2])
        assert httpx2.get(f"{url}/repos/acme/widgets").json()["full_name"] == "acme/Widgets"
        process.kill()
