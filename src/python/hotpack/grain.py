"""A data source of Grain.

    source = hotpack.grain.Source("packed/train")
    ds = grain.MapDataset.source(source).seed(7).shuffle().batch(32).to_iter_dataset()

Grain decides the order. `hotpack.jax.Loader` needs no Grain, and is faster: it writes whole batches
in the form of the model, where Grain copies each sample into its batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

from .dataset import Dataset, Path
from .forms import Ids, Image, Label
from .rows import Row, Rows

__all__ = ["Source"]


def __dir__() -> list[str]:
    return __all__


class Source:
    """The samples of a data set for `grain.MapDataset.source` and `grain.DataLoader`: `source[i]`
    is {"image", "label", "index"}; without "label" if the data set has none.

    data: a Dataset, or the folder of a pack. image, label: forms; by default u8 [H,W,c] and i32
    [H,W]. Arrays are copies. Pickles with its data set, so workers of `mp_prefetch` may have it.
    Raises as `Dataset.read`.
    """

    def __init__(
        self,
        data: Dataset | Path,
        *,
        image: Image = Image(),
        label: Label | None = Ids("int32"),
    ) -> None:
        self._rows = Rows(data, image, label)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: SupportsIndex) -> Row:
        if not hasattr(index, "__index__"):
            raise TypeError(f"a number of a sample was expected, not {type(index).__name__}")
        return self._rows.read([index.__index__()], threads=1)[0]

    def _getitems(self, indices: Sequence[int]) -> list[Row]:
        """Several samples at once, as Grain asks for them."""
        return self._rows.read(indices)

    def __repr__(self) -> str:
        return f"<hotpack.grain.Source of {self._rows.data!r}>"
