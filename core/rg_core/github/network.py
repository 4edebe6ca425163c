"""The way to GitHub: what the configuration and the environment say of it, and what is wrong with it, in plain words.

Proxies and certificates come from the environment, as for curl and gh. This machine itself is never asked through a
proxy. A token travels encrypted, or not at all.
"""

from __future__ import annotations

import os
import ssl
from ipaddress import ip_address
from urllib.request import getproxies, proxy_bypass

import httpx2

from rg_core import __version__, border
from rg_core.github.errors import GitHubError, Misconfigured, TooHeavy, Unreachable
from rg_core.secret import masked

TIMEOUT = httpx2.Timeout(30.0, connect=10.0)  # GitHub itself gives up after 10 s
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
SET_URL = "set it: rg-memory config set github.api_url https://api.github.com"


def connect(api_url: str, token: str) -> httpx2.Client:
    """A client for this API.

    Raises:
        Misconfigured: if the URL is none, would carry the token in clear text, or the environment names a proxy or
            certificates that cannot be used.
    """
    url = _checked(api_url, token)
    here = is_loopback(url.host)
    try:
        certificates = httpx2.create_ssl_context()
    except OSError as error:
        names = [name for name in CERTIFICATES if os.environ.get(name)]
        where = f"{names[0]} names {os.environ[names[0]]}, which holds none" if names else "the system's are missing"
        raise Misconfigured(
            f"no certificates can be read ({where}: {_reason(error)}); correct it, or unset it"
        ) from None
    try:
        return httpx2.Client(
            timeout=TIMEOUT,
            headers={"User-Agent": f"rg-memory/{__version__}"},
            verify=certificates,
            trust_env=not here,
        )
    except (ValueError, ImportError, httpx2.InvalidURL):
        raise Misconfigured(f"{_proxy(url) or 'a proxy variable'} cannot be used; correct it, or unset it") from None


def failure(error: Exception, api_url: str) -> GitHubError:
    """What kept a request from being answered."""
    if isinstance(error, httpx2.ProxyError) and "407" in str(error):
        return unknown_to_proxy(api_url)
    if isinstance(error, httpx2.ConnectError | httpx2.UnsupportedProtocol | httpx2.InvalidURL | httpx2.ProxyError):
        proxy = _proxy(httpx2.URL(api_url))
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            return Unreachable(
                f"the certificate of {masked(api_url)} is not trusted ({_reason(error)})",
                todo="where your network has certificates of its own, name their file in SSL_CERT_FILE",
            )
        through = f" through {proxy}" if proxy else ""
        see = "see that the proxy is right" if proxy else "see that the network is up and [github] api_url is right"
        told = f"{masked(api_url)} cannot be reached{through} ({_reason(error)})"
        return Unreachable(told, todo=f"{see}, then sweep again")
    return TooHeavy(f"the connection broke ({type(error).__name__})")


def unknown_to_proxy(api_url: str) -> GitHubError:
    """A proxy wants to know who asks."""
    proxy = _proxy(httpx2.URL(api_url)) or "the proxy"
    return Misconfigured(f"{proxy} wants a user and a password (407); name them in it: http://USER:PASSWORD@HOST:PORT")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _checked(api_url: str, token: str) -> httpx2.URL:
    shown = masked(api_url)
    try:
        url = httpx2.URL(api_url)
    except httpx2.InvalidURL:
        raise Misconfigured(f"[github] api_url, {shown!r}, is no URL; {SET_URL}") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise Misconfigured(f"[github] api_url, {shown!r}, is no http or https URL; {SET_URL}")
    if token and url.scheme == "http" and not is_loopback(url.host):
        raise Misconfigured(
            f"[github] api_url, {shown}, would send your token unencrypted, so nothing was asked; use https there, or "
            "no token: rg-memory config set github.token ''"
        )
    return url


def _proxy(url: httpx2.URL) -> str:
    """The proxy that a URL is asked through, as its variable and value; "" if there is none."""
    proxies = getproxies()
    scheme = next((name for name in (url.scheme, "all") if proxies.get(name)), "")
    if not scheme or is_loopback(url.host) or proxy_bypass(url.host):
        return ""
    names = (f"{scheme}_proxy", f"{scheme}_PROXY".upper())
    name = next((name for name in names if os.environ.get(name)), f"the system's {scheme} proxy,")
    return f"{name} {masked(proxies[scheme])}"


def _reason(error: Exception) -> str:
    """The system's own words for it, on one line."""
    if isinstance(error, ssl.SSLError):
        return error.reason or "TLS"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return border.line(masked(str(error)))[:200]
