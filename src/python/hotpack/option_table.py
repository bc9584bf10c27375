"""The options of loaders. Made by scripts/make-api from src/options.toml; do not edit."""

from __future__ import annotations

from typing import Any, Literal

LastBatch = Literal["drop", "pad", "wrap", "keep"]
Shuffle = bool | Literal["block"]
VerifyChecksums = Literal["first_read", "always", "never"]
Access = Literal["map", "read"]
Residency = Literal["page", "device", "auto"]

# For each choice: the library's word for each value.
WORDS: dict[str, dict[Any, str]] = {
    "last_batch": {
        "drop": "drop",
        "pad": "pad",
        "wrap": "wrap",
        "keep": "keep",
    },
    "shuffle": {
        True: "full",
        "block": "block",
        False: "none",
    },
    "verify_checksums": {
        "first_read": "first_read",
        "always": "always",
        "never": "never",
    },
    "access": {
        "map": "map",
        "read": "read",
    },
    "residency": {
        "page": "page",
        "device": "device",
        "auto": "auto",
    },
}

# For each integer: its largest value.
INTEGERS = {
    "batch_size": 2**64 - 1,
    "global_batch_size": 2**64 - 1,
    "seed": 2**64 - 1,
    "epoch": 2**64 - 1,
    "rank": 2**64 - 1,
    "world_size": 2**64 - 1,
    "block_samples": 2**64 - 1,
    "window_blocks": 2**64 - 1,
    "threads": 2**32 - 1,
    "prefetch_batches": 2**32 - 1,
    "memory_budget_bytes": 2**64 - 1,
    "device_budget_bytes": 2**64 - 1,
}

# Integers that may be left out, by None.
MAY_BE_NONE = {
    "batch_size",
    "global_batch_size",
    "device_budget_bytes",
}

# The options of loaders on a device, and their defaults.
DEVICE_OPTIONS: dict[str, Any] = {
    "residency": "page",
    "device_budget_bytes": None,
    "progress": None,
}

# The library's types, and Python's.
DTYPES = {
    "u8": "uint8",
    "u16": "uint16",
    "i32": "int32",
    "i64": "int64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
}

# Names that other loaders have, and what to do here.
OTHER_NAMES = {
    "device": (
        "use hotpack.DeviceLoader, or hotpack.torch.Loader or hotpack.jax.Loader, which have "
        "device"
    ),
    "drop_last": 'use last_batch: "drop" is drop_last=True, "keep" is drop_last=False',
    "num_workers": "leave it out: a loader reads with threads of its own, see threads",
    "workers": "leave it out: a loader reads with threads of its own, see threads",
    "num_threads": "use threads",
    "residency": "leave it out: it is for batches on a device, see hotpack.DeviceLoader",
    "outputs": "leave it out: each batch on a device has memory of its own",
    "pinned_budget_bytes": "use memory_budget_bytes",
    "devices": "open one loader per device, with rank= and world_size=",
    "device_budget_bytes": "leave it out: it is for batches on a device, see hotpack.DeviceLoader",
    "progress": "leave it out: it is for batches on a device, see hotpack.DeviceLoader",
    "pin_memory": (
        "leave it out: torch's batch.to(device) copies a batch, and device= writes it on the "
        "device"
    ),
    "prefetch_factor": "use prefetch_batches",
    "prefetch": "use prefetch_batches",
    "slots": "use prefetch_batches",
    "persistent_workers": "leave it out: the threads live as long as the loader",
    "collate_fn": (
        "leave it out: batches are made in one piece; image= and label= choose their form"
    ),
    "sampler": (
        "use shuffle, seed, and ds.subset(indices) for samples of your choice; "
        "hotpack.torch.Samples takes a sampler"
    ),
    "batch_sampler": (
        "use shuffle, seed, and ds.subset(indices) for samples of your choice; "
        "hotpack.torch.Samples takes a sampler"
    ),
    "generator": "use seed",
    "worker_init_fn": "leave it out: threads need no random state of their own, see seed",
    "multiprocessing_context": "leave it out: there are no worker processes",
    "transform": (
        "use image=, label= and augment=; other transforms go into the training loop, or into "
        "hotpack.torch.Samples"
    ),
    "transforms": (
        "use image=, label= and augment=; other transforms go into the training loop, or into "
        "hotpack.torch.Samples"
    ),
    "weights": (
        "use ds.subset(indices) with numbers that were drawn by weight; ds.class_weights() "
        "weights a loss"
    ),
    "hflip": "use augment=hotpack.Augment(horizontal_flip=0.5)",
    "horizontal_flip": "use augment=hotpack.Augment(horizontal_flip=0.5)",
    "crop": "use augment=hotpack.Augment(crop=hotpack.Crop(width, height))",
    "mean": 'use image=hotpack.Image("float32", mean=ds.mean, std=ds.std)',
    "std": 'use image=hotpack.Image("float32", mean=ds.mean, std=ds.std)',
    "normalize": 'use image=hotpack.Image("float32", mean=ds.mean, std=ds.std)',
    "dtype": "use image=hotpack.Image(dtype)",
    "one_hot": "use label=hotpack.OneHot()",
    "order": "use shuffle",
    "shuffle_seed": "use seed",
    "tail": "use last_batch",
    "world": "use world_size",
    "num_replicas": "use world_size",
    "distributed": "leave it out: rank and world_size come from torch.distributed",
    "check": "use verify_checksums",
}
