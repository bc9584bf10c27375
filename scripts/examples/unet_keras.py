"""Trains a small U-Net with Keras 3, from raw files or from a pack.

    python unet_keras.py                            # sample_data/street, from a pack
    python unet_keras.py --data raw                 # the same batches, decoded by a PyDataset
    python unet_keras.py CamVid --size 480x352      # a folder of your own; see segmentation.py
    python unet_keras.py --stop-after 8             # stops in the middle of an epoch …
    python unet_keras.py --resume                   # … and continues with the next batch

Both kinds of data give the same samples in the same order, so the losses are the same; what differs
is how long steps wait. Needs Pillow, keras and, unless KERAS_BACKEND names another backend, jax.
Three epochs take a minute on 2 cores.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "jax")

import keras
import numpy as np
import segmentation
from keras import layers

import hotpack.keras

SEED = 7


def unet(width, height, classes, widths=(16, 32, 64, 128)):
    """Four levels; the way up joins what the way down had at the same size."""
    x = inputs = keras.Input((height, width, 3))
    levels = []
    for channels in widths:
        x = convolutions(layers.MaxPooling2D()(x) if levels else x, channels)
        levels.append(x)
    for level, channels in list(zip(levels, widths))[-2::-1]:
        x = layers.Conv2DTranspose(channels, 2, strides=2)(x)
        x = convolutions(layers.Concatenate()([level, x]), channels)
    return keras.Model(inputs, layers.Conv2D(classes, 1)(x))


def convolutions(x, channels):
    for _ in range(2):
        x = layers.Conv2D(channels, 3, padding="same", use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
    return x


class Pack:
    """Batches of a pack: images as f32 [N,H,W,3] in 0 … 1, labels as one-hot f32 [N,H,W,C]."""

    def __init__(self, files, options):
        self.loader = hotpack.Loader(
            files.packed(options.packed),
            options.batch_size,
            seed=SEED,
            image=hotpack.Image("float32"),
            label=hotpack.OneHot("float32"),
        )

    def batches(self, epoch, step):
        """The batches of an epoch from this step on."""
        self.loader.seek(epoch, step)
        return hotpack.keras.PyDataset(self.loader, transform=weighted)


class Raw:
    """The same batches without a pack: the files of each sample are decoded when Keras asks."""

    def __init__(self, files, options):
        self.files, self.batch_size = files, options.batch_size

    def batches(self, epoch, step):
        order = hotpack.epoch_order(len(self.files), self.batch_size, SEED, epoch)
        return RawBatches(self.files, epoch, order[step:])


class RawBatches(keras.utils.PyDataset):
    """One batch for each row of numbers of samples, what is left of an epoch."""

    def __init__(self, files, epoch, rows):
        super().__init__()
        self.files, self.epoch, self.rows = files, epoch, rows

    def rest(self, epochs):
        """As that of hotpack.keras.PyDataset, for this epoch alone."""
        yield {"initial_epoch": self.epoch, "epochs": epochs}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, number):
        images, labels = zip(*map(self.files.load, self.rows[number]))
        return weighted(np.stack(images), np.stack(labels))


def weighted(images, labels):
    """Adds the weight of each pixel, 0 if it is ignored and else 1. It must be there: of a pixel
    whose one-hot is all zeros TensorFlow's cross entropy is 0, but the gradient is not."""
    return images, labels, labels.sum(-1)


class Timed(keras.utils.PyDataset):
    """Another PyDataset, and the seconds that Keras waited for its batches."""

    def __init__(self, data):
        super().__init__()
        self.data, self.rest, self.waited = data, data.rest, 0.0
        self.on_epoch_begin, self.on_epoch_end = data.on_epoch_begin, data.on_epoch_end

    def __len__(self):
        return len(self.data)

    def __getitem__(self, number):
        begin = time.perf_counter()
        batch = self.data[number]
        self.waited += time.perf_counter() - begin
        return batch


def main():
    options = arguments()
    keras.utils.set_random_seed(SEED)
    files = segmentation.Folder(options.folder, options.size)
    data = {"pack": Pack, "raw": Raw}[options.data](files, options)
    steps = len(files) // options.batch_size  # of an epoch
    checkpoint, position = Path(options.checkpoint), Path(options.checkpoint).with_suffix(".json")
    done, total = 0, 0.0  # steps since the first, and the sum of the epoch's losses

    if options.resume:
        model = keras.saving.load_model(checkpoint)  # with its optimizer
        done, total = json.loads(position.read_text())
    else:
        model = unet(*options.size, len(files.names))
        loss = keras.losses.CategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.AdamW(1e-3), loss)

    while done < options.epochs * steps:
        epoch, step = divmod(done, steps)
        count = min(steps - step, (options.stop_after or sys.maxsize) - done)
        batches, begin = Timed(data.batches(epoch, step)), time.perf_counter()
        for part in batches.rest(epoch + 1):  # of this epoch, perhaps what is left of it
            history = model.fit(batches, steps_per_epoch=count, shuffle=False, verbose=0, **part)
        seconds = time.perf_counter() - begin
        done, total = done + count, total + count * history.history["loss"][0]
        if step + count == steps:
            print(
                f"epoch {epoch}  loss {total / steps:.5f}  {seconds:.2f} s  "
                f"waited {batches.waited:.3f} s for data"
            )
            total = 0.0
        model.save(checkpoint)
        position.write_text(json.dumps([done, total]))
        if done == options.stop_after:
            return print(f"stopped after step {done}; continue with --resume")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", default=segmentation.STREET, help="images and masks")
    parser.add_argument("--data", choices=["pack", "raw"], default="pack")
    parser.add_argument(
        "--size", type=segmentation.size, default=(256, 192), help="such as 256x192"
    )
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--packed", default="packed", help="where packs are")
    parser.add_argument("--checkpoint", default="unet_keras.keras")
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint")
    parser.add_argument("--stop-after", type=int, metavar="STEPS")
    return parser.parse_args()


if __name__ == "__main__":
    main()
