"""Trains with JAX for ten steps, from a pack.

    python train_jax.py

Needs jax. Takes 5 seconds.
"""

from itertools import chain, islice, repeat
from pathlib import Path

import jax
import jax.numpy as jnp

import hotpack.jax

STREET = Path(__file__).resolve().parents[2] / "sample_data" / "street"


def loss_of(kernel, x, y):
    """The mean cross entropy of labeled pixels, for one convolution of 5x5."""
    logits = jax.lax.conv_general_dilated(
        x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    labeled = y >= 0  # ignored pixels are -100
    scores = jax.nn.log_softmax(logits)
    chosen = jnp.take_along_axis(scores, jnp.where(labeled, y, 0)[..., None], -1)[..., 0]
    return -jnp.sum(chosen * labeled) / jnp.sum(labeled)


@jax.jit
def train_step(kernel, x, y):
    loss, gradient = jax.value_and_grad(loss_of)(kernel, x, y)
    return kernel - 0.1 * gradient, loss


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
    image = hotpack.Image("float32", mean=ds.mean, std=ds.std)
    loader = hotpack.jax.Loader(ds, 4, seed=7, image=image)  # f32 [N,H,W,3], i32 [N,H,W]
    kernel = jnp.zeros((5, 5, 3, len(ds.classes)))
    batches = chain.from_iterable(repeat(loader))  # epoch after epoch
    for step, batch in enumerate(islice(batches, 10)):
        kernel, loss = train_step(kernel, batch.image, batch.label)
        print(f"step {step}  epoch {batch.epoch}  loss {loss:.4f}")


if __name__ == "__main__":
    main()
