"""curl, wget, HTTPie and PowerShell's web commands -> the URLs they GET."""

from __future__ import annotations

from rg_core.address.found import UNKNOWN, NoAddress, word_set
from rg_core.address.parts import NOWHERE, UNTOLD, another_form

_CURL_VALUES = frozenset("AbcCdDeEFhHKmoPQrtTuUwxXyYz")
_CURL_LONG_VALUES = word_set(
    "user-agent cookie cookie-jar continue-at data data-ascii data-binary data-raw data-urlencode json dump-header"
    " referer cert form form-string header config max-time output quote range telnet-option upload-file user proxy-user"
    " write-out proxy request url connect-timeout retry retry-delay retry-max-time cacert capath ciphers interface"
    " limit-rate max-redirs resolve connect-to url-query netrc-file oauth2-bearer key key-type output-dir http-proxy"
    " max-filesize noproxy proto proto-default socks5 socks5-hostname stderr trace trace-ascii unix-socket variable"
    " aws-sigv4 dns-servers keepalive-time local-port pinnedpubkey preproxy rate request-target tls-max"
)
_CURL_DATA = frozenset(
    {
        "d",
        "data",
        "data-ascii",
        "data-binary",
        "data-raw",
        "data-urlencode",
        "F",
        "form",
        "form-string",
        "json",
        "T",
        "upload-file",
    }
)
_WGET_VALUES = frozenset("oaeiBtOTwQPUlADIXR")
_WGET_LONG_VALUES = word_set(
    "output-file append-output input-file base tries output-document timeout dns-timeout connect-timeout read-timeout"
    " wait user password http-user http-password header user-agent referer post-data post-file body-data body-file"
    " method load-cookies save-cookies ca-certificate directory-prefix quota limit-rate"
)
_POWERSHELL = frozenset({"invoke-restmethod", "irm", "invoke-webrequest", "iwr"})
_HTTPIE = frozenset({"http", "https", "xh", "xhs"})
PROGRAMS = frozenset({"curl", "wget", "lynx", "w3m", "links"}) | _POWERSHELL | _HTTPIE
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Fetch:
    """What one command line asks for: its URLs, how, and the data it sends along."""

    __slots__ = ("data", "headers", "method", "nothing", "output", "query", "urls")

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.method = ""
        self.data: list[str] = []
        self.query: list[str] = []  # name=value pairs that go into the URL
        self.headers: list[str] = []
        self.output = ""  # the file that the answer goes into, if one is named
        self.nothing = ""  # why nothing is read


def urls(fetch: Fetch) -> list[str]:
    """The URLs whose content is asked for by GET.

    Raises:
        NoAddress: if it writes, or reads no content.
    """
    method = fetch.method.upper() or ("POST" if fetch.data else "GET")
    if method != "GET":
        raise NoAddress(f"{method[:10].replace(UNKNOWN, '?')} fetches no content")
    if fetch.nothing:
        raise NoAddress(fetch.nothing)
    if any(UNKNOWN in url for url in [*fetch.urls, *fetch.query]):
        raise NoAddress("a URL that depends on the shell: an unset variable, a glob or another command's output")
    if not fetch.query:
        return fetch.urls
    return [url + ("&" if "?" in url else "?") + "&".join(fetch.query) for url in fetch.urls]


def graphql(fetch: Fetch) -> tuple[str, dict[str, object]] | None:
    """The document and variables that a POST to GitHub's GraphQL endpoint carries, None for any other request."""
    url = fetch.urls[0].lower().removeprefix("https://").rstrip("/") if len(fetch.urls) == 1 else ""
    if url != "api.github.com/graphql" or len(fetch.data) != 1 or fetch.method.upper() not in ("", "POST"):
        return None
    import json

    try:
        body = json.loads(fetch.data[0])
    except (ValueError, RecursionError):
        raise NoAddress("the query is in a file, or only the shell knows it") from None
    if not (isinstance(body, dict) and isinstance(body.get("query"), str)):
        raise NoAddress("no GraphQL query")
    variables = body.get("variables")
    return body["query"], variables if isinstance(variables, dict) else {}


def shows(fetch: Fetch, left: tuple[str, ...]) -> tuple[str, ...]:
    """What is shown of the answer, of which programs behind a pipe leave `left` (rg_core.address.piped)."""
    return (UNTOLD,) if fetch.output in NOWHERE or another_form(fetch.headers) else left


def fetched(name: str, words: list[str]) -> Fetch:
    """Read the command line of one of PROGRAMS."""
    if name == "curl":
        return _curl(words)
    if name in _POWERSHELL:
        return _powershell(words)
    if name in _HTTPIE:
        return _httpie(words)
    return _wget(words)


