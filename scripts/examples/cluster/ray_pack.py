"""Packs a data set on a Ray cluster.

    python ray_pack.py /nfs/images /nfs/packed        # on a node of the cluster, or anywhere

All nodes share both folders and have the package hotpack. Parts whose worker dies are tried again.
"""

import sys

import hotpack.ray
import ray


def main(images, packed):
    ray.init(ignore_reinit_error=True)
    report = hotpack.ray.pack(images, output=packed, size=(512, 512), parts="auto", cpus=2)
    print(report)


if __name__ == "__main__":
    main(*sys.argv[1:])
