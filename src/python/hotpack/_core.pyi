# The compiled part of the package, src/python/core. It is private: the modules beside it have the types.
from typing import Any

def __getattr__(name: str) -> Any: ...
