"""Headers, tries, waits: what goes over the wire and what a caller is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rg_core.github.client import RAW, Client
from rg_core.github.errors import GitHubError, RateLimited, TooHeavy, Unauthorized, Unreachable
from tests.core.sweep.bench import Clock
from tests.github_standin.rest import Reply
from tests.github_standin.samples import small_world
from tests.github_standin.server import TOKEN, Standin

VIEWER = "{ viewer { login } }"


@pytest.fixture
def standin() -> Iterator[Standin]:
    with Standin(small_world(), clock=Clock()) as running:
        yield running


@pytest.fixture
def client(standin: Standin) -> Iterator[Client]:
    clock = standin.clock
    assert isinstance(clock, Clock)
    made = Client(standin.url, TOKEN, clock=clock, sleep=clock.sleep)
    yield made
    made.close()


def slept(client: Client) -> list[float]:
    assert isinstance(client.clock, Clock)
    return client.clock.slept


def test_every_graphql_request_asks_for_next_ids_and_says_who_asks(standin: Standin, client: Client) -> None:
    client.graphql(VIEWER, {})
    headers = standin.headers[-1]
    assert headers["x-github-next-global-id"] == "1"
    assert headers["user-agent"].startswith("rg-memory/")
    assert headers["authorization"] == f"Bearer {TOKEN}"


def test_points_and_requests_are_counted(standin: Standin, client: Client) -> None:
    client.graphql("{ rateLimit { cost } viewer { login } }", {})
    client.get("/repos/acme/widgets")
    assert (client.points, client.requests) == (1, 2)


@pytest.mark.parametrize("kind", ["502", "504", "drop", "truncated", "html", "something_wrong"])
def test_passing_faults_are_tried_again_with_growing_waits(kind: str, standin: Standin, client: Client) -> None:
    standin.fail(kind, times=2)  # type: ignore[arg-type]
    assert client.graphql(VIEWER, {}).data == {"viewer": {"login": "viewer"}}
    assert slept(client) == [1.0, 4.0]
    standin.fail(kind, times=9)  # type: ignore[arg-type]
    with pytest.raises(TooHeavy):
        client.graphql(VIEWER, {})
    assert len(standin.asked) == 3 + 4


def test_a_wide_query_is_left_to_its_caller_at_once(standin: Standin, client: Client) -> None:
    standin.fail("502")
    with pytest.raises(TooHeavy):
        client.graphql(VIEWER, {}, tries=1)
    assert slept(client) == []


def test_a_used_up_limit_is_known_before_the_next_question(standin: Standin, client: Client) -> None:
    standin.fail("rate_limited")
    with pytest.raises(RateLimited) as caught:
        client.graphql(VIEWER, {})
    assert caught.value.resets_at >= client.clock() + 3600
    with pytest.raises(RateLimited):
        client.graphql(VIEWER, {})
    assert len(standin.asked) == 1


def test_a_limit_that_ends_soon_is_waited_for(standin: Standin, client: Client) -> None:
    client.graphql(VIEWER, {})
    bucket = standin.bucket("graphql", 5000)
    bucket.used, bucket.reset = bucket.limit, int(client.clock()) + 30
    standin.fail("rate_limited")
    assert client.graphql(VIEWER, {}).data["viewer"] == {"login": "viewer"}
    assert slept(client) == [31.0]


def test_a_bad_token(standin: Standin) -> None:
    client = Client(standin.url, "ghp_secretSecretSecret")
    for ask in (lambda: client.graphql(VIEWER, {}), lambda: client.get("/repos/acme/widgets")):
        with pytest.raises(Unauthorized) as caught:
            ask()
        assert "secretSecret" not in str(caught.value) + repr(client)
    client.close()


def test_no_network() -> None:
    clock = Clock()
    client = Client("http://127.0.0.1:9", TOKEN, clock=clock, sleep=clock.sleep)
    with pytest.raises(Unreachable, match=r"http://127\.0\.0\.1:9") as caught:
        client.graphql(VIEWER, {})
    assert TOKEN not in str(caught.value)
    client.close()


def test_redirects_inside_the_api_are_followed(standin: Standin, client: Client) -> None:
    standin.world.repos["acme/gears"].rename("acme/cogs")
    reply = client.get("/repos/acme/gears")
    assert (reply.status, reply.body["full_name"], len(standin.asked)) == (200, "acme/cogs", 2)


def test_redirects_that_lead_in_a_circle_end(standin: Standin, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    circle = Reply(301, {"message": "Moved Permanently"}, {"Location": f"{standin.url}/repos/acme/gears"})
    monkeypatch.setattr(standin, "_rest", lambda *_: circle)
    with pytest.raises(GitHubError, match="without end"):
        client.get("/repos/acme/gears")
    assert len(standin.asked) == 6


@pytest.mark.parametrize("url", ["/repositories/7?page=2", "https://api.github.com/repositories/7?page=2"])
def test_a_url_inside_the_api_is_led_to_the_configured_one(url: str, client: Client) -> None:
    assert client._inside(url) == f"{client.api_url}/repositories/7?page=2"


def test_a_redirect_to_elsewhere_is_refused(client: Client) -> None:
    with pytest.raises(GitHubError, match="outside its API"):
        client._inside("https://evil.example/repos/acme/widgets")


def test_without_a_token_no_authorization_is_sent(standin: Standin, client: Client) -> None:
    client.get("/repos/acme/widgets", anonymous=True)
    assert "authorization" not in standin.headers[-1]


def test_raw_content_is_not_parsed(client: Client) -> None:
    assert client.get("/repos/acme/widgets/readme", accept=RAW).body == b"# Widgets\n\nHow to use them.\n"


@pytest.mark.parametrize(("path", "status"), [("/repos/acme/none", 404), ("/repos/acme/secret", 404)])
def test_what_is_not_there_is_a_reply(path: str, status: int, client: Client) -> None:
    assert client.get(path, anonymous=True).status == status
