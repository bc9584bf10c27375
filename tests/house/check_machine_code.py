#!/usr/bin/env python3
"""Looks at the machine code that nvcc makes of the kernels: no stack frame, no local memory, and stores of 16 bytes. Prints a table.

    check_machine_code.py NVCC SOURCE BUILD [OPTION of nvcc…]

nvdisasm is that beside nvcc, or in PATH, or of PyPI's nvidia-cuda-nvdisasm, which is kept in BUILD. Instructions per 16 bytes of output: on
the shortest way through a 16-byte store, or around it if it is in a loop. Exit: 0, 1 where a kernel breaks a rule, 77 without nvdisasm.
"""

import re
import shutil
import subprocess
import sys
import zipfile
from collections import deque
from pathlib import Path

ARCHITECTURES = (75, 90)
KERNELS = 19
LANES, HERTZ, BUS, MEMORY = 132 * 128, 1.7e9, 52e9, 4.2e12  # of an H200: lanes that issue in a cycle; bytes per second
PIXELS = 32 * 512 * 512


def find_nvdisasm(nvcc, build):
    for found in (nvcc.with_name("nvdisasm"), shutil.which("nvdisasm"), next(build.glob("nvidia/**/nvdisasm"), None)):
        if found and Path(found).is_file():
            return str(found)
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", build, "nvidia-cuda-nvdisasm"]
    try:
        subprocess.run(command, check=True, timeout=120, capture_output=True)
        with zipfile.ZipFile(next(build.glob("nvidia_cuda_nvdisasm*.whl"))) as wheel:
            wheel.extractall(build)
        found = next(build.glob("nvidia/**/nvdisasm"))
        found.chmod(0o755)
        return str(found)
    except (subprocess.SubprocessError, OSError, StopIteration) as failed:
        print(f"skipped: there is no nvdisasm: {failed}")
        return None


def compile_kernels(nvcc, source, build, options, architecture):
    """The cubin, and (registers, stack, spills) by kernel."""
    cubin = build / f"kernels_{architecture}.cubin"
    command = [nvcc, *options, "-cubin", f"-arch=sm_{architecture}", "--resource-usage", f"-I{source}/src", f"-I{source}/include", "-o", cubin,
               source / "src/device/kernels/kernels.cu"]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    form = r"Function properties for hotpack_(\w+)\s+(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads\s+.*?Used (\d+) registers"
    return cubin, {name: (int(registers), int(stack), int(stores) + int(loads)) for name, stack, stores, loads, registers in re.findall(form, said)}


class Code:
    """The instructions of a kernel, and for each those that may follow."""

    def __init__(self, text):
        self.names, targets, labels = [], [], {}
        for label, predicate, name, rest in re.findall(r"^(\.L_x_\d+):|^\s*/\*[0-9a-f]+\*/\s+(@!?U?P\d+ )?\s*([A-Z][\w.]*)(.*?);", text, re.M):
            if label:
                labels[label] = len(self.names)
                continue
            self.names.append(name)
            target = re.search(r"\.L_x_\d+", rest) if name.startswith("BRA") else None
            targets.append((target and target[0], bool(predicate), name in ("EXIT", "RET") or name.startswith("RET.")))
        self.next = []
        for number, (target, predicated, ends) in enumerate(targets):
            falls = predicated or not (target or ends)
            self.next.append(([labels[target]] if target else []) + ([number + 1] if falls and number + 1 < len(targets) else []))
        self.ends = {number for number, (_, _, ends) in enumerate(targets) if ends}

    def way(self, begin, goals):
        """The shortest way from `begin`, without it, to one of `goals`, or None."""
        came, ahead = {begin: None}, deque([begin])
        while ahead:
            here = ahead.popleft()
            for there in self.next[here]:
                if there in goals:
                    found = [there]
                    while came[here] is not None:
                        found, here = [here, *found], came[here]
                    return found
                if there not in came:
                    came[there] = here
                    ahead.append(there)
        return None

    def instructions_per_store(self):
        costs, stores = [], {number for number, name in enumerate(self.names) if name.startswith("STG.E.128")}
        for store in stores:
            way = self.way(store, {store}) or [0, *(self.way(0, {store}) or []), *(self.way(store, self.ends) or [])]
            costs.append(len(way) / max(1, sum(number in stores for number in way)))
        return min(costs, default=None)


def main():
    nvcc, source, build = (Path(word) for word in sys.argv[1:4])
    build.mkdir(parents=True, exist_ok=True)
    nvdisasm = find_nvdisasm(nvcc, build)
    faults, costs = [], {}
    print("kernel                      sm  registers stack spills  local  16-byte loads  stores  instructions / 16 bytes")
    for architecture in ARCHITECTURES:
        cubin, resources = compile_kernels(nvcc, source, build, sys.argv[4:], architecture)
        faults += [] if len(resources) == KERNELS else [f"sm_{architecture}: {len(resources)} kernels, not {KERNELS}"]
        text = subprocess.run([nvdisasm, "-c", "-novliw", cubin], check=True, capture_output=True, text=True).stdout if nvdisasm else ""
        codes = dict(re.findall(r"^\.text\.hotpack_(\w+):\n(.*?)(?=^//-----|\Z)", text, re.M | re.S))
        for name, (registers, stack, spills) in resources.items():
            code = Code(codes.get(name, ""))
            local, loads, stores = (sum(word.startswith(begins) for word in code.names) for begins in (("LDL", "STL"), "LDG.E.128", "STG.E.128"))
            costs[name] = code.instructions_per_store()
            print(f"{name:<28}{architecture}{registers:>10}{stack:>7}{spills:>7}{local:>7}{loads:>15}{stores:>8}{costs[name] or 0:>24.1f}")
            if stack or spills or local or (nvdisasm and not stores):
                faults.append(f"{name}, sm_{architecture}: {stack} bytes of stack, {spills} of spills, {local} local, {stores} stores")
    if nvdisasm:
        out = {"image_f16_first": PIXELS * 3 * 2, "label_one_hot_b16_first": PIXELS * 12 * 2}
        issue = sum(size / 16 * costs[name] / LANES / HERTZ for name, size in out.items() if costs.get(name))
        memory, bus = (sum(out.values()) + 4 * PIXELS) / MEMORY, 4 * PIXELS / BUS
        print(f"f16 + one-hot f16, 32 of 512x512, 12 classes: instructions {issue * 1e6:.0f} us, memory {memory * 1e6:.0f} us, bus {bus * 1e6:.0f} us")
        if max(issue, memory) > 0.4 * bus:
            faults.append("the kernels take more than 0.4 of the bus's time")
    print(*faults, sep="\n")
    return 1 if faults else 0 if nvdisasm else 77


if __name__ == "__main__":
    sys.exit(main())
