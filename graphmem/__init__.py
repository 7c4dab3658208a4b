"""graphmem: a knowledge-graph memory for software agents and the people who answer for them.

`graphmem.open(url)` gives a `Memory`; everything else hangs off it. Importing this package loads nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphmem.memory import Memory as Memory
    from graphmem.wiring import copy_memory as copy
    from graphmem.wiring import open_memory as open  # noqa: A004

__version__ = "0.1.0"
__all__ = ["Memory", "__version__", "copy", "open"]

_WHERE = {
    "Memory": ("graphmem.memory", "Memory"),
    "copy": ("graphmem.wiring", "copy_memory"),
    "open": ("graphmem.wiring", "open_memory"),
}


def __getattr__(name: str) -> Any:
    """Load the API at its first use, so that importing the package stays cheap."""
    if name not in _WHERE:
        raise AttributeError(f"module 'graphmem' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _WHERE[name]
    return getattr(import_module(module), attribute)
