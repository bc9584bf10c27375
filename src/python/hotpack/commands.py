"""The commands of hotpack as functions. Made by scripts/make-python-commands from `hotpack COMMAND
--help=json`; do not edit.

Each runs the command as a process. None means the command's own default. progress: called with a
Progress from time to time, or True for a bar of tqdm; an exception of it ends the command in order.
Messages go to the logger "hotpack". Raises UsageError, DataError, IoError, DamagedError,
InternalError or CancelledError, as the command reports them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from .errors import UsageError
from .process import Listener, run
from .receipts import Receipts, receipt_folders
from .reports import (
    CheckReport,
    ExtractReport,
    InfoReport,
    MergeReport,
    PackReport,
    PlanReport,
    PreviewReport,
    VerifyReport,
    check_report,
    extract_report,
    info_report,
    merge_report,
    pack_report,
    plan_report,
    preview_report,
    verify_report,
)

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Size = tuple[int, int] | str  # width and height
Color = tuple[int, int, int] | str  # R, G, B or "#rrggbb"
Texts = Sequence[str] | str
FoldChoice = Literal[
    "none", "case", "unicode", "numbers", "case,unicode", "case,numbers", "unicode,numbers",
    "case,unicode,numbers"
]
OrphansChoice = Literal["error", "skip"]
LabelKindChoice = Literal[
    "auto", "color", "index", "palette-color", "binary", "rgb-id", "instances"
]
RgbIdChoice = Literal["r", "r+256g+65536b", "r/10*256+g"]
FitChoice = Literal["stretch", "crop-or-pad", "contain", "cover", "long-side", "short-side", "none"]
ImageFilterChoice = Literal[
    "auto", "linear", "area", "nearest", "triangle", "cubic", "lanczos", "triangle-pillow12.1",
    "cubic-pillow12.1", "lanczos-pillow12.1"
]
LabelFilterChoice = Literal["nearest", "nearest-cv", "nearest-pil"]
AnchorChoice = Literal["center", "top-left"]
SizeMismatchChoice = Literal["error", "resize-label", "each-to-target", "crop-min"]
ExifChoice = Literal["auto", "apply", "ignore"]
ChannelsChoice = Literal["rgb", "gray"]
Depth16Choice = Literal["shift", "scale"]
JpegScaleChoice = Literal["auto", "off"]
LabelStorageChoice = Literal["bits", "one_hot", "index"]
ImageLayoutChoice = Literal["hwc", "chw"]
OnErrorChoice = Literal["fail", "skip"]


def _joined(name: str, value: Any, separator: str, form: str = "a list") -> Any:
    """Joins several values to the one word that the command line wants. Raises UsageError for what
    is not of the form, such as "(width, height)"."""
    if value is None or isinstance(value, (str, bytes, os.PathLike)):
        return value
    values = list(value) if isinstance(value, Iterable) else None
    if values is None or form.startswith("(") and len(values) != form.count(",") + 1:
        raise UsageError(f"{name} is {value!r}; it must be {form}", option=name)
    return separator.join(map(str, values))


def _each(value: Any) -> Any:
    """The values of an option that may be given several times."""
    if isinstance(value, (str, bytes, os.PathLike)) or not isinstance(value, Iterable):
        return value
    return list(value)


def pack(
    *folders: Path,
    images: Path | Sequence[Path] | None = None,
    labels: Path | Sequence[Path] | None = None,
    image_folders: Path | Sequence[Path] | None = None,
    key_prefix: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    image_suffix: str | None = None,
    label_suffix: str | None = None,
    pair_regex: tuple[str, str] | None = None,
    mask_per_class: str | None = None,
    allow_empty: bool = False,
    fold: FoldChoice | None = None,
    orphans: OrphansChoice | None = None,
    pairs: Path | None = None,
    columns: str | None = None,
    list: Path | None = None,
    root: Path | None = None,
    strip_prefix: str | None = None,
    split: str | None = None,
    split_seed: int | None = None,
    group: str | None = None,
    preset: Path | None = None,
    map: Path | None = None,
    classes: Path | None = None,
    num_classes: int | None = None,
    label_kind: LabelKindChoice | None = None,
    rgb_id: RgbIdChoice | None = None,
    shift_ids: int | None = None,
    threshold: int | None = None,
    ignore: str | Sequence[str] | None = None,
    unknown: str | None = None,
    pad_label: str | None = None,
    size: Size | None = None,
    fit: FitChoice | None = None,
    tile: Size | None = None,
    pad_multiple: int | None = None,
    image_filter: ImageFilterChoice | None = None,
    label_filter: LabelFilterChoice | None = None,
    anchor: AnchorChoice | None = None,
    pad_color: Color | None = None,
    size_mismatch: SizeMismatchChoice | None = None,
    exif: ExifChoice | None = None,
    channels: ChannelsChoice | None = None,
    alpha: str | None = None,
    depth16: Depth16Choice | None = None,
    jpeg_scale: JpegScaleChoice | None = None,
    max_pixels: int | None = None,
    lenient: bool = False,
    label_storage: LabelStorageChoice | None = None,
    image_layout: ImageLayoutChoice | None = None,
    shard_size: int | str | None = None,
    shard_samples: int | None = None,
    shuffle: int | None = None,
    zstd: bool | str | None = None,
    io_threads: int | None = None,
    max_memory: int | str | None = None,
    plan: Path | None = None,
    output: Path | None = None,
    receipt: Path | None = None,
    scratch: Path | None = None,
    on_shard: str | None = None,
    partition: str | None = None,
    on_error: OnErrorChoice | None = None,
    max_errors: int | None = None,
    accept_skips: int | str | None = None,
    skipped: Path | None = None,
    recheck: bool = False,
    repair: bool = False,
    force: bool = False,
    dry_run: bool = False,
    jobs: int | None = None,
    config: Path | None = None,
    log_file: Path | None = None,
    progress: Listener | bool | None = None,
) -> PackReport:
    """Packs images and labels into memory-mappable shards.

    folders: data set folder; its layout is detected and printed (VOC, Cityscapes, images and masks,
        …); several become one pack.
    images: folder of images, searched recursively, or a pattern 'DIR/{key}/*.jpg'; repeatable.
    labels: folder of label files, paired with images by relative path without extension, or a
        pattern 'DIR/{key}_*.png'; repeatable.
    image_folders: folder with one folder per class, whose name is the class; repeatable.
    key_prefix: prepend PREFIX/ to the keys of a folder; one per --images or --image-folders, in
        order.
    exclude: leave out files and folders below the input folders: a name such as '*_preview.png', or
        a path such as 'train/figures'; repeatable.
    image_suffix: suffix stripped from image stems, such as _leftImg8bit; files without it are
        ignored.
    label_suffix: suffix stripped from label stems, such as _L or _gtFine_labelIds.
    pair_regex: two regular expressions for the paths of images and labels below their folders; the
        captured groups, joined by '/', are the key.
    mask_per_class: one binary mask per class: their path below --labels without extension, such as
        {key}_{class}, {class}/{key} or */{key}_{class}; a pixel may then have several classes.
    allow_empty: accept empty class folders without a warning.
    fold: pair images and labels whose names differ only in case, in the Unicode form of a character
        (NFC, NFD), or in leading zeros of numbers (7, 007); keys keep the spelling of the image.
        One of none, case, unicode, numbers, case,unicode, case,numbers, unicode,numbers,
        case,unicode,numbers. Default: none.
    orphans: images without a label and labels without an image: stop, or leave them out. One of
        error, skip. Default: error.
    pairs: table of samples (CSV, TSV or JSON lines): image, label (a file or a class) and
        optionally split.
    columns: names of columns of --pairs, such as image=photo,class=diagnosis,split=fold; class= in
        place of label= if labels are classes of whole images.
    list: samples to pack, one key or path per line; without --images, one image and one label path
        per line.
    root: folder that paths in --pairs and --list are relative to [default: the folder of that
        file].
    strip_prefix: prefix removed from paths in --pairs and --list, such as /SegNet/.
    split: write several packs below -o: folder (first part of the key), ratio:train=80,val=20,
        hash:train=80,val=20 (samples keep their split when others are added),
        list:train=FILE,val=FILE.
    split_seed: seed of --split ratio. Default: 0.
    group: with --split ratio or hash: samples whose keys have the same match of this regular
        expression stay in one split.
    preset: class table, ignored ids and suffixes of a known data set, such as voc, cityscapes19,
        ade20k150, or of a CSV file; list prints all names.
    map: table old,new that maps ids, colors or class names to a class, or to ignore.
    classes: class table: a CSV name,r,g,b, one name per line, or a pack whose table to share.
    num_classes: number of classes, ids 0 … N-1; without it and without a class table, all labels
        are read to find N.
    label_kind: how label files are read; auto prints its decision and the reason. One of auto,
        color, index, palette-color, binary, rgb-id, instances. Default: auto.
    rgb_id: with rgb-id: the id that a color encodes, r (CARLA, SYNTHIA), r+256g+65536b (COCO
        panoptic) or r/10*256+g (ADE20K full). One of r, r+256g+65536b, r/10*256+g.
    shift_ids: added to every id, such as -1 if ids count from 1; ids that fall below 0 are ignored.
    threshold: with binary: pixels with a luma of N or more are foreground; in 16-bit gray, pixels
        with a stored value of N or more, and N is required unless all are 0 or 65535. Default: 128.
    ignore: id, class name or color to exclude from training; repeatable [default: 255 in 8-bit,
        65535 in 16-bit ids, unless a class has that id].
    unknown: colors or ids without a class: error, ignore, nearest[:D] (the class of the nearest
        color, at most D away), or the class they become. Default: error.
    pad_label: label of padded pixels: ignore or a class. Default: ignore.
    size: width and height of every record, such as 512x512 (512 alone: both). Without it, images
        keep their size.
    fit: stretch: scale both sides; crop-or-pad: no scaling; contain: fit inside and pad; cover:
        fill and crop; long-side, short-side: scale that side, then crop or pad; none: keep the
        size. One of stretch, crop-or-pad, contain, cover, long-side, short-side, none. Default:
        stretch.
    tile: cut the fitted image into records of one size, such as 512x512+128.
    pad_multiple: with --fit none: pad records to multiples of N.
    image_filter: auto: area if both sides shrink, otherwise linear; the last three are antialiased
        and equal Pillow 13's; with -pillow12.1 they equal those of Pillow 12.1 and older. One of
        auto, linear, area, nearest, triangle, cubic, lanczos, triangle-pillow12.1, cubic-
        pillow12.1, lanczos-pillow12.1. Default: auto.
    label_filter: nearest neighbor: centered and exact, as OpenCV, or as Pillow. One of nearest,
        nearest-cv, nearest-pil. Default: nearest.
    anchor: where cropping and padding leave the image. One of center, top-left. Default: center.
    pad_color: color of padding. Default: 0,0,0.
    size_mismatch: image and label differ in size: refuse; resample the label to the image first;
        resample each to the record; crop both to the smaller width and height. One of error,
        resize-label, each-to-target, crop-min. Default: error.
    exif: EXIF orientation; auto: apply it unless the label was drawn on the stored pixels. One of
        auto, apply, ignore. Default: auto.
    channels: channels of the packed image. One of rgb, gray. Default: rgb.
    alpha: transparency of images: drop it, or blend with a color. Default: drop.
    depth16: 16-bit images: keep the upper 8 bits, or rescale. One of shift, scale. Default: shift.
    jpeg_scale: JPEGs that shrink much: auto decodes them at 1/2, 1/4 or 1/8 of their size before an
        antialiased filter; off decodes all pixels. One of auto, off. Default: auto.
    max_pixels: refuse larger images. Default: 268435456.
    lenient: accept JPEGs with stray bytes between segments or odd scan parameters if all their rows
        can be decoded.
    label_storage: one-hot with one bit per class, one-hot bytes, or class ids. One of bits,
        one_hot, index. Default: bits.
    image_layout: order of the image's axes. One of hwc, chw. Default: hwc.
    shard_size: maximum bytes of records per shard, such as 64MiB or 1GB. Default: 256MiB.
    shard_samples: maximum samples per shard, instead of a size.
    shuffle: write records in a random order drawn from SEED; reading in file order is then random.
    zstd: compress each record: smaller, but no longer readable in place [default: both fields,
        level 1].
    io_threads: most threads that wait for files while folders are listed and headers are read; more
        help on network file systems, and local disks use fewer. Default: 64.
    max_memory: about the most memory for images that are decoded at once, such as 4GiB; large
        images are decoded fewer at once [default: half of the memory that the cgroup's limit or the
        machine leaves, at least 256MiB].
    plan: pack what this plan of `hotpack plan` says, in place of inputs and their options.
    output: folder of the pack; new, or made by hotpack.
    receipt: write a receipt of the finished shards to DIR, for `hotpack merge --receipts`.
    scratch: write each shard here first, on a disk of this machine; then it goes to -o in order of
        its bytes, or to --on-shard.
    on_shard: run this command of the shell for each finished shard, with its path in place of {}
        and its split in place of {split}; needs --receipt.
    partition: write only part I (from 0) of N, for `hotpack merge` to join; auto: the part that the
        scheduler assigned: Slurm, Kubernetes, MPI and others (HOTPACK_PARTITIONS=N: the number of
        all parts).
    on_error: samples that cannot be packed: stop, or leave them out. One of fail, skip. Default:
        fail.
    max_errors: with skip: stop after more than N skipped samples (with --partition: of the part).
    accept_skips: with skip: exit status 0 if at most N samples were skipped, or at most P% of all
        samples (with --partition: of the part).
    skipped: with skip: write key, file and reason of each skipped sample to FILE.
    recheck: hash all inputs again, and pack the shards whose inputs changed.
    repair: verify every byte of the pack, and pack damaged or missing shards again; the others
        stay.
    force: pack everything again, replacing the pack in -o.
    dry_run: print the plan and stop before writing.
    jobs: threads; more need more memory [default: one per processor that the process may use].
    config: read options from FILE: lines `name = value`, with option names without dashes; the
        command line takes precedence.
    log_file: append every message with its time to FILE.
    """
    report = run(
        "pack",
        [*folders],
        {
            "--images": _each(images),
            "--labels": _each(labels),
            "--image-folders": _each(image_folders),
            "--key-prefix": _each(key_prefix),
            "--exclude": _each(exclude),
            "--image-suffix": image_suffix,
            "--label-suffix": label_suffix,
            "--pair-regex": pair_regex,
            "--mask-per-class": mask_per_class,
            "--allow-empty": allow_empty,
            "--fold": fold,
            "--orphans": orphans,
            "--pairs": pairs,
            "--columns": columns,
            "--list": list,
            "--root": root,
            "--strip-prefix": strip_prefix,
            "--split": split,
            "--split-seed": split_seed,
            "--group": group,
            "--preset": preset,
            "--map": map,
            "--classes": classes,
            "--num-classes": num_classes,
            "--label-kind": label_kind,
            "--rgb-id": rgb_id,
            "--shift-ids": shift_ids,
            "--threshold": threshold,
            "--ignore": _each(ignore),
            "--unknown": unknown,
            "--pad-label": pad_label,
            "--size": _joined("size", size, "x", "(width, height)"),
            "--fit": fit,
            "--tile": _joined("tile", tile, "x", "(width, height)"),
            "--pad-multiple": pad_multiple,
            "--image-filter": image_filter,
            "--label-filter": label_filter,
            "--anchor": anchor,
            "--pad-color": _joined("pad_color", pad_color, ",", "(red, green, blue)"),
            "--size-mismatch": size_mismatch,
            "--exif": exif,
            "--channels": channels,
            "--alpha": alpha,
            "--depth16": depth16,
            "--jpeg-scale": jpeg_scale,
            "--max-pixels": max_pixels,
            "--lenient": lenient,
            "--label-storage": label_storage,
            "--image-layout": image_layout,
            "--shard-size": shard_size,
            "--shard-samples": shard_samples,
            "--shuffle": shuffle,
            "--zstd": zstd,
            "--io-threads": io_threads,
            "--max-memory": max_memory,
            "--plan": plan,
            "--output": output,
            "--receipt": receipt,
            "--scratch": scratch,
            "--on-shard": on_shard,
            "--partition": partition,
            "--on-error": on_error,
            "--max-errors": max_errors,
            "--accept-skips": accept_skips,
            "--skipped": skipped,
            "--recheck": recheck,
            "--repair": repair,
            "--force": force,
            "--dry-run": dry_run,
            "--jobs": jobs,
            "--config": config,
            "--log-file": log_file,
        },
        progress,
    )
    return pack_report(report)


def plan(
    *folders: Path,
    images: Path | Sequence[Path] | None = None,
    labels: Path | Sequence[Path] | None = None,
    image_folders: Path | Sequence[Path] | None = None,
    key_prefix: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    image_suffix: str | None = None,
    label_suffix: str | None = None,
    pair_regex: tuple[str, str] | None = None,
    mask_per_class: str | None = None,
    allow_empty: bool = False,
    fold: FoldChoice | None = None,
    orphans: OrphansChoice | None = None,
    pairs: Path | None = None,
    columns: str | None = None,
    list: Path | None = None,
    root: Path | None = None,
    strip_prefix: str | None = None,
    split: str | None = None,
    split_seed: int | None = None,
    group: str | None = None,
    preset: Path | None = None,
    map: Path | None = None,
    classes: Path | None = None,
    num_classes: int | None = None,
    label_kind: LabelKindChoice | None = None,
    rgb_id: RgbIdChoice | None = None,
    shift_ids: int | None = None,
    threshold: int | None = None,
    ignore: str | Sequence[str] | None = None,
    unknown: str | None = None,
    pad_label: str | None = None,
    size: Size | None = None,
    fit: FitChoice | None = None,
    tile: Size | None = None,
    pad_multiple: int | None = None,
    image_filter: ImageFilterChoice | None = None,
    label_filter: LabelFilterChoice | None = None,
    anchor: AnchorChoice | None = None,
    pad_color: Color | None = None,
    size_mismatch: SizeMismatchChoice | None = None,
    exif: ExifChoice | None = None,
    channels: ChannelsChoice | None = None,
    alpha: str | None = None,
    depth16: Depth16Choice | None = None,
    jpeg_scale: JpegScaleChoice | None = None,
    max_pixels: int | None = None,
    lenient: bool = False,
    label_storage: LabelStorageChoice | None = None,
    image_layout: ImageLayoutChoice | None = None,
    shard_size: int | str | None = None,
    shard_samples: int | None = None,
    shuffle: int | None = None,
    zstd: bool | str | None = None,
    io_threads: int | None = None,
    max_memory: int | str | None = None,
    output: Path | None = None,
    on_error: OnErrorChoice | None = None,
    jobs: int | None = None,
    config: Path | None = None,
    log_file: Path | None = None,
    progress: Listener | bool | None = None,
) -> PlanReport:
    """Writes a plan, from which many machines pack parts (pack --plan).

    folders: data set folder; its layout is detected and printed (VOC, Cityscapes, images and masks,
        …); several become one pack.
    images: folder of images, searched recursively, or a pattern 'DIR/{key}/*.jpg'; repeatable.
    labels: folder of label files, paired with images by relative path without extension, or a
        pattern 'DIR/{key}_*.png'; repeatable.
    image_folders: folder with one folder per class, whose name is the class; repeatable.
    key_prefix: prepend PREFIX/ to the keys of a folder; one per --images or --image-folders, in
        order.
    exclude: leave out files and folders below the input folders: a name such as '*_preview.png', or
        a path such as 'train/figures'; repeatable.
    image_suffix: suffix stripped from image stems, such as _leftImg8bit; files without it are
        ignored.
    label_suffix: suffix stripped from label stems, such as _L or _gtFine_labelIds.
    pair_regex: two regular expressions for the paths of images and labels below their folders; the
        captured groups, joined by '/', are the key.
    mask_per_class: one binary mask per class: their path below --labels without extension, such as
        {key}_{class}, {class}/{key} or */{key}_{class}; a pixel may then have several classes.
    allow_empty: accept empty class folders without a warning.
    fold: pair images and labels whose names differ only in case, in the Unicode form of a character
        (NFC, NFD), or in leading zeros of numbers (7, 007); keys keep the spelling of the image.
        One of none, case, unicode, numbers, case,unicode, case,numbers, unicode,numbers,
        case,unicode,numbers. Default: none.
    orphans: images without a label and labels without an image: stop, or leave them out. One of
        error, skip. Default: error.
    pairs: table of samples (CSV, TSV or JSON lines): image, label (a file or a class) and
        optionally split.
    columns: names of columns of --pairs, such as image=photo,class=diagnosis,split=fold; class= in
        place of label= if labels are classes of whole images.
    list: samples to pack, one key or path per line; without --images, one image and one label path
        per line.
    root: folder that paths in --pairs and --list are relative to [default: the folder of that
        file].
    strip_prefix: prefix removed from paths in --pairs and --list, such as /SegNet/.
    split: write several packs below -o: folder (first part of the key), ratio:train=80,val=20,
        hash:train=80,val=20 (samples keep their split when others are added),
        list:train=FILE,val=FILE.
    split_seed: seed of --split ratio. Default: 0.
    group: with --split ratio or hash: samples whose keys have the same match of this regular
        expression stay in one split.
    preset: class table, ignored ids and suffixes of a known data set, such as voc, cityscapes19,
        ade20k150, or of a CSV file; list prints all names.
    map: table old,new that maps ids, colors or class names to a class, or to ignore.
    classes: class table: a CSV name,r,g,b, one name per line, or a pack whose table to share.
    num_classes: number of classes, ids 0 … N-1; without it and without a class table, all labels
        are read to find N.
    label_kind: how label files are read; auto prints its decision and the reason. One of auto,
        color, index, palette-color, binary, rgb-id, instances. Default: auto.
    rgb_id: with rgb-id: the id that a color encodes, r (CARLA, SYNTHIA), r+256g+65536b (COCO
        panoptic) or r/10*256+g (ADE20K full). One of r, r+256g+65536b, r/10*256+g.
    shift_ids: added to every id, such as -1 if ids count from 1; ids that fall below 0 are ignored.
    threshold: with binary: pixels with a luma of N or more are foreground; in 16-bit gray, pixels
        with a stored value of N or more, and N is required unless all are 0 or 65535. Default: 128.
    ignore: id, class name or color to exclude from training; repeatable [default: 255 in 8-bit,
        65535 in 16-bit ids, unless a class has that id].
    unknown: colors or ids without a class: error, ignore, nearest[:D] (the class of the nearest
        color, at most D away), or the class they become. Default: error.
    pad_label: label of padded pixels: ignore or a class. Default: ignore.
    size: width and height of every record, such as 512x512 (512 alone: both). Without it, images
        keep their size.
    fit: stretch: scale both sides; crop-or-pad: no scaling; contain: fit inside and pad; cover:
        fill and crop; long-side, short-side: scale that side, then crop or pad; none: keep the
        size. One of stretch, crop-or-pad, contain, cover, long-side, short-side, none. Default:
        stretch.
    tile: cut the fitted image into records of one size, such as 512x512+128.
    pad_multiple: with --fit none: pad records to multiples of N.
    image_filter: auto: area if both sides shrink, otherwise linear; the last three are antialiased
        and equal Pillow 13's; with -pillow12.1 they equal those of Pillow 12.1 and older. One of
        auto, linear, area, nearest, triangle, cubic, lanczos, triangle-pillow12.1, cubic-
        pillow12.1, lanczos-pillow12.1. Default: auto.
    label_filter: nearest neighbor: centered and exact, as OpenCV, or as Pillow. One of nearest,
        nearest-cv, nearest-pil. Default: nearest.
    anchor: where cropping and padding leave the image. One of center, top-left. Default: center.
    pad_color: color of padding. Default: 0,0,0.
    size_mismatch: image and label differ in size: refuse; resample the label to the image first;
        resample each to the record; crop both to the smaller width and height. One of error,
        resize-label, each-to-target, crop-min. Default: error.
    exif: EXIF orientation; auto: apply it unless the label was drawn on the stored pixels. One of
        auto, apply, ignore. Default: auto.
    channels: channels of the packed image. One of rgb, gray. Default: rgb.
    alpha: transparency of images: drop it, or blend with a color. Default: drop.
    depth16: 16-bit images: keep the upper 8 bits, or rescale. One of shift, scale. Default: shift.
    jpeg_scale: JPEGs that shrink much: auto decodes them at 1/2, 1/4 or 1/8 of their size before an
        antialiased filter; off decodes all pixels. One of auto, off. Default: auto.
    max_pixels: refuse larger images. Default: 268435456.
    lenient: accept JPEGs with stray bytes between segments or odd scan parameters if all their rows
        can be decoded.
    label_storage: one-hot with one bit per class, one-hot bytes, or class ids. One of bits,
        one_hot, index. Default: bits.
    image_layout: order of the image's axes. One of hwc, chw. Default: hwc.
    shard_size: maximum bytes of records per shard, such as 64MiB or 1GB. Default: 256MiB.
    shard_samples: maximum samples per shard, instead of a size.
    shuffle: write records in a random order drawn from SEED; reading in file order is then random.
    zstd: compress each record: smaller, but no longer readable in place [default: both fields,
        level 1].
    io_threads: most threads that wait for files while folders are listed and headers are read; more
        help on network file systems, and local disks use fewer. Default: 64.
    max_memory: about the most memory for images that are decoded at once, such as 4GiB; large
        images are decoded fewer at once [default: half of the memory that the cgroup's limit or the
        machine leaves, at least 256MiB].
    output: file for the plan; new, or a plan.
    on_error: files with unusable headers: stop, or plan them nevertheless, for `pack --on-error
        skip`. One of fail, skip. Default: fail.
    jobs: threads; more need more memory [default: one per processor that the process may use].
    config: read options from FILE: lines `name = value`, with option names without dashes; the
        command line takes precedence.
    log_file: append every message with its time to FILE.
    """
    report = run(
        "plan",
        [*folders],
        {
            "--images": _each(images),
            "--labels": _each(labels),
            "--image-folders": _each(image_folders),
            "--key-prefix": _each(key_prefix),
            "--exclude": _each(exclude),
            "--image-suffix": image_suffix,
            "--label-suffix": label_suffix,
            "--pair-regex": pair_regex,
            "--mask-per-class": mask_per_class,
            "--allow-empty": allow_empty,
            "--fold": fold,
            "--orphans": orphans,
            "--pairs": pairs,
            "--columns": columns,
            "--list": list,
            "--root": root,
            "--strip-prefix": strip_prefix,
            "--split": split,
            "--split-seed": split_seed,
            "--group": group,
            "--preset": preset,
            "--map": map,
            "--classes": classes,
            "--num-classes": num_classes,
            "--label-kind": label_kind,
            "--rgb-id": rgb_id,
            "--shift-ids": shift_ids,
            "--threshold": threshold,
            "--ignore": _each(ignore),
            "--unknown": unknown,
            "--pad-label": pad_label,
            "--size": _joined("size", size, "x", "(width, height)"),
            "--fit": fit,
            "--tile": _joined("tile", tile, "x", "(width, height)"),
            "--pad-multiple": pad_multiple,
            "--image-filter": image_filter,
            "--label-filter": label_filter,
            "--anchor": anchor,
            "--pad-color": _joined("pad_color", pad_color, ",", "(red, green, blue)"),
            "--size-mismatch": size_mismatch,
            "--exif": exif,
            "--channels": channels,
            "--alpha": alpha,
            "--depth16": depth16,
            "--jpeg-scale": jpeg_scale,
            "--max-pixels": max_pixels,
            "--lenient": lenient,
            "--label-storage": label_storage,
            "--image-layout": image_layout,
            "--shard-size": shard_size,
            "--shard-samples": shard_samples,
            "--shuffle": shuffle,
            "--zstd": zstd,
            "--io-threads": io_threads,
            "--max-memory": max_memory,
            "--output": output,
            "--on-error": on_error,
            "--jobs": jobs,
            "--config": config,
            "--log-file": log_file,
        },
        progress,
    )
    return plan_report(report)


def check(
    *folders: Path,
    images: Path | Sequence[Path] | None = None,
    labels: Path | Sequence[Path] | None = None,
    image_folders: Path | Sequence[Path] | None = None,
    key_prefix: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    image_suffix: str | None = None,
    label_suffix: str | None = None,
    pair_regex: tuple[str, str] | None = None,
    mask_per_class: str | None = None,
    allow_empty: bool = False,
    fold: FoldChoice | None = None,
    orphans: OrphansChoice | None = None,
    pairs: Path | None = None,
    columns: str | None = None,
    list: Path | None = None,
    root: Path | None = None,
    strip_prefix: str | None = None,
    split: str | None = None,
    split_seed: int | None = None,
    group: str | None = None,
    preset: Path | None = None,
    map: Path | None = None,
    classes: Path | None = None,
    num_classes: int | None = None,
    label_kind: LabelKindChoice | None = None,
    rgb_id: RgbIdChoice | None = None,
    shift_ids: int | None = None,
    threshold: int | None = None,
    ignore: str | Sequence[str] | None = None,
    unknown: str | None = None,
    pad_label: str | None = None,
    size: Size | None = None,
    fit: FitChoice | None = None,
    tile: Size | None = None,
    pad_multiple: int | None = None,
    image_filter: ImageFilterChoice | None = None,
    label_filter: LabelFilterChoice | None = None,
    anchor: AnchorChoice | None = None,
    pad_color: Color | None = None,
    size_mismatch: SizeMismatchChoice | None = None,
    exif: ExifChoice | None = None,
    channels: ChannelsChoice | None = None,
    alpha: str | None = None,
    depth16: Depth16Choice | None = None,
    jpeg_scale: JpegScaleChoice | None = None,
    max_pixels: int | None = None,
    lenient: bool = False,
    label_storage: LabelStorageChoice | None = None,
    image_layout: ImageLayoutChoice | None = None,
    shard_size: int | str | None = None,
    shard_samples: int | None = None,
    shuffle: int | None = None,
    zstd: bool | str | None = None,
    io_threads: int | None = None,
    max_memory: int | str | None = None,
    plan: Path | None = None,
    output: Path | None = None,
    receipt: Path | None = None,
    scratch: Path | None = None,
    on_shard: str | None = None,
    partition: str | None = None,
    on_error: OnErrorChoice | None = None,
    max_errors: int | None = None,
    accept_skips: int | str | None = None,
    skipped: Path | None = None,
    recheck: bool = False,
    repair: bool = False,
    force: bool = False,
    fast: bool = False,
    write_classes: Path | None = None,
    jobs: int | None = None,
    config: Path | None = None,
    log_file: Path | None = None,
    progress: Listener | bool | None = None,
) -> CheckReport:
    """Reports errors and likely mistakes in a data set; packs nothing.

    folders: data set folder; its layout is detected and printed (VOC, Cityscapes, images and masks,
        …); several become one pack.
    images: folder of images, searched recursively, or a pattern 'DIR/{key}/*.jpg'; repeatable.
    labels: folder of label files, paired with images by relative path without extension, or a
        pattern 'DIR/{key}_*.png'; repeatable.
    image_folders: folder with one folder per class, whose name is the class; repeatable.
    key_prefix: prepend PREFIX/ to the keys of a folder; one per --images or --image-folders, in
        order.
    exclude: leave out files and folders below the input folders: a name such as '*_preview.png', or
        a path such as 'train/figures'; repeatable.
    image_suffix: suffix stripped from image stems, such as _leftImg8bit; files without it are
        ignored.
    label_suffix: suffix stripped from label stems, such as _L or _gtFine_labelIds.
    pair_regex: two regular expressions for the paths of images and labels below their folders; the
        captured groups, joined by '/', are the key.
    mask_per_class: one binary mask per class: their path below --labels without extension, such as
        {key}_{class}, {class}/{key} or */{key}_{class}; a pixel may then have several classes.
    allow_empty: accept empty class folders without a warning.
    fold: pair images and labels whose names differ only in case, in the Unicode form of a character
        (NFC, NFD), or in leading zeros of numbers (7, 007); keys keep the spelling of the image.
        One of none, case, unicode, numbers, case,unicode, case,numbers, unicode,numbers,
        case,unicode,numbers. Default: none.
    orphans: images without a label and labels without an image: stop, or leave them out. One of
        error, skip. Default: error.
    pairs: table of samples (CSV, TSV or JSON lines): image, label (a file or a class) and
        optionally split.
    columns: names of columns of --pairs, such as image=photo,class=diagnosis,split=fold; class= in
        place of label= if labels are classes of whole images.
    list: samples to pack, one key or path per line; without --images, one image and one label path
        per line.
    root: folder that paths in --pairs and --list are relative to [default: the folder of that
        file].
    strip_prefix: prefix removed from paths in --pairs and --list, such as /SegNet/.
    split: write several packs below -o: folder (first part of the key), ratio:train=80,val=20,
        hash:train=80,val=20 (samples keep their split when others are added),
        list:train=FILE,val=FILE.
    split_seed: seed of --split ratio. Default: 0.
    group: with --split ratio or hash: samples whose keys have the same match of this regular
        expression stay in one split.
    preset: class table, ignored ids and suffixes of a known data set, such as voc, cityscapes19,
        ade20k150, or of a CSV file; list prints all names.
    map: table old,new that maps ids, colors or class names to a class, or to ignore.
    classes: class table: a CSV name,r,g,b, one name per line, or a pack whose table to share.
    num_classes: number of classes, ids 0 … N-1; without it and without a class table, all labels
        are read to find N.
    label_kind: how label files are read; auto prints its decision and the reason. One of auto,
        color, index, palette-color, binary, rgb-id, instances. Default: auto.
    rgb_id: with rgb-id: the id that a color encodes, r (CARLA, SYNTHIA), r+256g+65536b (COCO
        panoptic) or r/10*256+g (ADE20K full). One of r, r+256g+65536b, r/10*256+g.
    shift_ids: added to every id, such as -1 if ids count from 1; ids that fall below 0 are ignored.
    threshold: with binary: pixels with a luma of N or more are foreground; in 16-bit gray, pixels
        with a stored value of N or more, and N is required unless all are 0 or 65535. Default: 128.
    ignore: id, class name or color to exclude from training; repeatable [default: 255 in 8-bit,
        65535 in 16-bit ids, unless a class has that id].
    unknown: colors or ids without a class: error, ignore, nearest[:D] (the class of the nearest
        color, at most D away), or the class they become. Default: error.
    pad_label: label of padded pixels: ignore or a class. Default: ignore.
    size: width and height of every record, such as 512x512 (512 alone: both). Without it, images
        keep their size.
    fit: stretch: scale both sides; crop-or-pad: no scaling; contain: fit inside and pad; cover:
        fill and crop; long-side, short-side: scale that side, then crop or pad; none: keep the
        size. One of stretch, crop-or-pad, contain, cover, long-side, short-side, none. Default:
        stretch.
    tile: cut the fitted image into records of one size, such as 512x512+128.
    pad_multiple: with --fit none: pad records to multiples of N.
    image_filter: auto: area if both sides shrink, otherwise linear; the last three are antialiased
        and equal Pillow 13's; with -pillow12.1 they equal those of Pillow 12.1 and older. One of
        auto, linear, area, nearest, triangle, cubic, lanczos, triangle-pillow12.1, cubic-
        pillow12.1, lanczos-pillow12.1. Default: auto.
    label_filter: nearest neighbor: centered and exact, as OpenCV, or as Pillow. One of nearest,
        nearest-cv, nearest-pil. Default: nearest.
    anchor: where cropping and padding leave the image. One of center, top-left. Default: center.
    pad_color: color of padding. Default: 0,0,0.
    size_mismatch: image and label differ in size: refuse; resample the label to the image first;
        resample each to the record; crop both to the smaller width and height. One of error,
        resize-label, each-to-target, crop-min. Default: error.
    exif: EXIF orientation; auto: apply it unless the label was drawn on the stored pixels. One of
        auto, apply, ignore. Default: auto.
    channels: channels of the packed image. One of rgb, gray. Default: rgb.
    alpha: transparency of images: drop it, or blend with a color. Default: drop.
    depth16: 16-bit images: keep the upper 8 bits, or rescale. One of shift, scale. Default: shift.
    jpeg_scale: JPEGs that shrink much: auto decodes them at 1/2, 1/4 or 1/8 of their size before an
        antialiased filter; off decodes all pixels. One of auto, off. Default: auto.
    max_pixels: refuse larger images. Default: 268435456.
    lenient: accept JPEGs with stray bytes between segments or odd scan parameters if all their rows
        can be decoded.
    label_storage: one-hot with one bit per class, one-hot bytes, or class ids. One of bits,
        one_hot, index. Default: bits.
    image_layout: order of the image's axes. One of hwc, chw. Default: hwc.
    shard_size: maximum bytes of records per shard, such as 64MiB or 1GB. Default: 256MiB.
    shard_samples: maximum samples per shard, instead of a size.
    shuffle: write records in a random order drawn from SEED; reading in file order is then random.
    zstd: compress each record: smaller, but no longer readable in place [default: both fields,
        level 1].
    io_threads: most threads that wait for files while folders are listed and headers are read; more
        help on network file systems, and local disks use fewer. Default: 64.
    max_memory: about the most memory for images that are decoded at once, such as 4GiB; large
        images are decoded fewer at once [default: half of the memory that the cgroup's limit or the
        machine leaves, at least 256MiB].
    plan: pack what this plan of `hotpack plan` says, in place of inputs and their options.
    output: folder of the pack; new, or made by hotpack.
    receipt: write a receipt of the finished shards to DIR, for `hotpack merge --receipts`.
    scratch: write each shard here first, on a disk of this machine; then it goes to -o in order of
        its bytes, or to --on-shard.
    on_shard: run this command of the shell for each finished shard, with its path in place of {}
        and its split in place of {split}; needs --receipt.
    partition: write only part I (from 0) of N, for `hotpack merge` to join; auto: the part that the
        scheduler assigned: Slurm, Kubernetes, MPI and others (HOTPACK_PARTITIONS=N: the number of
        all parts).
    on_error: samples that cannot be packed: stop, or leave them out. One of fail, skip. Default:
        fail.
    max_errors: with skip: stop after more than N skipped samples (with --partition: of the part).
    accept_skips: with skip: exit status 0 if at most N samples were skipped, or at most P% of all
        samples (with --partition: of the part).
    skipped: with skip: write key, file and reason of each skipped sample to FILE.
    recheck: hash all inputs again, and pack the shards whose inputs changed.
    repair: verify every byte of the pack, and pack damaged or missing shards again; the others
        stay.
    force: pack everything again, replacing the pack in -o.
    fast: read headers only: pairs, formats, sizes and orientations, no pixels.
    write_classes: write a class table to fill in, with the colors or ids of the labels, if nothing
        says what they mean; never replaces a file.
    jobs: threads; more need more memory [default: one per processor that the process may use].
    config: read options from FILE: lines `name = value`, with option names without dashes; the
        command line takes precedence.
    log_file: append every message with its time to FILE.
    """
    report = run(
        "check",
        [*folders],
        {
            "--images": _each(images),
            "--labels": _each(labels),
            "--image-folders": _each(image_folders),
            "--key-prefix": _each(key_prefix),
            "--exclude": _each(exclude),
            "--image-suffix": image_suffix,
            "--label-suffix": label_suffix,
            "--pair-regex": pair_regex,
            "--mask-per-class": mask_per_class,
            "--allow-empty": allow_empty,
            "--fold": fold,
            "--orphans": orphans,
            "--pairs": pairs,
            "--columns": columns,
            "--list": list,
            "--root": root,
            "--strip-prefix": strip_prefix,
            "--split": split,
            "--split-seed": split_seed,
            "--group": group,
            "--preset": preset,
            "--map": map,
            "--classes": classes,
            "--num-classes": num_classes,
            "--label-kind": label_kind,
            "--rgb-id": rgb_id,
            "--shift-ids": shift_ids,
            "--threshold": threshold,
            "--ignore": _each(ignore),
            "--unknown": unknown,
            "--pad-label": pad_label,
            "--size": _joined("size", size, "x", "(width, height)"),
            "--fit": fit,
            "--tile": _joined("tile", tile, "x", "(width, height)"),
            "--pad-multiple": pad_multiple,
            "--image-filter": image_filter,
            "--label-filter": label_filter,
            "--anchor": anchor,
            "--pad-color": _joined("pad_color", pad_color, ",", "(red, green, blue)"),
            "--size-mismatch": size_mismatch,
            "--exif": exif,
            "--channels": channels,
            "--alpha": alpha,
            "--depth16": depth16,
            "--jpeg-scale": jpeg_scale,
            "--max-pixels": max_pixels,
            "--lenient": lenient,
            "--label-storage": label_storage,
            "--image-layout": image_layout,
            "--shard-size": shard_size,
            "--shard-samples": shard_samples,
            "--shuffle": shuffle,
            "--zstd": zstd,
            "--io-threads": io_threads,
            "--max-memory": max_memory,
            "--plan": plan,
            "--output": output,
            "--receipt": receipt,
            "--scratch": scratch,
            "--on-shard": on_shard,
            "--partition": partition,
            "--on-error": on_error,
            "--max-errors": max_errors,
            "--accept-skips": accept_skips,
            "--skipped": skipped,
            "--recheck": recheck,
            "--repair": repair,
            "--force": force,
            "--fast": fast,
            "--write-classes": write_classes,
            "--jobs": jobs,
            "--config": config,
            "--log-file": log_file,
        },
        progress,
    )
    return check_report(report)


def info(
    *packs: Path,
    partitions: int | None = None,
    log_file: Path | None = None,
    progress: Listener | bool | None = None,
) -> tuple[InfoReport, ...]:
    """Shows samples, classes and their shares, shapes, mean, std and options of a pack or plan.

    packs: packs, or the parent folder of splits, or plans (hotpack plan).
    partitions: number of all partitions of an unfinished pack: lists those to run again, as --array
        of schedulers takes them; of a plan: shows their sizes [default: HOTPACK_PARTITIONS].
    log_file: append every message with its time to FILE.
    """
    report = run(
        "info",
        [*packs],
        {
            "--partitions": partitions,
            "--log-file": log_file,
        },
        progress,
    )
    return tuple(info_report(one) for one in report.get("packs", [report]))


def verify(
    *packs: Path,
    max_findings: int | None = None,
    jobs: int | None = None,
    log_file: Path | None = None,
    progress: Listener | bool | None = None,
) -> tuple[VerifyReport, ...]:
    """Checks every rule and every checksum of a pack; names file, record and byte of any damage.

    packs: packs, parent folders of splits, or single shards.
    max_findings: maximum number of findings to print; all are counted. Default: 1000.
    jobs: threads; more need more memory [default: one per processor that the process may use].
    log_file: append every message with its time to FILE.
    """
    report = run(
        "verify",
        [*packs],
        {
            "--max-findings": max_findings,
            "--jobs": jobs,
            "--log-file": log_file,
        },
        progress,
    )
    return tuple(verify_report(one) for one in report.get("packs", [report]))


def preview(
    *packs: Path,
    output: Path | None = None,
    html: Path | None = None,
    keys: Texts | None = None,
    class_: str | None = None,
    grid: Size | None = None,
    width: int | None = None,
    force: bool = False,
    images: Path | Sequence[Path] | None = None,
    labels: Path | Sequence[Path] | None = None,
    image_folders: Path | Sequence[Path] | None = None,
    key_prefix: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    image_suffix: str | None = None,
    label_suffix: str | None = None,
    pair_regex: tuple[str, str] | None = None,
    mask_per_class: str | None = None,
    allow_empty: bool = False,
    fold: FoldChoice | None = None,
    orphans: OrphansChoice | None = None,
    pairs: Path | None = None,
    columns: str | None = None,
    list: Path | None = None,
    root: Path | None = None,
    strip_prefix: str | None = None,
    split: str | None = None,
    split_seed: int | None = None,
    group: str | None = None,
    preset: Path | None = None,
    map: Path | None = None,
    classes: Path | None = None,
    num_classes: int | None = None,
    label_kind: LabelKindChoice | None = None,
    rgb_id: RgbIdChoice | None = None,
    shift_ids: int | None = None,
    threshold: int | None = None,
    ignore: str | Sequence[str] | None = None,
    unknown: str | None = None,
    pad_label: str | None = None,
    size: Size | None = None,
    fit: FitChoice | None = None,
    tile: Size | None = None,
    pad_multiple: int | None = None,
    image_filter: ImageFilterChoice | None = None,
    label_filter: LabelFilterChoice | None = None,
    anchor: AnchorChoice | None = None,
    pad_color: Color | None = None,
    size_mismatch: SizeMismatchChoice | None = None,
    exif: ExifChoice | None = None,
    channels: ChannelsChoice | None = None,
    alpha: str | None = None,
    depth16: Depth16Choice | None = None,
    jpeg_scale: JpegScaleChoice | None = None,
    max_pixels: int | None = None,
    lenient: bool = False,
    label_storage: LabelStorageChoice | None = None,
    image_layout: ImageLayoutChoice | None = None,
    shard_size: int | str | None = None,
    shard_samples: int | None = None,
    shuffle: int | None = None,
    zstd: bool | str | None = None,
    io_threads: int | None = None,
    max_memory: int | str | None = None,
    jobs: int | None = None,
    config: Path | None = None,
    log_file: Path | None = None,
    progress: Listener | bool | None = None,
) -> PreviewReport:
    """Draws a contact sheet of samples and their labels, before or after packing.

    packs: packs; or the folder of a data set that is not packed yet; or none, with the input
        options of pack.
    output: the sheet, a PNG file; replaces an existing sheet.
    html: the samples as one HTML page with larger views, a filter by class and key, and a histogram
        of the classes.
    keys: the samples with these keys; repeatable.
    class_: the samples with the most pixels of this class; reads all labels.
    grid: columns and rows (default: 12 samples, or as many as --keys names).
    width: width of a sample with its label (default: for a sheet of 1600 pixels).
    force: replace files that `hotpack preview` did not write.
    images: folder of images, searched recursively, or a pattern 'DIR/{key}/*.jpg'; repeatable.
    labels: folder of label files, paired with images by relative path without extension, or a
        pattern 'DIR/{key}_*.png'; repeatable.
    image_folders: folder with one folder per class, whose name is the class; repeatable.
    key_prefix: prepend PREFIX/ to the keys of a folder; one per --images or --image-folders, in
        order.
    exclude: leave out files and folders below the input folders: a name such as '*_preview.png', or
        a path such as 'train/figures'; repeatable.
    image_suffix: suffix stripped from image stems, such as _leftImg8bit; files without it are
        ignored.
    label_suffix: suffix stripped from label stems, such as _L or _gtFine_labelIds.
    pair_regex: two regular expressions for the paths of images and labels below their folders; the
        captured groups, joined by '/', are the key.
    mask_per_class: one binary mask per class: their path below --labels without extension, such as
        {key}_{class}, {class}/{key} or */{key}_{class}; a pixel may then have several classes.
    allow_empty: accept empty class folders without a warning.
    fold: pair images and labels whose names differ only in case, in the Unicode form of a character
        (NFC, NFD), or in leading zeros of numbers (7, 007); keys keep the spelling of the image.
        One of none, case, unicode, numbers, case,unicode, case,numbers, unicode,numbers,
        case,unicode,numbers. Default: none.
    orphans: images without a label and labels without an image: stop, or leave them out. One of
        error, skip. Default: error.
    pairs: table of samples (CSV, TSV or JSON lines): image, label (a file or a class) and
        optionally split.
    columns: names of columns of --pairs, such as image=photo,class=diagnosis,split=fold; class= in
        place of label= if labels are classes of whole images.
    list: samples to pack, one key or path per line; without --images, one image and one label path
        per line.
    root: folder that paths in --pairs and --list are relative to [default: the folder of that
        file].
    strip_prefix: prefix removed from paths in --pairs and --list, such as /SegNet/.
    split: write several packs below -o: folder (first part of the key), ratio:train=80,val=20,
        hash:train=80,val=20 (samples keep their split when others are added),
        list:train=FILE,val=FILE.
    split_seed: seed of --split ratio. Default: 0.
    group: with --split ratio or hash: samples whose keys have the same match of this regular
        expression stay in one split.
    preset: class table, ignored ids and suffixes of a known data set, such as voc, cityscapes19,
        ade20k150, or of a CSV file; list prints all names.
    map: table old,new that maps ids, colors or class names to a class, or to ignore.
    classes: class table: a CSV name,r,g,b, one name per line, or a pack whose table to share.
    num_classes: number of classes, ids 0 … N-1; without it and without a class table, all labels
        are read to find N.
    label_kind: how label files are read; auto prints its decision and the reason. One of auto,
        color, index, palette-color, binary, rgb-id, instances. Default: auto.
    rgb_id: with rgb-id: the id that a color encodes, r (CARLA, SYNTHIA), r+256g+65536b (COCO
        panoptic) or r/10*256+g (ADE20K full). One of r, r+256g+65536b, r/10*256+g.
    shift_ids: added to every id, such as -1 if ids count from 1; ids that fall below 0 are ignored.
    threshold: with binary: pixels with a luma of N or more are foreground; in 16-bit gray, pixels
        with a stored value of N or more, and N is required unless all are 0 or 65535. Default: 128.
    ignore: id, class name or color to exclude from training; repeatable [default: 255 in 8-bit,
        65535 in 16-bit ids, unless a class has that id].
    unknown: colors or ids without a class: error, ignore, nearest[:D] (the class of the nearest
        color, at most D away), or the class they become. Default: error.
    pad_label: label of padded pixels: ignore or a class. Default: ignore.
    size: width and height of every record, such as 512x512 (512 alone: both). Without it, images
        keep their size.
    fit: stretch: scale both sides; crop-or-pad: no scaling; contain: fit inside and pad; cover:
        fill and crop; long-side, short-side: scale that side, then crop or pad; none: keep the
        size. One of stretch, crop-or-pad, contain, cover, long-side, short-side, none. Default:
        stretch.
    tile: cut the fitted image into records of one size, such as 512x512+128.
    pad_multiple: with --fit none: pad records to multiples of N.
    image_filter: auto: area if both sides shrink, otherwise linear; the last three are antialiased
        and equal Pillow 13's; with -pillow12.1 they equal those of Pillow 12.1 and older. One of
        auto, linear, area, nearest, triangle, cubic, lanczos, triangle-pillow12.1, cubic-
        pillow12.1, lanczos-pillow12.1. Default: auto.
    label_filter: nearest neighbor: centered and exact, as OpenCV, or as Pillow. One of nearest,
        nearest-cv, nearest-pil. Default: nearest.
    anchor: where cropping and padding leave the image. One of center, top-left. Default: center.
    pad_color: color of padding. Default: 0,0,0.
    size_mismatch: image and label differ in size: refuse; resample the label to the image first;
        resample each to the record; crop both to the smaller width and height. One of error,
        resize-label, each-to-target, crop-min. Default: error.
    exif: EXIF orientation; auto: apply it unless the label was drawn on the stored pixels. One of
        auto, apply, ignore. Default: auto.
    channels: channels of the packed image. One of rgb, gray. Default: rgb.
    alpha: transparency of images: drop it, or blend with a color. Default: drop.
    depth16: 16-bit images: keep the upper 8 bits, or rescale. One of shift, scale. Default: shift.
    jpeg_scale: JPEGs that shrink much: auto decodes them at 1/2, 1/4 or 1/8 of their size before an
        antialiased filter; off decodes all pixels. One of auto, off. Default: auto.
    max_pixels: refuse larger images. Default: 268435456.
    lenient: accept JPEGs with stray bytes between segments or odd scan parameters if all their rows
        can be decoded.
    label_storage: one-hot with one bit per class, one-hot bytes, or class ids. One of bits,
        one_hot, index. Default: bits.
    image_layout: order of the image's axes. One of hwc, chw. Default: hwc.
    shard_size: maximum bytes of records per shard, such as 64MiB or 1GB. Default: 256MiB.
    shard_samples: maximum samples per shard, instead of a size.
    shuffle: write records in a random order drawn from SEED; reading in file order is then random.
    zstd: compress each record: smaller, but no longer readable in place [default: both fields,
        level 1].
    io_threads: most threads that wait for files while folders are listed and headers are read; more
        help on network file systems, and local disks use fewer. Default: 64.
    max_memory: about the most memory for images that are decoded at once, such as 4GiB; large
        images are decoded fewer at once [default: half of the memory that the cgroup's limit or the
        machine leaves, at least 256MiB].
    jobs: threads; more need more memory [default: one per processor that the process may use].
    config: read options from FILE: lines `name = value`, with option names without dashes; the
        command line takes precedence.
    log_file: append every message with its time to FILE.
    """
    report = run(
        "preview",
        [*packs],
        {
            "--output": output,
            "--html": html,
            "--keys": _joined("keys", keys, ","),
            "--class": class_,
            "--grid": _joined("grid", grid, "x", "(columns, rows)"),
            "--width": width,
            "--force": force,
            "--images": _each(images),
            "--labels": _each(labels),
            "--image-folders": _each(image_folders),
            "--key-prefix": _each(key_prefix),
            "--exclude": _each(exclude),
            "--image-suffix": image_suffix,
            "--label-suffix": label_suffix,
            "--pair-regex": pair_regex,
            "--mask-per-class": mask_per_class,
            "--allow-empty": allow_empty,
            "--fold": fold,
            "--orphans": orphans,
            "--pairs": pairs,
            "--columns": columns,
            "--list": list,
            "--root": root,
            "--strip-prefix": strip_prefix,
            "--split": split,
            "--split-seed": split_seed,
            "--group": group,
            "--preset": preset,
            "--map": map,
            "--classes": classes,
            "--num-classes": num_classes,
            "--label-kind": label_kind,
            "--rgb-id": rgb_id,
            "--shift-ids": shift_ids,
            "--threshold": threshold,
            "--ignore": _each(ignore),
            "--unknown": unknown,
            "--pad-label": pad_label,
            "--size": _joined("size", size, "x", "(width, height)"),
            "--fit": fit,
            "--tile": _joined("tile", tile, "x", "(width, height)"),
            "--pad-multiple": pad_multiple,
            "--image-filter": image_filter,
            "--label-filter": label_filter,
            "--anchor": anchor,
            "--pad-color": _joined("pad_color", pad_color, ",", "(red, green, blue)"),
            "--size-mismatch": size_mismatch,
            "--exif": exif,
            "--channels": channels,
            "--alpha": alpha,
            "--depth16": depth16,
            "--jpeg-scale": jpeg_scale,
            "--max-pixels": max_pixels,
            "--lenient": lenient,
            "--label-storage": label_storage,
            "--image-layout": image_layout,
            "--shard-size": shard_size,
            "--shard-samples": shard_samples,
            "--shuffle": shuffle,
            "--zstd": zstd,
            "--io-threads": io_threads,
            "--max-memory": max_memory,
            "--jobs": jobs,
            "--config": config,
            "--log-file": log_file,
        },
        progress,
    )
    return preview_report(report)


def extract(
    pack: Path,
    *,
    output: Path,
    key: str | Sequence[str] | None = None,
    ids: bool = False,
    npy: bool = False,
    force: bool = False,
    jobs: int | None = None,
    log_file: Path | None = None,
    progress: Listener | bool | None = None,
) -> ExtractReport:
    """Writes samples of a pack as PNG files: images/KEY.png and labels/KEY.png, or labels.csv.

    pack: a pack, or the parent folder of splits, each of which gets its own folder.
    output: folder to write to; created if missing.
    key: only the sample with this key; repeatable [default: all].
    ids: write labels as gray class ids even if classes have colors; --label-kind index reads both.
    npy: also write .npy files: the image as HWC bytes, the label as stored.
    force: replace existing files.
    jobs: threads; more need more memory [default: one per processor that the process may use].
    log_file: append every message with its time to FILE.
    """
    report = run(
        "extract",
        [pack],
        {
            "--output": output,
            "--key": _each(key),
            "--ids": ids,
            "--npy": npy,
            "--force": force,
            "--jobs": jobs,
            "--log-file": log_file,
        },
        progress,
    )
    return extract_report(report)


def merge(
    *folders: Path,
    receipts: Receipts | None = None,
    output: Path | None = None,
    accept_skips: int | str | None = None,
    wait: float | None = None,
    partitions: int | None = None,
    jobs: int | None = None,
    log_file: Path | None = None,
    progress: Listener | bool | None = None,
) -> MergeReport:
    """Joins the partitions of a pack (pack --partition); the result has the bytes of a single run.

    folders: folders of partitions, or of their splits; they stay unchanged.
    receipts: receipts of `hotpack pack --receipt`, or folders of receipts, in place of DIR: writes
        the manifest alone, and needs no shard; also what `hotpack.pack_part` returns, its
        dictionary, or its bytes.
    output: folder of the merged pack; new, or of an earlier merge. Without it, the single DIR gets
        its manifest.
    accept_skips: exit status 0 if the partitions skipped at most N samples, or at most P% of all
        samples of the pack.
    wait: waits up to so many seconds for shards that are missing; a network file system may show
        new files a minute late.
    partitions: how many partitions the pack has; errors then say which of them to run again
        [default: HOTPACK_PARTITIONS].
    jobs: threads; more need more memory [default: one per processor that the process may use].
    log_file: append every message with its time to FILE.
    """
    report = run(
        "merge",
        [*folders],
        {
            "--receipts": receipt_folders(receipts),
            "--output": output,
            "--accept-skips": accept_skips,
            "--wait": wait,
            "--partitions": partitions,
            "--jobs": jobs,
            "--log-file": log_file,
        },
        progress,
    )
    return merge_report(report)
