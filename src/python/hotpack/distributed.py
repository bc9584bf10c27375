"""Which process this is among those that train together."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

from .errors import UsageError
from .options import integer

_VARIABLES = {
    "slurm": ("SLURM_PROCID", "SLURM_NTASKS"),
    "mpi": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
}


class Place(NamedTuple):
    """rank: 0 … world_size − 1. origin: where both come from, for people."""

    rank: int
    world_size: int
    origin: str


def place_of(rank: int | str | None, world_size: int | None) -> Place:
    """The rank and the world size of this process.

    Numbers are taken as they are. "slurm" and "mpi" ask the scheduler's variables, "jax" asks JAX.
    None asks torch.distributed if it is initialized, then RANK and WORLD_SIZE; without them the
    process is alone. Raises UsageError if only one of both is known.
    """
    if isinstance(rank, str):
        return _named(rank, world_size)
    if rank is not None or world_size is not None:
        if rank is None or world_size is None:
            missing = "rank" if rank is None else "world_size"
            raise UsageError(
                f"rank and world_size belong together, and {missing} is missing", option=missing
            )
        return Place(integer("rank", rank), integer("world_size", world_size), "arguments")
    return _found()


def _named(name: str, world_size: int | None) -> Place:
    if world_size is not None:
        raise UsageError(
            f"rank={name!r} sets world_size as well; leave world_size out", option="world_size"
        )
    if name == "jax":
        import jax

        return Place(jax.process_index(), jax.process_count(), "jax")
    if name not in _VARIABLES:
        raise UsageError(
            f"rank {name!r} is none of 'slurm', 'mpi', 'jax'; or give numbers", option="rank"
        )
    found = _of_variables(*_VARIABLES[name])
    if found is None:
        raise UsageError(
            f"rank={name!r}: {' and '.join(_VARIABLES[name])} are not set; is this its job?",
            option="rank",
        )
    return found


def _found() -> Place:
    torch: Any = sys.modules.get("torch")
    if (
        torch is not None
        and torch.distributed.is_available()
        and torch.distributed.is_initialized()
    ):
        group = torch.distributed
        return Place(group.get_rank(), group.get_world_size(), "torch.distributed")
    return _of_variables("RANK", "WORLD_SIZE") or Place(0, 1, "one process")


def _of_variables(rank: str, world_size: str) -> Place | None:
    texts = os.environ.get(rank), os.environ.get(world_size)
    if None in texts:
        return None
    try:
        return Place(int(texts[0] or ""), int(texts[1] or ""), f"{rank} and {world_size}")
    except ValueError:
        raise UsageError(
            f"{rank}={texts[0]!r} and {world_size}={texts[1]!r} must be numbers", option="rank"
        ) from None
