"""Ways to feed a training loop with images f32 [N,H,W,3] in 0 … 1 and one-hot labels f32 [N,H,W,C] from color masks. compare_epoch.py runs one per
process:

usage: epoch_ways.py prepare FOLDER                         (what the ways read, made once from FOLDER/images and FOLDER/masks)
       epoch_ways.py WAY FOLDER STEPS EPOCHS STEP_SECONDS   (prints JSON)

A step of training sleeps for STEP_SECONDS, as while a device computes. What is measured is how long the loop waits for its batches.
"""

import csv
import json
import os
import resource
import sys
import time
from pathlib import Path

SIDE, BATCH = 512, 3
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("KERAS_BACKEND", "jax")


def colors_of(folder):
    with open(folder / "classes.csv", newline="", encoding="utf-8") as file:
        return [tuple(map(int, row[1:4])) for row in list(csv.reader(file))[1:]]


def pairs_of(folder):
    return list(zip(sorted((folder / "images").iterdir()), sorted((folder / "masks").iterdir()), strict=True))


# ---- raw files, as most people write it


def decoded(pair, colors):
    """u8 [H,W,3] and f32 [H,W,C]: a comparison per class."""
    import cv2
    import numpy as np

    cv2.setNumThreads(1)
    image = cv2.cvtColor(cv2.imread(str(pair[0])), cv2.COLOR_BGR2RGB)
    mask = cv2.cvtColor(cv2.imread(str(pair[1])), cv2.COLOR_BGR2RGB)
    image = cv2.resize(image, (SIDE, SIDE), interpolation=cv2.INTER_LINEAR)
    mask = cv2.resize(mask, (SIDE, SIDE), interpolation=cv2.INTER_NEAREST)
    one_hot = np.stack([np.all(mask == color, axis=-1) for color in colors], axis=-1)
    return image, one_hot.astype(np.float32)


def raw_batch(pairs, colors):
    import numpy as np

    images, labels = zip(*(decoded(pair, colors) for pair in pairs))
    return np.stack(images).astype(np.float32) / 255, np.stack(labels)


def keras_epochs(dataset, epochs):
    """The batches as `fit` on JAX takes them from a PyDataset."""
    from keras.src.trainers.data_adapters.py_dataset_adapter import PyDatasetAdapter

    adapter = PyDatasetAdapter(dataset, shuffle=True)
    adapter.on_epoch_end()  # as `fit` does first
    for _ in range(epochs):
        adapter.on_epoch_begin()
        yield from adapter.get_jax_iterator()
        adapter.on_epoch_end()


def keras_raw(folder, epochs, **options):
    import keras

    colors, pairs = colors_of(folder), pairs_of(folder)

    class Files(keras.utils.PyDataset):
        def __len__(self):
            return len(pairs) // BATCH

        def __getitem__(self, number):
            return raw_batch(pairs[number * BATCH : (number + 1) * BATCH], colors)

    yield from keras_epochs(Files(**options), epochs)


def tf_decoded(colors):
    import tensorflow as tf

    table = tf.constant(colors, tf.uint8)

    def decode(image, mask):
        image = tf.image.resize(tf.io.decode_png(image, 3), (SIDE, SIDE)) / 255
        mask = tf.image.resize(tf.io.decode_png(mask, 3), (SIDE, SIDE), "nearest")
        return image, tf.cast(tf.reduce_all(mask[..., None, :] == table, -1), tf.float32)

    return decode


def tf_raw(folder, epochs):
    import tensorflow as tf

    decode, pairs = tf_decoded(colors_of(folder)), pairs_of(folder)
    names = tf.data.Dataset.from_tensor_slices(([str(a) for a, _ in pairs], [str(b) for _, b in pairs])).shuffle(len(pairs))
    data = names.map(lambda a, b: decode(tf.io.read_file(a), tf.io.read_file(b)), tf.data.AUTOTUNE).batch(BATCH, True).prefetch(tf.data.AUTOTUNE)
    for _ in range(epochs):
        yield from data


def tf_records(folder, epochs):
    import tensorflow as tf

    colors = colors_of(folder)
    kind = {"image": tf.io.FixedLenFeature([], tf.string), "ids": tf.io.FixedLenFeature([], tf.string)}

    def parse(record):
        record = tf.io.parse_single_example(record, kind)
        image = tf.reshape(tf.io.decode_raw(record["image"], tf.uint8), (SIDE, SIDE, 3))
        ids = tf.reshape(tf.io.decode_raw(record["ids"], tf.uint8), (SIDE, SIDE))
        return tf.cast(image, tf.float32) / 255, tf.one_hot(ids, len(colors))

    data = tf.data.TFRecordDataset(str(folder / "resized.tfrecord")).shuffle(64)
    data = data.map(parse, tf.data.AUTOTUNE).batch(BATCH, True).prefetch(tf.data.AUTOTUNE)
    for _ in range(epochs):
        yield from data


