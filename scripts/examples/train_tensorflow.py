"""Trains with TensorFlow for ten steps, from a pack, in a loop of its own.

    python train_tensorflow.py

Needs tensorflow. Takes 10 seconds. `model.fit(hotpack.tf.dataset(loader))` is the short way.
"""

from itertools import chain, islice
from pathlib import Path

import tensorflow as tf

import hotpack.tf

STREET = Path(__file__).resolve().parents[2] / "sample_data" / "street"


@tf.function
def train_step(kernel, x, y):
    """One convolution of 5x5, trained by the mean cross entropy of labeled pixels."""
    labeled = tf.reduce_sum(y, -1)  # 0 where a pixel is ignored; its gradient would not be 0
    with tf.GradientTape() as tape:
        logits = tf.nn.conv2d(x, kernel, 1, "SAME")
        entropy = tf.nn.softmax_cross_entropy_with_logits(y, logits)
        loss = tf.reduce_sum(entropy * labeled) / tf.reduce_sum(labeled)
    kernel.assign_sub(0.1 * tape.gradient(loss, kernel))
    return loss


def main():
    hotpack.pack(
        images=STREET / "images",
        labels=STREET / "masks_color",
        classes=STREET / "class_dict.csv",
        ignore="Void",
        size=(256, 192),
        output="packed/quick_start",
    )
    ds = hotpack.open("packed/quick_start")
    loader = hotpack.Loader(
        ds,
        4,
        seed=7,
        image=hotpack.Image("float32", mean=ds.mean, std=ds.std),  # [N,H,W,3]
        label=hotpack.OneHot("float32"),  # [N,H,W,C]
    )
    kernel = tf.Variable(tf.zeros([5, 5, 3, len(ds.classes)]))
    epochs = (hotpack.tf.batches(loader) for _ in range(2))
    for step, (x, y) in enumerate(islice(chain.from_iterable(epochs), 10)):
        print(f"step {step}  loss {train_step(kernel, x, y):.4f}")


if __name__ == "__main__":
    main()
