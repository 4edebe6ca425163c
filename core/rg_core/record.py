"""Immutable value classes without the import cost of dataclasses (+2 ms where dataclasses is +13).

The hook imports these classes on every tool call, so the saving is paid back some thousand times a day.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform(**_):  # noqa: ANN003, ANN201
        """Stand in for typing.dataclass_transform, which only type checkers read."""
        return lambda decorated: decorated


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """Give a class of annotated fields __init__, __eq__, __hash__ and __repr__; its instances cannot be changed.

    Raises:
        TypeError: from the made __init__, for a missing, unknown or surplus argument.
        AttributeError: on assigning or deleting a field.
    """
    fields = tuple(cls.__annotations__)
    defaults = {name: cls.__dict__[name] for name in fields if name in cls.__dict__}

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if len(args) > len(fields):
            raise TypeError(f"{cls.__name__} takes {len(fields)} arguments, {len(args)} given")
        values = defaults | dict(zip(fields, args)) | kwargs  # noqa: B905 - strict= costs nothing but says nothing here
        for name in fields:
            if name not in values:
                raise TypeError(f"{cls.__name__} needs {name}")
            object.__setattr__(self, name, values.pop(name))
        if values:
            raise TypeError(f"{cls.__name__} has no field {next(iter(values))}")

    def values(self: Any) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in fields)

    def frozen(self: Any, name: str, *_: Any) -> None:
        raise AttributeError(f"{cls.__name__}.{name} cannot be changed")

    def shown(self: Any) -> str:
        return f"{cls.__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in fields)})"

    methods: dict[str, Callable[..., Any]] = {
        "__init__": __init__,
        "__setattr__": frozen,
        "__delattr__": frozen,
        "__eq__": lambda self, other: type(self) is type(other) and values(self) == values(other),
        "__hash__": lambda self: hash(values(self)),
        "__repr__": shown,
    }
    for name, method in methods.items():
        setattr(cls, name, method)
    return cls