def torch_loader(dataset, epochs, workers):
    import torch

    loader = torch.utils.data.DataLoader(dataset, BATCH, shuffle=True, num_workers=workers, drop_last=True, persistent_workers=workers > 0)
    for _ in range(epochs):
        yield from loader


def torch_raw(folder, epochs, workers):
    colors, pairs = colors_of(folder), pairs_of(folder)

    class Files:
        def __len__(self):
            return len(pairs)

        def __getitem__(self, number):
            image, label = decoded(pairs[number], colors)
            return image.astype("float32") / 255, label

    yield from torch_loader(Files(), epochs, workers)


def torch_npy(folder, epochs, workers):
    import numpy as np

    count, classes = len(pairs_of(folder)), len(colors_of(folder))
    eye = np.eye(256, classes, dtype=np.float32)

    class Arrays:
        def __len__(self):
            return count

        def __getitem__(self, number):
            image = np.load(folder / "npy" / f"{number}.image.npy", mmap_mode="r")
            return image.astype(np.float32) / 255, eye[np.load(folder / "npy" / f"{number}.ids.npy")]

    yield from torch_loader(Arrays(), epochs, workers)


def mosaic(folder, epochs):
    import numpy as np
    import streaming
    import torch

    eye = np.eye(256, len(colors_of(folder)), dtype=np.float32)

    class Shards(streaming.StreamingDataset):
        def __getitem__(self, number):
            one = super().__getitem__(number)
            return one["image"].astype(np.float32) / 255, eye[one["ids"]]

    data = Shards(local=str(folder / "mds"), shuffle=True, batch_size=BATCH)
    loader = torch.utils.data.DataLoader(data, BATCH, num_workers=2, drop_last=True, persistent_workers=True)
    for _ in range(epochs):
        yield from loader


def ffcv_operations(classes):
    """f32 images in 0 … 1 and one-hot f32 labels, made by FFCV's threads."""
    from dataclasses import replace

    import numpy as np
    from ffcv.pipeline.allocation_query import AllocationQuery
    from ffcv.pipeline.compiler import Compiler
    from ffcv.pipeline.operation import Operation

    floats = np.dtype("float32")

    class Scale(Operation):
        def generate_code(self):
            rows = Compiler.get_iterator()

            def scale(batch, out):
                for row in rows(len(batch)):
                    out[row] = batch[row] / np.float32(255)
                return out[: len(batch)]

            scale.is_parallel = True
            return scale

        def declare_state_and_memory(self, state):
            return replace(state, dtype=floats), AllocationQuery(state.shape, floats)

    class OneHot(Operation):
        def generate_code(self):
            rows = Compiler.get_iterator()

            def one_hot(batch, out):
                for row in rows(len(batch)):
                    out[row] = 0
                    for y in range(batch.shape[1]):
                        for x in range(batch.shape[2]):
                            if batch[row, y, x] < classes:
                                out[row, y, x, batch[row, y, x]] = 1
                return out[: len(batch)]

            one_hot.is_parallel = True
            return one_hot

        def declare_state_and_memory(self, state):
            shape = (*state.shape, classes)
            return replace(state, shape=shape, dtype=floats), AllocationQuery(shape, floats)

    return Scale(), OneHot()


def ffcv(folder, epochs):
    from ffcv.fields.decoders import NDArrayDecoder
    from ffcv.loader import Loader, OrderOption
    from ffcv.transforms import ToTensor

    scale, one_hot = ffcv_operations(len(colors_of(folder)))
    loader = Loader(
        str(folder / "resized.beton"), batch_size=BATCH, num_workers=2, order=OrderOption.RANDOM, os_cache=True, drop_last=True,
        pipelines={"image": [NDArrayDecoder(), scale, ToTensor()], "ids": [NDArrayDecoder(), one_hot, ToTensor()]},
    )  # fmt: skip
    for _ in range(epochs):
        yield from loader


# ---- hotpack


def forms():
    import hotpack

    return {"image": hotpack.Image("float32"), "label": hotpack.OneHot("float32"), "seed": 1}


def hotpack_numpy(folder, epochs):
    import hotpack

    loader = hotpack.Loader(folder / "packed", BATCH, **forms())
    for _ in range(epochs):
        yield from loader


def hotpack_torch(folder, epochs):
    import hotpack.torch

    loader = hotpack.torch.Loader(folder / "packed", BATCH, **forms())
    for _ in range(epochs):
        yield from loader


def hotpack_keras(folder, epochs):
    import hotpack
    import hotpack.keras

    yield from keras_epochs(hotpack.keras.PyDataset(hotpack.Loader(folder / "packed", BATCH, prefetch_batches=6, **forms())), epochs)


