"""A data set of image files for PyTorch's DataLoader, as most people write it: decode and resize at each access.

Two libraries: OpenCV, and torchvision. Images become u8 [H,W,3], labels class ids u8 [H,W].
"""

from pathlib import Path

import cv2
import torch
from torch.utils.data import Dataset
from torchvision.io import ImageReadMode, decode_image
from torchvision.transforms.v2 import InterpolationMode
from torchvision.transforms.v2.functional import resize


def opencv_pair(image, label, size):
    cv2.setNumThreads(1)
    image = cv2.cvtColor(cv2.imread(image, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    label = cv2.imread(label, cv2.IMREAD_UNCHANGED)
    return (torch.from_numpy(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR)),
            torch.from_numpy(cv2.resize(label, size, interpolation=cv2.INTER_NEAREST)))


def torchvision_pair(image, label, size):
    image, label = decode_image(image, ImageReadMode.RGB), decode_image(label, ImageReadMode.UNCHANGED)
    image = resize(image, size[::-1], InterpolationMode.BILINEAR, antialias=False)
    return image.permute(1, 2, 0).contiguous(), resize(label, size[::-1], InterpolationMode.NEAREST)[0]


LIBRARIES = {"OpenCV": opencv_pair, "torchvision": torchvision_pair}


class ImageFiles(Dataset):
    """Pairs of two folders in the order of their names."""

    def __init__(self, images, labels, size, library):
        self.pairs = list(zip(*(sorted(map(str, Path(folder).iterdir())) for folder in (images, labels)), strict=True))
        self.size, self.load = size, LIBRARIES[library]

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, number):
        return self.load(*self.pairs[number], self.size)
