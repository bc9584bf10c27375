"""Imitations of known data sets: their folders, names and label encodings with tiny images. Each function returns the expected content of its pack.

The names are the first words of the comments above the lines of docs/datasets.md. An imitation is made in the current folder of the test. What is expected:
{set: {key: classes that must occur, -1 for ignored}}, the set "" where there is one only.
"""

from images import GRAY, PALETTE, RGB, blocks, jpeg, photo, png, put

PLTE = [(0, 0, 0), (128, 0, 0), (0, 128, 0)] + [(i, i, 255 - i) for i in range(3, 256)]


def gray(values, width=24, height=16, depth=8):
    return png(blocks(width, height, values), GRAY, depth)


def palette(values, width=24, height=16):
    return png(blocks(width, height, values), PALETTE, 8, PLTE)


def colors(values, width=24, height=16):
    return png(blocks(width, height, values), RGB)


def jpeg_pair(folder, name, label, make, values, seed=0):
    """A real JPEG and a label of its size."""
    data, width, height = jpeg(seed)
    put(f"{folder}/{name}", data)
    put(label, make(values, width, height))


def voc():
    for i, values in enumerate([[0, 1, 255], [0, 20], [2, 5]]):
        jpeg_pair("VOC2012/JPEGImages", f"2007_{i:06}.jpg", f"VOC2012/SegmentationClass/2007_{i:06}.png", palette, values, i)
    put("VOC2012/JPEGImages/2012_000009.jpg", jpeg(3)[0])  # most photos have no label
    put("VOC2012/SegmentationObject/2007_000000.png", palette([1, 2]))
    put("VOC2012/ImageSets/Segmentation/train.txt", "2007_000000\r\n2007_000001\r\n")
    put("VOC2012/ImageSets/Segmentation/val.txt", "2007_000002\n")
    put("VOC2012/ImageSets/Segmentation/trainval.txt", "2007_000000\n2007_000001\n2007_000002\n")
    return {"train": {"2007_000000": {0, 1, -1}, "2007_000001": {0, 20}}, "val": {"2007_000002": {2, 5}}}


def cityscapes_files():
    for split, city, frame in [("train", "aachen", "aachen_000000_000019"), ("val", "frankfurt", "frankfurt_000000_000294")]:
        put(f"cityscapes/leftImg8bit/{split}/{city}/{frame}_leftImg8bit.png", photo(24, 16))
        stem = f"cityscapes/gtFine/{split}/{city}/{frame}_gtFine_"
        put(stem + "labelIds.png", gray([7, 26, 0]))
        put(stem + "labelTrainIds.png", gray([0, 13, 255]))
        put(stem + "instanceIds.png", gray([7, 26001], depth=16))
        put(stem + "color.png", colors([(128, 64, 128), (0, 0, 142)]))
        put(stem + "polygons.json", "{}")
    values = {0, 13, -1}
    return {"train": {"aachen/aachen_000000_000019": values}, "val": {"frankfurt/frankfurt_000000_000294": values}}


def ade20k():
    for split, name in [("training", "ADE_train_00000001"), ("validation", "ADE_val_00000001")]:
        folder = "ADEChallengeData2016"
        jpeg_pair(f"{folder}/images/{split}", f"{name}.jpg", f"{folder}/annotations/{split}/{name}.png", gray, [0, 1, 150])
    return {"training": {"ADE_train_00000001": {-1, 0, 149}}, "validation": {"ADE_val_00000001": {-1, 0, 149}}}


def coco_stuff():
    for split in ("train2017", "val2017"):
        folder = "coco_stuff164k"
        jpeg_pair(f"{folder}/images/{split}", "000000000009.jpg", f"{folder}/annotations/{split}/000000000009.png", gray, [0, 181, 255])
    return {split: {"000000000009": {0, 170, -1}} for split in ("train2017", "val2017")}