def hotpack_tf(folder, epochs):
    import hotpack
    import hotpack.tf

    loader = hotpack.Loader(folder / "packed", BATCH, prefetch_batches=6, **forms())
    for _ in range(epochs):
        yield from hotpack.tf.batches(loader)


def hotpack_jax(folder, epochs):
    import hotpack.jax

    loader = hotpack.jax.Loader(folder / "packed", BATCH, **forms())
    for _ in range(epochs):
        yield from loader


WAYS = {
    "Keras PyDataset, raw files, 1 worker": lambda *a: keras_raw(*a),
    "Keras PyDataset, raw files, 8 threads": lambda *a: keras_raw(*a, workers=8, max_queue_size=16),
    "Keras PyDataset, raw files, 8 processes": lambda *a: keras_raw(*a, workers=8, use_multiprocessing=True, max_queue_size=16),
    "tf.data, raw files": tf_raw,
    "tf.data, TFRecords of resized arrays": tf_records,
    "PyTorch DataLoader, raw files, 2 workers": lambda *a: torch_raw(*a, 2),
    "PyTorch DataLoader, resized .npy files, 2 workers": lambda *a: torch_npy(*a, 2),
    "MosaicML Streaming, resized arrays, 2 workers": mosaic,
    "FFCV, resized arrays, 2 workers": ffcv,
    "hotpack, NumPy": hotpack_numpy,
    "hotpack, PyTorch": hotpack_torch,
    "hotpack, Keras": hotpack_keras,
    "hotpack, TensorFlow": hotpack_tf,
    "hotpack, JAX": hotpack_jax,
}


# ---- what is read, and the loop


def prepare_ffcv(folder):
    """The resized arrays of prepare() in a file of FFCV."""
    import numpy as np
    from ffcv.fields import NDArrayField
    from ffcv.writer import DatasetWriter

    count, u8 = len(pairs_of(folder)), np.dtype("uint8")

    class Arrays:
        def __len__(self):
            return count

        def __getitem__(self, number):
            return np.load(folder / "npy" / f"{number}.image.npy"), np.load(folder / "npy" / f"{number}.ids.npy")

    fields = {"image": NDArrayField(u8, (SIDE, SIDE, 3)), "ids": NDArrayField(u8, (SIDE, SIDE))}
    DatasetWriter(str(folder / "resized.beton"), fields, num_workers=2).from_indexed_dataset(Arrays())


def prepare(folder):
    """Resized arrays as .npy files, TFRecords, MDS shards and, where FFCV is installed, a file of its own."""
    import importlib.util

    import numpy as np
    import streaming
    import tensorflow as tf

    colors = colors_of(folder)
    (folder / "npy").mkdir()
    with (
        tf.io.TFRecordWriter(str(folder / "resized.tfrecord")) as records,
        streaming.MDSWriter(out=str(folder / "mds"), columns={"image": "ndarray", "ids": "ndarray"}) as shards,
    ):
        for number, pair in enumerate(pairs_of(folder)):
            image, one_hot = decoded(pair, colors)
            ids = np.where(one_hot.any(-1), one_hot.argmax(-1), 255).astype(np.uint8)
            np.save(folder / "npy" / f"{number}.image.npy", image)
            np.save(folder / "npy" / f"{number}.ids.npy", ids)
            values = {"image": image.tobytes(), "ids": ids.tobytes()}
            feature = {name: tf.train.Feature(bytes_list=tf.train.BytesList(value=[value])) for name, value in values.items()}
            records.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
            shards.write({"image": image, "ids": ids})
    if importlib.util.find_spec("ffcv"):
        prepare_ffcv(folder)


def measure(way, folder, steps, epochs, step_seconds):
    """Waits after the first batch, which a program waits for once."""
    import numpy as np

    batches = WAYS[way](folder, epochs)
    began = time.perf_counter()
    x, y = next(batches)
    first = time.perf_counter() - began
    shapes = [list(x.shape), list(y.shape)]
    waited, count = 0.0, 1
    means = []  # of some pixels of each batch of the first epoch, which holds every sample
    while True:
        if count <= steps:
            means.append([float(np.asarray(field[:, ::16, ::16], np.float32).mean()) for field in (x, y)])
        del x, y
        time.sleep(step_seconds)
        asked = time.perf_counter()
        try:
            x, y = next(batches)
        except StopIteration:
            break
        waited += time.perf_counter() - asked
        count += 1
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps({
        "wait": waited, "first": first, "batches": count, "processor": sum(u.ru_utime + u.ru_stime for u in usage),
        "shapes": shapes, "image_mean": float(np.mean([image for image, _ in means])), "label_mean": float(np.mean([label for _, label in means])),
    }))  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1] == "prepare":
        prepare(Path(sys.argv[2]))
    else:
        measure(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
