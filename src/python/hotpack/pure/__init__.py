"""Reads packs with NumPy alone: for macOS, Windows and auditors.

    import hotpack.pure

    ds = hotpack.pure.open("packed/train")
    sample = ds[3]
    sample.image                       # u8 [H,W,c]
    sample.label                       # class ids, u8 [H,W]
    sample.ids("int64")                # the same as i64
    sample.one_hot("float32", "NCHW")  # [C,H,W]

It shares no code with the compiled library: it was written from src/format/FORMAT.md and
src/loader/ORDER.md. Compressed packs need the package `zstandard`.
"""

from .augment import Augment, Crop, ResizedCrop, SampleCrop, draw_crop
from .dataset import Class, Dataset, Keys, open
from .order import epoch_order
from .pixels import crop_image, crop_label
from .sample import Sample
from .verify import Finding, VerifyReport, verify

__all__ = [
    "Augment",
    "Class",
    "Crop",
    "Dataset",
    "Finding",
    "Keys",
    "ResizedCrop",
    "Sample",
    "SampleCrop",
    "VerifyReport",
    "crop_image",
    "crop_label",
    "draw_crop",
    "epoch_order",
    "open",
    "verify",
]