def mapillary():
    jpeg_pair("mapillary/training/images", "__CRy.jpg", "mapillary/training/v1.2/labels/__CRy.png", palette, [0, 64, 65])
    jpeg_pair("mapillary/training/images", "__CRy.jpg", "mapillary/training/v2.0/labels/__CRy.png", palette, [0, 123])
    return {"": {"__CRy": {0, 64, -1}}}


def bdd100k():
    for split in ("train", "val"):
        labels = "bdd100k/labels/sem_seg"
        jpeg_pair(f"bdd100k/images/10k/{split}", "00054602-3bf57337.jpg", f"{labels}/masks/{split}/00054602-3bf57337.png", gray, [0, 18, 255])
        put(f"{labels}/colormaps/{split}/00054602-3bf57337.png", colors([(128, 64, 128)]))
    put("bdd100k/images/10k/train/.DS_Store", "x")
    return {split: {"00054602-3bf57337": {0, 18, -1}} for split in ("train", "val")}


def camvid_segnet():
    for split in ("train", "val", "test"):
        put(f"CamVid/{split}/0001TP_006690.png", photo(24, 16))
        put(f"CamVid/{split}annot/0001TP_006690.png", gray([0, 10, 11]))
        put(f"CamVid/{split}.txt", f"/SegNet/CamVid/{split}/0001TP_006690.png /SegNet/CamVid/{split}annot/0001TP_006690.png\n")


def camvid11():
    camvid_segnet()
    return {split: {"0001TP_006690": {0, 10, -1}} for split in ("train", "val", "test")}


def camvid_list():
    camvid_segnet()
    return {"": {"train/0001TP_006690": {0, 10, -1}}}


def camvid32():
    put("camvid32/images/0001TP_006690.png", photo(24, 16))
    put("camvid32/labels/0001TP_006690_L.png", colors([(64, 128, 64), (0, 0, 0), (64, 192, 0)]))
    put("camvid32_to_12.csv", "name, r, g, b, to3\nAnimal,64,128,64,2\nVoid,0,0,0,1\nWall,64,192,0,0\n")
    return {"": {"0001TP_006690": {0, 30, 31}}}


def camvid12():
    camvid32()
    return {"": {"0001TP_006690": {0, 1, 2}}}


def suite():
    put("suite/class_dict.csv", "name,r,g,b\nSky, 128, 128, 128\nRoad,128, 64,128\nVoid,0,0,0")
    for split in ("train", "val", "test"):
        put(f"suite/{split}/a.png", photo(24, 16))
        put(f"suite/{split}_labels/a.png", colors([(128, 128, 128), (0, 0, 0)]))
    return {split: {"a": {0, 2}} for split in ("train", "val", "test")}


def loveda():
    for split in ("train", "val"):
        put(f"loveDA/img_dir/{split}/0.png", photo(16, 16))
        put(f"loveDA/ann_dir/{split}/0.png", gray([0, 1, 7], 16))
    return {split: {"0": {-1, 0, 6}} for split in ("train", "val")}


def isaid():
    for split in ("train", "val"):
        put(f"iSAID/img_dir/{split}/P0000.png", photo(1000, 20))
        put(f"iSAID/ann_dir/{split}/P0000_instance_color_RGB.png", png(blocks(1000, 20, [(0, 0, 0), (0, 0, 63)]), RGB))
    return {split: {"P0000@0,0": {0, 1, -1}, "P0000@104,0": {0, 1, -1}} for split in ("train", "val")}


def potsdam():
    put("potsdam/images/2_10.png", photo(24, 16))
    put("potsdam/labels/2_10.png", colors([(255, 255, 255), (255, 0, 0)]))
    return {"": {"2_10@0,0": {0, 5, -1}}}


def deepglobe():
    data, width, height = jpeg()
    put("deepglobe/train/855_sat.jpg", data)
    put("deepglobe/train/855_mask.png", colors([(0, 255, 255), (255, 255, 255), (0, 0, 0)], width, height))
    return {"": {"855": {0, 5, -1}}}


