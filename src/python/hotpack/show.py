"""Images of a data set, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .errors import UsageError

if TYPE_CHECKING:
    from .dataset import Dataset, Sample


def draw(dataset: Dataset, count: int, columns: int) -> Any:
    """A figure with the first `count` samples in rows of `columns`."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise UsageError(
            "show() needs matplotlib; install it with `pip install matplotlib`"
        ) from None
    count = min(count, len(dataset))
    rows = max(1, -(-count // columns))
    figure, axes = pyplot.subplots(rows, columns, squeeze=False, figsize=(3 * columns, 3 * rows))
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, sample in zip(axes.flat, dataset[:count]):
        axis.set_title(_title(dataset, sample), fontsize=8)
        axis.imshow(overlaid(dataset, sample), cmap="gray", vmin=0, vmax=255)
    return figure


def overlaid(dataset: Dataset, sample: Sample) -> npt.NDArray[np.uint8]:
    """The image with the colors of its classes half over it, u8 [H,W,3]; the image alone if labels
    are not of pixels or may hold several classes."""
    image, label = sample.image, dataset._core.label
    if image.shape[2] == 1:
        image = np.repeat(image, 3, axis=2)
    if label is None or label[0] != "pixel" or label[2]:
        return image
    ids = sample.ids("int64", ignore_index=-1)
    colors = np.array([info.color or _color(info.id) for info in dataset.classes], np.uint8)
    mixed = image // 2 + colors[np.maximum(ids, 0)] // 2
    return np.where((ids >= 0)[..., None], mixed, image).astype(np.uint8)


def _title(dataset: Dataset, sample: Sample) -> str:
    label = dataset._core.label
    if label is None or label[0] == "pixel" or label[2]:
        return sample.key
    return f"{sample.key}: {dataset.classes[int(sample.ids('int64', ignore_index=-1))].name}"


def _color(number: int) -> tuple[int, int, int]:
    """A color for a class without one: hues in steps of the golden angle."""
    import colorsys

    red, green, blue = colorsys.hsv_to_rgb(number * 0.381966 % 1, 0.65, 0.9)
    return int(red * 255), int(green * 255), int(blue * 255)
