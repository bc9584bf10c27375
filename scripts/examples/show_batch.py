"""Draws a batch of a pack as the model gets it: images above, the colors of their classes below.

    python show_batch.py                            # sample_data/street, into batch.png
    python show_batch.py CamVid --size 480x352      # a folder of your own; see segmentation.py
    python show_batch.py --augment                  # flipped and cropped

Look at it before you train: it shows wrong pairs, wrong classes and wrong colors at once. Needs
matplotlib and Pillow. Takes 2 seconds.
"""

import argparse

import matplotlib

matplotlib.use("Agg")  # draws files, needs no screen

import numpy as np
import segmentation
from matplotlib import pyplot
from matplotlib.patches import Patch

import hotpack

IGNORED = 255


def colors_of(ds):
    """The color of each class, u8 [256,3]; ignored pixels are white."""
    colors = np.full((256, 3), 255, np.uint8)
    spread = pyplot.get_cmap("turbo", max(2, len(ds.classes)))  # for classes without a color
    for one in ds.classes:
        colors[one.id] = one.color or [round(255 * part) for part in spread(one.id)[:3]]
    return colors


def draw(ds, batch):
    colors = colors_of(ds)
    rows = batch.batch_size
    figure, axes = pyplot.subplots(2, rows, figsize=(3 * rows, 5.2), squeeze=False)
    for column, key in enumerate(batch.keys):
        axes[0, column].set_title(key, fontsize=9)
        axes[0, column].imshow(batch.image[column])
        axes[1, column].imshow(colors[batch.label[column]])
    for axis in axes.flat:
        axis.set_axis_off()
    patches = [
        Patch(color=colors[one.id] / 255, label=one.name) for one in ds.classes if one.pixels
    ]
    if (batch.label == IGNORED).any():
        patches.append(Patch(facecolor="white", edgecolor="gray", label="ignored"))
    figure.legend(handles=patches, loc="lower center", ncols=min(6, len(patches)), frameon=False)
    figure.tight_layout(rect=(0, 0.08 + 0.05 * (len(patches) > 6), 1, 1))
    return figure


def main():
    options = arguments()
    ds = segmentation.Folder(options.folder, options.size).packed(options.packed)
    width, height = options.size
    augment = hotpack.Augment(
        horizontal_flip=0.5, resized_crop=hotpack.ResizedCrop(width, height, min_area=0.3)
    )
    loader = hotpack.Loader(
        ds,
        options.batch_size,
        seed=options.seed,
        label=hotpack.Ids("uint8", ignore_index=IGNORED),
        augment=augment if options.augment else None,
    )
    batch = next(iter(loader))
    draw(ds, batch).savefig(options.output, dpi=100)
    print(f"{options.output}: samples {batch.indices.tolist()} of {ds}")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", default=segmentation.STREET, help="images and masks")
    parser.add_argument(
        "--size", type=segmentation.size, default=(256, 192), help="such as 256x192"
    )
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--augment", action="store_true", help="flip and crop")
    parser.add_argument("--packed", default="packed", help="where packs are")
    parser.add_argument("-o", "--output", default="batch.png")
    return parser.parse_args()


if __name__ == "__main__":
    main()