def lip():
    for split in ("train", "val"):
        jpeg_pair(f"LIP/{split}_images", "77_1.jpg", f"LIP/{split}_segmentations/77_1.png", gray, [0, 19])
    return {split: {"77_1": {0, 19}} for split in ("train", "val")}


def dark_zurich():
    put("dark_zurich/rgb_anon/val/night/GOPR0356/GOPR0356_frame_000321_rgb_anon.png", photo(24, 16))
    for kind in ("labelTrainIds", "invGray", "labelColor"):
        put(f"dark_zurich/gt/val/night/GOPR0356/GOPR0356_frame_000321_gt_{kind}.png", gray([0, 18, 255]))
    return {"val": {"night/GOPR0356/GOPR0356_frame_000321": {0, 18, -1}}}


def vessels(folder, name, suffix):
    for split in ("training", "validation"):
        put(f"{folder}/images/{split}/{name}.png", photo(24, 16))
        put(f"{folder}/annotations/{split}/{name}{suffix}.png", gray([0, 255]))
    return {split: {name: {0, 1}} for split in ("training", "validation")}


def kvasir():
    data, width, height = jpeg()
    put("Kvasir-SEG/images/cju0.jpg", data)
    put("Kvasir-SEG/masks/cju0.jpg", data)
    return {"": {"cju0": None}}


def refuge():
    for split in ("training", "validation"):
        put(f"REFUGE/images/{split}/g0001.png", photo(24, 16))
        put(f"REFUGE/annotations/{split}/g0001.png", colors([(255, 255, 255), (128, 128, 128), (0, 0, 0)]))
    return {split: {"g0001": {0, 1, 2}} for split in ("training", "validation")}


def synapse():
    for split in ("train", "val"):
        jpeg_pair(f"synapse/img_dir/{split}", "case0005_slice000.jpg", f"synapse/ann_dir/{split}/case0005_slice000.png", gray, [0, 8])
    return {split: {"case0005_slice000": {0, 8}} for split in ("train", "val")}


def nyu():
    for split in ("train", "test"):
        jpeg_pair(f"NYU/images/{split}", "bookstore.jpg", f"NYU/annotations/{split}/bookstore.png", gray, [0, 1, 40])
    return {split: {"bookstore": {-1, 0, 39}} for split in ("train", "test")}


def pets():
    for i, name in enumerate(("Abyssinian_1", "beagle_2")):
        jpeg_pair("oxford-iiit-pet/images", f"{name}.jpg", f"oxford-iiit-pet/annotations/trimaps/{name}.png", gray, [1, 2, 3], i)
        put(f"oxford-iiit-pet/annotations/trimaps/._{name}.png", "x")
    put("oxford-iiit-pet/annotations/trainval.txt", "Abyssinian_1 1 1 1\n")
    put("oxford-iiit-pet/annotations/test.txt", "beagle_2 2 2 1\n")
    put("oxford-iiit-pet/annotations/list.txt", "#Image CLASS-ID SPECIES BREED ID\nAbyssinian_1 1 1 1\nbeagle_2 2 2 1\n")
    return {"trainval": {"Abyssinian_1": {0, 1, -1}}, "test": {"beagle_2": {0, 1, -1}}}


def cvat():
    put("cvat/labelmap.txt", "# label:color_rgb:parts:actions\nbackground:0,0,0::\ncat:250,50,83::\n")
    jpeg_pair("cvat/JPEGImages", "frame_1.jpg", "cvat/SegmentationClass/frame_1.png", colors, [(0, 0, 0), (250, 50, 83)])
    put("cvat/ImageSets/Segmentation/default.txt", "frame_1\n")
    return {"": {"frame_1": {0, 1}}}


