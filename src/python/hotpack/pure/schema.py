"""What all records of a pack have in common: `hotpack.schema`, by FORMAT.md section 8.

Members have the names that they have there. Failure: DamagedError with the place in the schema.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from ..errors import DamagedError
from .json_node import Node
from .json_text import excerpt, parse

MOST_SIDE = 2**31 - 1
MOST_RECORD_BYTES = 2**63 - 1
MOST_CLASSES = 65535
MOST_SCHEMA_BYTES = 16 << 20
MOST_CHANNELS = 64

LAYOUTS = ("hwc", "chw")
COLORS = ("rgb", "gray")
DTYPES = ("u8",)  # the only one that this version reads
KINDS = ("pixel", "sample")
STORAGES = ("bits", "onehot", "index")
ANCHORS = ("center", "top-left")
_DECIDING = ("dtype", "color", "codec")  # whether this version reads the images
_READS = "; this version of hotpack reads u8 RGB and gray pixels"


@dataclass(frozen=True, slots=True)
class ImageField:
    layout: str
    shape: tuple[int, ...] | None  # one record as stored; None: sizes differ
    color: str

    @property
    def channels(self) -> int:
        return 3 if self.color == "rgb" else 1


@dataclass(frozen=True, slots=True)
class LabelField:
    kind: str
    storage: str
    shape: tuple[int, ...] | None
    multi: bool


@dataclass(frozen=True, slots=True)
class ClassInfo:
    name: str
    color: tuple[int, int, int] | None
    sources: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Geometry:
    size: tuple[int, int] | None  # width, height
    fit: str
    image_filter: str
    label_filter: str
    pad_color: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    image: ImageField
    label: LabelField | None
    classes: tuple[ClassInfo, ...]
    ignore: tuple[int | str, ...]
    geometry: Geometry
    options: dict[str, Any] = field(hash=False)

    @property
    def index_bytes(self) -> int:
        """Bytes of a class id in storage "index"."""
        return 1 if len(self.classes) <= 255 else 2

    @property
    def label_depth(self) -> int:
        """Items of one label vector: ⌈C/8⌉ (bits), C (onehot) or 1 (index)."""
        assert self.label is not None
        count = len(self.classes)
        return {"bits": (count + 7) // 8, "onehot": count, "index": 1}[self.label.storage]

    @property
    def label_item_bytes(self) -> int:
        assert self.label is not None
        return self.index_bytes if self.label.storage == "index" else 1

    @property
    def label_record(self) -> tuple[int, ...] | None:
        """One label record as stored; None if sizes differ, and without labels."""
        return self.label.shape if self.label else None

    @property
    def counted_classes(self) -> int:
        return len(self.classes) if self.label else 0

    @property
    def has_class_rows(self) -> bool:
        """True if a shard has the tables `label.classes` and `label.classes.offsets`."""
        return self.label is not None and self.label.kind == "pixel"


def decode_schema(text: str, minor: int) -> Schema:
    """Reads and checks a schema of version 1.`minor`."""
    data = text.encode()
    if len(data) > MOST_SCHEMA_BYTES:
        raise DamagedError(f"it has {len(data)} bytes; a schema has at most {MOST_SCHEMA_BYTES}")
    node = Node(parse(data))
    node.require_keys(("fields", "classes", "ignore", "geometry", "options"), minor)
    node.at("ignore").require_keys(("sources",), minor)
    image, label = _fields(node.at("fields"), minor)
    schema = Schema(
        image,
        label,
        tuple(_class(element, minor) for element in node.at("classes").elements()),
        _sources(node.at("ignore").at("sources")),
        _geometry(node.at("geometry"), minor),
        _options(node.at("options")),
    )
    _check_label(schema)
    _check_shapes(schema)
    return schema


def image_shape(schema: Schema) -> tuple[int, ...] | None:
    """`fields.image.shape`, as it follows from the rest of the schema."""
    if schema.geometry.size is None:
        return None
    width, height = schema.geometry.size
    channels = schema.image.channels
    return (height, width, channels) if schema.image.layout == "hwc" else (channels, height, width)


def label_shape(schema: Schema) -> tuple[int, ...] | None:
    """`fields.label.shape`, as it follows from the rest of the schema."""
    assert schema.label is not None
    vector = () if schema.label.storage == "index" else (schema.label_depth,)
    if schema.label.kind == "sample":
        return vector
    if schema.geometry.size is None:
        return None
    width, height = schema.geometry.size
    return (height, width, *vector)


def _fields(node: Node, minor: int) -> tuple[ImageField, LabelField | None]:
    node.require_keys(("image", "label") if node.has("label") else ("image",), minor)
    image = _image(node.at("image"), minor)
    return image, _label(node.at("label"), minor) if node.has("label") else None


def _image(node: Node, minor: int) -> ImageField:
    _check_readable(node)
    node.require_keys(("layout", "shape", "dtype", "channels", "color"), minor)
    layout, color = node.at("layout").choice(LAYOUTS), node.at("color").choice(COLORS)
    channels = node.at("channels").count(1, MOST_CHANNELS)
    image = ImageField(layout, _sizes(node.at("shape"), 3), color)
    if channels != image.channels:
        raise node.at("channels").error(f"must be {image.channels} for {excerpt(color)}")
    return image


def _check_readable(node: Node) -> None:
    """Refuses images that FORMAT.md describes and this version does not read."""
    dtype, color, codec = (node.at(n).value if node.has(n) else None for n in _DECIDING)
    if dtype in ("u16", "f32"):
        raise DamagedError(f"the images have the element type {dtype}{_READS}")
    if color == "bands":
        raise DamagedError(f"the images have bands{_READS}")
    if node.has("codec"):
        raise DamagedError(f"the images are coded by {excerpt(codec)}{_READS}")
    if node.has("dtype"):
        node.at("dtype").choice(DTYPES)


def _label(node: Node, minor: int) -> LabelField:
    node.require_keys(("kind", "storage", "shape", "multi"), minor)
    kind, storage = node.at("kind").choice(KINDS), node.at("storage").choice(STORAGES)
    shape = node.at("shape")
    sizes = None if shape.value is None else shape.counts(1, MOST_SIDE)
    return LabelField(kind, storage, sizes, node.at("multi").boolean())


def _sizes(node: Node, count: int) -> tuple[int, ...] | None:
    if node.value is None:
        return None
    if node.length() != count:
        raise node.error(f"must be a list of {count} sizes")
    return node.counts(1, MOST_SIDE)


def _class(node: Node, minor: int) -> ClassInfo:
    node.require_keys(("name", "color", "sources"), minor)
    color = node.at("color")
    if color.value is None:
        rgb = None
    elif color.length() != 3:
        raise color.error("must be three numbers")
    else:
        red, green, blue = color.counts(0, 255)
        rgb = (red, green, blue)
    return ClassInfo(node.at("name").text(), rgb, _sources(node.at("sources")))


def _sources(node: Node) -> tuple[int | str, ...]:
    return tuple(_source(element) for element in node.elements())


def _source(node: Node) -> int | str:
    if not isinstance(node.value, str):
        return node.count()
    if not node.value:
        raise node.error("must not be empty")
    return node.value


def _geometry(node: Node, minor: int) -> Geometry:
    node.require_keys(("size", "fit", "image_filter", "label_filter", "pad_color"), minor)
    size = _sizes(node.at("size"), 2)
    pad_color = node.at("pad_color").counts(0, 255)
    if len(pad_color) not in (1, 3):
        raise node.at("pad_color").error("must be one or three numbers")
    fit = node.at("fit").text()
    if (size is None) != (fit == "none"):
        raise node.at("size").error('must be null if fit is "none", and only then')
    return Geometry(
        None if size is None else (size[0], size[1]),
        fit,
        node.at("image_filter").text(),
        node.at("label_filter").text(),
        pad_color,
    )


def _options(node: Node) -> dict[str, Any]:
    node.require_keys(("shuffle", "anchor", "size_mismatch", "engines"), 1)  # others may follow
    if node.at("shuffle").value is not None:
        node.at("shuffle").count(0, 2**64 - 1)
    node.at("anchor").choice(ANCHORS)
    if not node.at("size_mismatch").text():
        raise node.at("size_mismatch").error("must not be empty")
    _check_engines(node.at("engines"))
    return dict(node.value)


def _check_engines(node: Node) -> None:
    engines = [element.text() for element in node.elements()]
    stages = [engine.partition(":")[0] for engine in engines]
    for engine, stage, element in zip(engines, stages, node.elements()):
        named = stage and all(c in "abcdefghijklmnopqrstuvwxyz0123456789_-" for c in stage)
        version = engine[len(stage) + 1 :]
        if not named or not version or any(c in " \t\r\n\f\v" for c in engine):
            raise element.error("is not of the form <stage>:<version>")
    if engines != sorted(engines, key=str.encode):
        raise node.error("is not sorted by bytes")
    if len(set(stages)) != len(stages):
        raise node.error("names one stage twice")


def _check_label(schema: Schema) -> None:
    if schema.label is None:
        return
    if not schema.classes:
        raise DamagedError("classes: must not be empty, because the data set has labels")
    if len(schema.classes) > MOST_CLASSES:
        raise DamagedError(f"classes: the number of entries exceeds {MOST_CLASSES}")
    if schema.label.multi and schema.label.storage == "index":
        raise DamagedError(
            "fields.label.multi: several classes per pixel cannot be stored as ids"
        )


def _check_shapes(schema: Schema) -> None:
    _check_shape("image", schema.image.shape, image_shape(schema), 1)
    if schema.label:
        item_bytes = schema.label_item_bytes
        _check_shape("label", schema.label.shape, label_shape(schema), item_bytes)


def _check_shape(
    name: str, found: tuple[int, ...] | None, wanted: tuple[int, ...] | None, item_bytes: int
) -> None:
    if found != wanted:
        raise DamagedError(f"fields.{name}.shape does not agree with size, fields and classes")
    if found is not None and math.prod(found) * item_bytes > MOST_RECORD_BYTES:
        raise DamagedError(f"fields.{name}.shape: a record of this shape is too large")
