"""What parts of a plan have packed, as objects that schedulers carry from machine to machine."""

from __future__ import annotations

import itertools
import json
import operator
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from .errors import DamagedError, IoError, UsageError

Json = dict[str, Any]
Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one part of a plan has packed: all that `hotpack.merge` has to know of it, about 500
    bytes per shard. It can be pickled, so schedulers return it as the result of a task.

    index, count: the part, counted from 0, and how many parts there are. data: the file that the
    command wrote. path: where that file is, or None if it was not kept.
    """

    index: int
    count: int
    data: bytes
    path: str | None = None

    @property
    def json(self) -> Json:
        """The receipt as a dictionary, made anew by each call; src/pack/PLAN.md describes it."""
        found: Json = json.loads(self.data)
        return found

    @property
    def records(self) -> int:
        """Samples in the shards of this part."""
        return sum(shard["records"] for shard in _shards(self.json))

    @property
    def skipped(self) -> int:
        """Samples that this part has left out."""
        return sum(shard["sums"][-1] for shard in _shards(self.json))

    @property
    def name(self) -> str:
        """The name of its file, such as "part-00003-of-00040.json"."""
        return f"part-{self.index:05}-of-{self.count:05}.json"

    def to_bytes(self) -> bytes:
        """The file's bytes: JSON in UTF-8."""
        return self.data

    def save(self, folder: Path) -> str:
        """Writes the file into a folder, which is made if it is missing, and returns its path. The
        file is whole or not there. Raises IoError."""
        folder = os.fsdecode(folder)
        path = os.path.join(folder, self.name)
        try:
            os.makedirs(folder, exist_ok=True)
            _replace(path, self.data)
        except OSError as error:
            raise IoError.of("cannot write the receipt", path, error) from None
        return path

    @classmethod
    def from_bytes(cls, data: bytes) -> Receipt:
        """The inverse of `to_bytes`. Raises DamagedError if this is no receipt."""
        return _receipt(data, None)

    @classmethod
    def load(cls, path: Path) -> Receipt:
        """Reads a file that the command or `save` wrote. Raises IoError or DamagedError."""
        name = os.fsdecode(path)
        try:
            with open(name, "rb") as file:
                data = file.read()
        except OSError as error:
            raise IoError.of("cannot read the receipt", name, error) from None
        return _receipt(data, name)


ReceiptLike = Receipt | Mapping[str, Any] | bytes | str | os.PathLike[str] | os.PathLike[bytes]
Receipts = ReceiptLike | Iterable[ReceiptLike]


class ReceiptFolders:
    """Receipts of any form as the folders that the command reads. Those that are no folders
    already are written into temporary ones, which are removed at the end of the `with` block."""

    def __init__(self, receipts: Receipts) -> None:
        single = isinstance(receipts, (Receipt, Mapping, bytes, str, os.PathLike))
        self._receipts: list[Any] = [receipts] if single else list(cast(Any, receipts))
        if not self._receipts:
            raise UsageError("receipts is empty; give those of all parts", option="receipts")
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> list[str]:
        folders, left = [], []
        for receipt in self._receipts:
            if isinstance(receipt, (str, os.PathLike)) and os.path.isdir(receipt):
                folders.append(os.fsdecode(receipt))
            else:
                left.append(_of(receipt))
        if left:
            self._temporary = tempfile.TemporaryDirectory(prefix="hotpack-receipts-")
            folders += _save_all(left, self._temporary.name)
        return folders

    def __exit__(self, *error: object) -> None:
        if self._temporary is not None:
            self._temporary.cleanup()


def receipt_folders(receipts: Receipts | None) -> ReceiptFolders | None:
    """For an option of the command; None if it is not given."""
    return None if receipts is None else ReceiptFolders(receipts)


def _receipt(data: bytes, path: str | None) -> Receipt:
    try:
        index, count = json.loads(data)["partition"]
        return Receipt(operator.index(index), operator.index(count), data, path)
    except (ValueError, KeyError, TypeError):
        raise DamagedError(
            "this is no receipt: expected the JSON that `hotpack pack --receipt` writes", path=path
        ) from None


def _replace(path: str, data: bytes) -> None:
    """Writes a file that is whole or not there, also after a power failure."""
    folder, name = os.path.split(path)
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".receipt-", delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def _shards(receipt: Mapping[str, Any]) -> Iterator[Any]:
    return itertools.chain.from_iterable(one["shards"] for one in receipt["sets"])


def _encoded(receipt: Mapping[str, Any]) -> bytes:
    """The bytes of a receipt that was a dictionary, with the checksum of these bytes: blanks and
    ends of lines are not those of the file that it was."""
    from .pure.crc32c import crc32c

    members = {name: value for name, value in receipt.items() if name != "check"}
    text = json.dumps(members, ensure_ascii=False, separators=(",", ":"))
    data = text.removesuffix("}").encode()
    return data + f',"check":"crc32c:{crc32c(data):08x}"}}\n'.encode()


def _of(receipt: ReceiptLike) -> Receipt:
    if isinstance(receipt, Receipt):
        return receipt
    if isinstance(receipt, Mapping):
        return Receipt.from_bytes(_encoded(receipt))
    if isinstance(receipt, bytes):
        return Receipt.from_bytes(receipt)
    return Receipt.load(receipt)


def _save_all(receipts: list[Receipt], above: str) -> list[str]:
    """Saves them in new folders, and names those. Receipts of one name are in different ones."""
    saved: Counter[str] = Counter()
    folders: list[str] = []
    for receipt in receipts:
        number = saved[receipt.name]
        saved[receipt.name] += 1
        if number == len(folders):
            folders.append(os.path.join(above, str(number)))
        receipt.save(folders[number])
    return folders