def labelme():
    put("labelme/class_names.txt", "_background_\naeroplane\nbicycle\n")
    jpeg_pair("labelme/JPEGImages", "2011_000003.jpg", "labelme/SegmentationClass/2011_000003.png", palette, [0, 2, 255])
    put("labelme/SegmentationClassVisualization/2011_000003.jpg", jpeg()[0])
    return {"": {"2011_000003": {0, 2, -1}}}


def digits():
    put("digits/colors.txt", "0,0,0\n255,0,0\n")
    put("digits/images/a.png", photo(24, 16))
    put("digits/labels/a.png", colors([(0, 0, 0), (255, 0, 0)]))
    return {"": {"a": {0, 1}}}


def binary():
    put("masks01/images/a.png", photo(24, 16))
    put("masks01/masks/a.png", gray([0, 255]))
    return {"": {"a": {0, 1}}}


def parts():
    put("parts/images/a.png", photo(24, 16))
    put("parts/masks/a_wheel.png", gray([255, 0]))
    put("parts/masks/a_door.png", gray([255, 255, 0]))
    return {"": {"a": {0, 1, -1}}}


def class_folders():
    for split in ("train", "val"):
        for i, name in enumerate(("n02", "n01")):
            put(f"imagenette/{split}/{name}/{i}.jpg", jpeg(i)[0])
    return {split: {"n01/1": {0}, "n02/0": {1}} for split in ("train", "val")}


def hugging_face():
    for i in range(2):
        put(f"hf/train/{i}.png", photo(24, 16, i))
    put("hf/train/metadata.jsonl", '{"file_name": "0.png", "label": "dog"}\n{"file_name": "1.png", "label": "cat"}\n')
    return {"train": {"0": {1}, "1": {0}}}


def birds():
    for i in range(2):
        put(f"birds/{i}.png", photo(24, 16, i))
    put("birds.csv", "filepath,labels\nbirds/0.png,KIWI\nbirds/1.png,EMU\n")
    return {"": {"birds/0": {1}, "birds/1": {0}}}


def drives():
    for drive in "abcdefgh":
        for frame in range(3):
            put(f"drives/images/{drive}_{frame}.png", photo(24, 16, frame))
            put(f"drives/labels/{drive}_{frame}.png", gray([0, 1, 2]))
    return {"train": None, "val": None}


IMITATIONS = {
    "PASCAL VOC 2012": voc,
    "Cityscapes, its 19 classes from labelIds": cityscapes_files,
    "Cityscapes from labelTrainIds": cityscapes_files,
    "ADE20K challenge": ade20k,
    "COCO-Stuff 164k": coco_stuff,
    "Mapillary Vistas": mapillary,
    "BDD100K": bdd100k,
    "CamVid in SegNet's version": camvid11,
    "CamVid from SegNet's list": camvid_list,
    "CamVid as published": camvid32,
    "Its 32 colors": camvid12,
    "Semantic-Segmentation-Suite": suite,
    "LoveDA": loveda,
    "iSAID": isaid,
    "ISPRS Potsdam": potsdam,
    "DeepGlobe": deepglobe,
    "LIP": lip,
    "Dark Zurich": dark_zurich,
    "DRIVE": lambda: vessels("DRIVE", "21_training", "_manual1"),
    "CHASE_DB1": lambda: vessels("CHASE_DB1", "Image_01L", "_1stHO"),
    "STARE": lambda: vessels("STARE", "im0001", ".ah"),
    "HRF": lambda: vessels("HRF", "01_dr", ""),
    "Kvasir-SEG": kvasir,
    "REFUGE": refuge,
    "Synapse": synapse,
    "NYU": nyu,
    "Oxford-IIIT Pet": pets,
    "CVAT": cvat,
    "LabelMe": labelme,
    "NVIDIA DIGITS": digits,
    "Masks of 0 and 255": binary,
    "A binary mask per class": parts,
    "ImageFolder": class_folders,
    "Hugging Face": hugging_face,
    "A table of images": birds,
    "One folder split in two": drives,
}
