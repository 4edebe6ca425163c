"""What a call or a text yields: Addresses, and in words why not (more)."""

from __future__ import annotations

from rg_core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rg_core.address.model import Address

    Remote = str | Mapping[str, str]
    Remotes = Mapping[str, Remote]
    ReadRemotes = Callable[[str], Remotes | None]

WHOLE = "*"  # among the fields that are asked for: the thing as a person reads it
UNKNOWN = "\0"  # in a word of a command: something that only the shell could tell
MAX_ADDRESSES = 200  # of one call or prompt: beyond that it is a list, not something that somebody reads


def word_set(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())


class NoAddress(Exception):
    """There is no Address here; the text says why, for `rg-memory explain`."""


@record
class Found:
    """The Addresses of one call, prompt or argument in the order in which they appear; `why` says what gave none."""

    addresses: tuple[Address, ...]
    why: str = ""


class Gather:
    """Collects Addresses, each key once, and the reasons against."""

    def __init__(self) -> None:
        self._addresses: dict[str, Address] = {}
        self._reasons: dict[str, None] = {}

    def add(self, address: Address) -> None:
        """Take an Address; asked twice in the same order, a listing counts with the larger limit."""
        key = str(address)
        before = self._addresses.get(key)
        if before is None:
            if len(self._addresses) < MAX_ADDRESSES:
                self._addresses[key] = address
            else:
                self.no(f"more than {MAX_ADDRESSES} addresses: the rest is left out")
            return
        address.asked = before.asked = _both(before.asked, address.asked)
        if before.order == address.order and _larger(address.limit, before.limit):
            self._addresses[key] = address

    def no(self, why: str) -> None:
        """Take a reason why some part yields nothing."""
        if len(self._reasons) < 20:
            self._reasons[why] = None

    def attempt(self, read: Callable[..., Address | list[Address]], *arguments: object) -> None:
        """Add what `read(*arguments)` returns, or the reason it raises."""
        try:
            result = read(*arguments)
            for address in result if isinstance(result, list) else [result]:
                self.add(address)
        except NoAddress as no:
            self.no(str(no))
        except ValueError as error:  # a name or number that no Address can hold
            self.no(str(error))

    def found(self, otherwise: str) -> Found:
        """The whole; `otherwise` is the reason when nothing gave one."""
        why = "; ".join(self._reasons)
        return Found(tuple(self._addresses.values()), why or ("" if self._addresses else otherwise))


def _both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """What two questions about one address ask for together."""
    if one == other:
        return one
    return tuple(dict.fromkeys((one or (WHOLE,)) + (other or (WHOLE,))))


def _larger(limit: int | None, than: int | None) -> bool:
    return than is not None and (limit is None or limit > than)
