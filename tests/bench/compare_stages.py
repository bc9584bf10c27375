#!/usr/bin/env python3
"""Times the stages of packing (stages.cpp): next to their ceilings, or of two versions of hotpack next to each other.

usage: compare_stages.py inputs FOLDER                             makes what the stages process
       compare_stages.py table PROGRAM INPUTS REPORT [OPTION…]     one version
       compare_stages.py compare A B INPUTS REPORT [OPTION…]       which stages of program B are faster or slower than those of A
       compare_stages.py prove PROGRAM INPUTS REPORT [OPTION…]     that `compare` names each stage that is made 10 % slower, and no other;
                                                                   exit code 1 if it does not
  --rounds N      (default: 9)
  --stages LIST   only these stages

Times are processor time. Each round runs every program once; its time of a stage is the best of three. `compare` runs A twice in each
round. The noise of a stage is how far A seems to be from itself, plus four standard errors of the median, and at least 2 %. What
exceeds it is measured again, with twice the rounds, and has moved if it exceeds the noise again.
"""

import argparse
import json
import math
import re
import sys
from pathlib import Path

from measuring import cores, median, run, save

STREET = Path(__file__).resolve().parent.parent.parent / "sample_data" / "street"
LEAST_NOISE = 0.02
STANDARD_ERRORS = 4
SLOWER = "HOTPACK_BENCH_SLOWER"


class Program:
    """A build of stages.cpp."""

    def __init__(self, path, inputs, slower=None):
        self.command = [path, inputs]
        if slower:
            self.command = ["env", f"{SLOWER}={slower}", *self.command]

    def times(self, stages=None, kind="hotpack"):
        """{stage/kind: best seconds of three}"""
        wanted = "|".join(map(re.escape, stages)) if stages else ".*"
        options = ["--benchmark_format=json", "--benchmark_min_time=0.02", "--benchmark_repetitions=3",
                   "--benchmark_enable_random_interleaving=true", f"--benchmark_filter=^({wanted})/{kind}$"]
        text = run([*self.command, *options], cores(1)).output
        best = {}
        entries = json.loads(text[text.index("{\n"):text.rindex("}") + 1])["benchmarks"]
        for entry in sorted(entries, key=lambda entry: entry["family_index"]):  # they ran in a random order
            if entry["run_type"] == "iteration":
                name, seconds = entry["run_name"], entry["cpu_time"] * 1e-9
                best[name] = min(seconds, best.get(name, math.inf))
        return best


def gather(rounds, programs, stages=None):
    """For each program {stage: times, one per round}. The programs take turns to be the first."""
    found = [{} for _ in programs]
    for number in range(rounds):
        for turn in range(len(programs)):
            which = (number + turn) % len(programs)
            for name, seconds in programs[which].times(stages).items():
                found[which].setdefault(name.split("/")[0], []).append(seconds)
    return found


def logarithms(above, below):
    return [math.log(a / b) for a, b in zip(above, below, strict=True)]


def standard_error(values):
    """Of the median, from the median distance to it, as for a normal distribution."""
    middle = median(values)
    deviation = 1.4826 * median([abs(value - middle) for value in values])
    return 1.2533 * deviation / math.sqrt(len(values))


class Change:
    """Of a stage's time from A to B; the noise is that of A against A."""

    def __init__(self, first, second, again):
        change, same = logarithms(second, first), logarithms(again, first)
        # A was measured twice, so compare B with both.
        change = [c - s / 2 for c, s in zip(change, same, strict=True)]
        error = max(standard_error(change), standard_error(same))
        self.seconds = (median(first), median(second))
        self.change = math.expm1(median(change))
        self.noise = max(LEAST_NOISE, math.expm1(abs(median(same)) / 2 + STANDARD_ERRORS * error))

    def exceeds(self):
        return abs(self.change) > self.noise

    def figures(self):
        return {"seconds": self.seconds, "change": round(self.change, 4), "noise": round(self.noise, 4)}


def changes(first, second, rounds, stages=None):
    times = gather(rounds, [first, second, first], stages)
    return {stage: Change(*(program[stage] for program in times)) for stage in times[0] if stage in times[1]}


def compare(first, second, options):
    """(changes, names of the stages that moved)"""
    found = changes(first, second, options.rounds, options.stages)
    candidates = [stage for stage, change in found.items() if change.exceeds()]
    moved = []
    if candidates:
        for stage, change in changes(first, second, 2 * options.rounds, candidates).items():
            if change.exceeds() and (change.change > 0) == (found[stage].change > 0):
                moved.append(stage)
            found[stage] = change
    return found, moved


def print_changes(found, moved):
    print(f"{'stage':<20}{'A us':>10}{'B us':>10}{'change':>9}{'noise':>8}")
    for stage, change in found.items():
        before, after = (seconds * 1e6 for seconds in change.seconds)
        said = ("slower" if change.change > 0 else "faster") if stage in moved else ""
        print(f"{stage:<20}{before:>10.1f}{after:>10.1f}{change.change:>+9.1%}{change.noise:>8.1%}  {said}")
    print(f"moved: {', '.join(moved) or 'none'}")


def run_inputs(options):
    import bench_inputs

    bench_inputs.stage_inputs(STREET, options.paths[0])


def run_table(options):
    program, inputs, report = options.paths
    rounds = [Program(program, inputs).times(options.stages, ".*") for _ in range(options.rounds)]
    stages = dict.fromkeys(name.split("/")[0] for name in rounds[0])
    print(f"{'stage':<20}{'hotpack us':>12}{'ceiling us':>12}{'ratio':>8}")
    figures = {}
    for stage in stages:
        ours, ceiling = ([times[f"{stage}/{kind}"] for times in rounds] for kind in ("hotpack", "ceiling"))
        ratio = median([a / b for a, b in zip(ours, ceiling, strict=True)])
        figures[stage] = {"seconds": median(ours), "ceiling_seconds": median(ceiling), "ratio": round(ratio, 4)}
        print(f"{stage:<20}{median(ours) * 1e6:>12.1f}{median(ceiling) * 1e6:>12.1f}{ratio:>8.2f}")
    save(report, {"rounds": options.rounds, "stages": figures})


def run_compare(options):
    first, second, inputs, report = options.paths
    found, moved = compare(Program(first, inputs), Program(second, inputs), options)
    print_changes(found, moved)
    save(report, {"rounds": options.rounds, "moved": moved, "stages": {stage: change.figures() for stage, change in found.items()}})


def run_prove(options):
    program, inputs, report = options.paths
    plain = Program(program, inputs)
    stages = options.stages or [name.split("/")[0] for name in plain.times()]
    options.stages = None
    named = {}
    for stage in stages:
        found, moved = compare(plain, Program(program, inputs, slower=stage), options)
        named[stage] = moved
        change = found[stage]
        print(f"{stage:<20} made slower, measured {change.change:+.1%} with a noise of {change.noise:.1%}; "
              f"named: {', '.join(moved) or 'none'}{'' if moved == [stage] else '  WRONG'}", flush=True)
    save(report, {"rounds": options.rounds, "named": named})
    return 0 if all(moved == [stage] for stage, moved in named.items()) else 1


def main():
    commands = {"inputs": (run_inputs, 1), "table": (run_table, 3), "compare": (run_compare, 4), "prove": (run_prove, 3)}
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("command", choices=commands)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--stages", type=lambda text: text.split(","))
    options = parser.parse_args()
    function, path_count = commands[options.command]
    if len(options.paths) != path_count:
        parser.error(f"{options.command} needs {path_count} paths")
    return function(options)


if __name__ == "__main__":
    sys.exit(main())
