"""Programs as people write them with PyTorch (and DALI) to bring a pack's records to a GPU; device_peers.py compares them.

Each has next(): images f16 [N,3,H,W], normalized, and labels one-hot f16 [N,C,H,W], on the device; and close(). Batches have the sample
numbers of `order`, epoch after epoch.
"""

from collections import deque
from functools import lru_cache

MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)
PREFETCH = 4  # batches that each worker reads ahead
STUCK_SECONDS = 60  # that a worker may take for a batch


# ---------------------------------------------------------------------------------------------------------------- on the device


def normalized(images, mean, std):
    return images.permute(0, 3, 1, 2).float().div(255).sub(mean).div(std).half().contiguous()


def one_hot_by_comparison(labels, class_ids):
    return (labels[:, None] == class_ids[None, :, None, None]).half()


def both_by_comparison(images, labels, mean, std, class_ids):
    return normalized(images, mean, std), one_hot_by_comparison(labels, class_ids)


@lru_cache
def compiled(torch):
    return torch.compile(both_by_comparison, dynamic=False)


class Expansion:
    """u8 [N,H,W,3] and class ids [N,H,W] on the device to what the model wants.

    how: "one_hot", as most people write it: F.one_hot makes 8 bytes per pixel and class on the way; "compare": each class id compared with
    the pixel's, a byte per pixel and class on the way; "compile": that by torch.compile, with nothing on the way.
    """

    def __init__(self, torch, classes, device, how):
        self.torch, self.classes, self.how = torch, classes, how
        self.mean = torch.tensor(MEAN, device=device)[:, None, None]
        self.std = torch.tensor(STD, device=device)[:, None, None]
        self.class_ids = torch.arange(classes, dtype=torch.uint8, device=device)

    def images(self, images):
        return images.permute(0, 3, 1, 2).float().div_(255).sub_(self.mean).div_(self.std).half().contiguous()

    def labels(self, labels):
        if self.how == "compare":
            return one_hot_by_comparison(labels, self.class_ids)
        # One class more for what is ignored: 255.
        ids = labels.long().clamp_(max=self.classes)
        one_hot = self.torch.nn.functional.one_hot(ids, self.classes + 1)[..., :self.classes]
        return one_hot.permute(0, 3, 1, 2).half().contiguous()

    def __call__(self, images, labels):
        if self.how == "compile":
            return compiled(self.torch)(images, labels, self.mean, self.std, self.class_ids)
        return self.images(images), self.labels(labels)


# ---------------------------------------------------------------------------------------------------------------- records


def field_map(path, field):
    """All records of a shard's field as one array: a private map, which nobody writes to."""
    import numpy

    return numpy.asarray(numpy.memmap(path, numpy.uint8, "c", field.offset, (field.records, *field.shape)))


class Records:
    """Images and labels by sample number, as views of memory maps. Goes to workers as names of files: each maps them itself."""

    def __init__(self, files):
        self.shards, self.maps = files.shards, None

    def __getstate__(self):
        return {"shards": self.shards, "maps": None}

    def __len__(self):
        return sum(shard.image.records for shard in self.shards)

    def pair(self, sample):
        """[H,W,3] and [H,W] of a sample."""
        if self.maps is None:
            self.maps = [views for shard in self.shards
                         for views in zip(field_map(shard.path, shard.image), field_map(shard.path, shard.label), strict=True)]
        image, label = self.maps[sample]
        return image, label.reshape(image.shape[:2])

    def batch(self, samples):
        """[N,H,W,3] and [N,H,W], new arrays."""
        import numpy

        return [numpy.stack(field) for field in zip(*map(self.pair, samples), strict=True)]


class SampleDataset(Records):
    """Single samples for DataLoader's collation, in memory of their own, as a decoded file would be."""

    def __getitem__(self, sample):
        import torch

        image, label = self.pair(sample)
        return torch.from_numpy(image.copy()), torch.from_numpy(label.copy())


class BatchDataset(Records):
    """A whole batch at a time, with one copy: from the page cache to the memory that workers share with the program."""

    def __getitem__(self, samples):
        from torch import from_numpy
        from torch.utils.data import default_collate

        images, labels = zip(*map(self.pair, samples), strict=True)
        return [default_collate([from_numpy(view) for view in field]) for field in (images, labels)]


class Endless:
    """Batches of given sample numbers, epoch after epoch."""

    def __init__(self, batches):
        self.batches = batches

    def __iter__(self):
        while True:
            yield from self.batches


# ---------------------------------------------------------------------------------------------------------------- loaders