def _curl(words: list[str]) -> Fetch:
    fetch = Fetch()
    get = False
    for option, value in options(words, _CURL_VALUES, _CURL_LONG_VALUES):
        if option in ("", "url"):
            fetch.urls.append(value)
        elif option in ("X", "request"):
            fetch.method = value
        elif option in ("G", "get"):
            get = True
        elif option in ("I", "head"):
            fetch.nothing = "HEAD reads no content"
        elif option in ("H", "header"):
            fetch.headers.append(value)
        elif option in ("o", "output"):
            fetch.output = value
        elif option in _CURL_DATA:
            fetch.data.append(_encoded(value) if option == "data-urlencode" else value)
        elif option == "url-query":
            fetch.query.append(_encoded(value))
        elif option in ("K", "config", "help", "h", "version", "V", "manual"):
            fetch.nothing = "curl takes what it fetches from a file"
    if get:
        fetch.query, fetch.data = fetch.query + [pair for data in fetch.data for pair in data.split("&")], []
    if any(data.startswith("@") for data in fetch.query):
        fetch.nothing = "a part of the URL is in a file"
    fetch.urls = [url.strip() for url in fetch.urls]
    return fetch


def _encoded(value: str) -> str:
    from rg_core.address.model import encode

    name, equals, content = value.partition("=")
    if UNKNOWN in value:
        return value
    return f"{name}={encode(content)}" if equals and name else encode(content if equals else value)


def _wget(words: list[str]) -> Fetch:
    fetch = Fetch()
    for option, value in options(words, _WGET_VALUES, _WGET_LONG_VALUES):
        if not option:
            fetch.urls.append(value)
        elif option in ("post-data", "post-file", "body-data", "body-file"):
            fetch.data.append(value)
        elif option == "method":
            fetch.method = value
        elif option == "header":
            fetch.headers.append(value)
        elif option in ("O", "output-document"):
            fetch.output = value
        elif option in ("spider", "help", "h", "version", "V"):
            fetch.nothing = f"wget --{option} reads no content"
    return fetch


def _httpie(words: list[str]) -> Fetch:
    fetch = Fetch()
    positional: list[str] = []
    letters, long_values = frozenset("psoSabA"), frozenset({"print", "style", "output", "session", "auth", "auth-type", "timeout", "proxy", "verify", "pretty", "format-options"})  # fmt: skip  # noqa: E501
    for option, value in options(words, letters - {"S", "b"}, long_values):
        if not option:
            positional.append(value)
        elif option in ("offline", "help", "version"):
            fetch.nothing = f"--{option} fetches nothing"
        elif option in ("h", "headers"):
            fetch.nothing = "only the headers are read"
        elif option in ("o", "output"):
            fetch.output = value
    if positional and positional[0].upper() in _METHODS:
        fetch.method = positional.pop(0)
    if positional:
        fetch.urls.append(positional.pop(0))
    for item in positional:
        name, equals, value = item.partition("==")
        if equals:
            fetch.query.append(_encoded(f"{name}={value}"))
        elif "=" in item.partition(":")[0] or ":=" in item or "@" in item.partition(":")[0]:
            fetch.data.append(item)
        else:
            fetch.headers.append(item)
    return fetch


def _powershell(words: list[str]) -> Fetch:
    fetch = Fetch()
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if not word.startswith("-"):
            fetch.urls.append(word)
            continue
        name = word[1:].rstrip(":").lower()
        if name in (
            "usebasicparsing",
            "usedefaultcredentials",
            "skipcertificatecheck",
            "passthru",
            "disablekeepalive",
            "verbose",
        ):
            continue
        value = words[position] if position < len(words) else ""
        position += 1
        if name and "uri".startswith(name):
            fetch.urls.append(value)
        elif len(name) > 2 and "method".startswith(name):
            fetch.method = value
        elif name in ("body", "infile", "form"):
            fetch.data.append(value)
    fetch.urls = fetch.urls[:1]
    return fetch


def options(words: list[str], letters: frozenset[str], long_names: frozenset[str]) -> list[tuple[str, str]]:
    """(option, value) for each option, ("", word) for each other word; which options take a value is given."""
    result = []
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        following = words[position] if position < len(words) else ""
        if word == "--":
            result += [("", rest) for rest in words[position:]]
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if name in long_names and not equals:
                value = following
                position += 1
            result.append((name, value))
        elif word.startswith("-") and len(word) > 1:
            for index, letter in enumerate(word[1:], 1):
                if letter not in letters:
                    result.append((letter, ""))
                    continue
                value = word[index + 1 :]
                if not value:
                    value = following
                    position += 1
                result.append((letter, value))
                break
        else:
            result.append(("", word))
    return result
