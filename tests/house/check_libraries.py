#!/usr/bin/env python3
"""What the built command loads: few shared libraries, and none of OpenCV.

usage: check_libraries.py PROGRAM
"""

import re
import subprocess
import sys

MOST = 24
FORBIDDEN = re.compile(r"libopencv_|libboost|libQt|libgtk|libpython")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    listing = subprocess.run(["ldd", sys.argv[1]], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"^\s*(?:/\S*/)?(lib\S+?\.so\S*)", listing, re.M)
    refused = sorted(name for name in libraries if FORBIDDEN.search(name))
    print(f"{len(libraries)} shared libraries, at most {MOST}; refused: {', '.join(refused) or 'none'}")
    return 1 if refused or not 0 < len(libraries) <= MOST else 0


if __name__ == "__main__":
    sys.exit(main())