class TorchLoader:
    """DataLoader with pinned memory; copies and expansion on one stream, in turn."""

    def __init__(self, torch, machine, files, order, workers, dataset, how):
        fetching = ({"batch_size": None, "sampler": Endless(order)} if dataset is BatchDataset else {"batch_sampler": Endless(order)})
        ahead = {"persistent_workers": True, "prefetch_factor": PREFETCH, "timeout": STUCK_SECONDS} if workers else {}
        self.machine = machine
        self.loader = torch.utils.data.DataLoader(dataset(files), num_workers=workers, pin_memory=machine.pinned, **fetching, **ahead)
        self.batches = iter(self.loader)
        self.expand = Expansion(torch, files.classes, machine.device, how)

    def next(self):
        images, labels = next(self.batches)
        return self.expand(images.to(self.machine.device, non_blocking=True), labels.to(self.machine.device, non_blocking=True))

    def close(self):
        del self.batches, self.loader  # which ends the workers


class TorchPrefetcher(TorchLoader):
    """DataLoader with pinned memory, the next batches' copies on a stream of their own during this one's expansion."""

    AHEAD = 2

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.copier, self.copies = self.machine.copier(), deque()

    def next(self):
        if not self.copies:
            self.begin_copy()
        expanded = self.expand(*self.copier.hand_over(*self.copies.popleft()))
        while len(self.copies) < self.AHEAD:
            self.begin_copy()
        return expanded

    def close(self):
        self.copies.clear()
        super().close()

    def begin_copy(self):
        self.copies.append(self.copier.begin(next(self.batches)))


class TorchResident:
    """The whole set as two tensors on the device."""

    def __init__(self, torch, machine, files, order, how):
        self.torch = torch
        self.images = self.field_on_device(files, machine.device, "image")
        self.labels = self.field_on_device(files, machine.device, "label").reshape(self.images.shape[:3])
        self.batches = iter(Endless([torch.tensor(samples, device=machine.device) for samples in order]))
        self.expand = Expansion(torch, files.classes, machine.device, how)

    def field_on_device(self, files, device, name):
        fields = [(shard.path, getattr(shard, name)) for shard in files.shards]
        count = sum(field.records for _, field in fields)
        whole = self.torch.empty((count, *fields[0][1].shape), dtype=self.torch.uint8, device=device)
        begin = 0
        for path, field in fields:
            whole[begin:begin + field.records].copy_(self.torch.from_numpy(field_map(path, field)))
            begin += field.records
        return whole

    def next(self):
        samples = next(self.batches)
        return self.expand(self.images.index_select(0, samples), self.labels.index_select(0, samples))

    def close(self):
        del self.images, self.labels, self.batches


class Expected:
    """Expected batches: read from the files by NumPy, expanded on the device."""

    def __init__(self, torch, machine, files, order):
        self.torch, self.device, self.records, self.order = torch, machine.device, Records(files), order
        self.expand = Expansion(torch, files.classes, machine.device, "one_hot")

    def batch(self, number):
        return self.expand(*(self.torch.from_numpy(field).to(self.device) for field in self.records.batch(self.order[number])))


# ---------------------------------------------------------------------------------------------------------------- DALI


class DaliSource:
    """A sample at a time to DALI's worker processes, which get it pickled."""

    def __init__(self, files, order):
        self.records, self.numbers = Records(files), [sample for batch in order for sample in batch]

    def __call__(self, info):
        return self.records.pair(self.numbers[info.idx_in_epoch % len(self.numbers)])


def dali_pipeline(source, machine, batch):
    from nvidia.dali import Pipeline, fn, types

    pipeline = Pipeline(batch_size=batch, num_threads=8, device_id=machine.ordinal, py_num_workers=8, py_start_method="spawn")
    with pipeline:
        image, label = fn.external_source(source, num_outputs=2, batch=False, parallel=True, dtype=[types.UINT8, types.UINT8],
                                          layout=["HWC", "HW"])
        image = fn.crop_mirror_normalize(image.gpu(), dtype=types.FLOAT16, output_layout="CHW", mean=[255 * m for m in MEAN],
                                         std=[255 * s for s in STD])
        pipeline.set_outputs(image, label.gpu())
    return pipeline


class Dali:
    """DALI with an external source of the same records: copy to the device, normalization there, one-hot by PyTorch."""

    def __init__(self, torch, machine, files, order):
        from nvidia.dali.plugin.pytorch import DALIGenericIterator

        self.iterator = DALIGenericIterator([dali_pipeline(DaliSource(files, order), machine, len(order[0]))], ["image", "label"])
        self.expand = Expansion(torch, files.classes, machine.device, "compare")

    def next(self):
        batch = next(self.iterator)[0]
        return batch["image"], self.expand.labels(batch["label"])

    def close(self):
        del self.iterator


__all__ = ["BatchDataset", "Dali", "Expected", "PREFETCH", "SampleDataset", "TorchLoader", "TorchPrefetcher", "TorchResident"]
