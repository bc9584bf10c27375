"""Packs a small data set and reads batches with NumPy alone.

    python quick_start.py

Needs NumPy only. Takes a second.
"""

from pathlib import Path

import hotpack

STREET = Path(__file__).resolve().parents[2] / "sample_data" / "street"


def train_step(images, labels):
    """Your model learns here. Gives the share of pixels that have a class."""
    return labels.sum() / labels[..., 0].size


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
    print(ds)
    loader = hotpack.Loader(
        ds,
        batch_size=4,
        seed=7,
        image=hotpack.Image("float32", mean=ds.mean, std=ds.std),  # [N,H,W,3]
        label=hotpack.OneHot("float32"),  # [N,H,W,C]
    )
    for epoch in range(2):
        for batch in loader:
            share = train_step(*batch)
            print(f"epoch {epoch}  step {batch.step}  samples {batch.indices}  labeled {share:.1%}")


if __name__ == "__main__":
    main()
