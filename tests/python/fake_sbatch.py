"""Stands in for sbatch: each job runs at once, its elements one after the other.

FAKE_SLURM names the file of the states of jobs; FAKE_FAILURE an element that fails.
"""

import json
import os
import subprocess
import sys

state = os.environ["FAKE_SLURM"]
jobs = json.load(open(state)) if os.path.exists(state) else []
KNOWN = {"parsable", "array", "dependency", "kill-on-invalid-dep", "output"}
KNOWN |= {"job-name", "cpus-per-task", "time", "requeue"}
options = {}


def take(word):
    name, _, value = word[2:].partition("=")
    assert word.startswith("--") and name in KNOWN, f"sbatch: {word}"
    options[name] = value


words = sys.argv[1:]
while words and words[0].startswith("--"):
    words.pop(0)
command = words
for line in open(command[0]):
    if line.startswith("#SBATCH "):
        for word in line.split()[1:]:
            take(word)
for word in sys.argv[1 : len(sys.argv) - len(words)]:
    take(word)  # those of the command line win

number = str(len(jobs))
ready = True
for dependency in filter(None, options.get("dependency", "").split(",")):
    kind, _, other = dependency.partition(":")
    ready &= {"afterok": jobs[int(other)] == "good", "afternotok": jobs[int(other)] == "bad"}[kind]


def elements(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def run(element):
    variables = {**os.environ, "SLURM_JOB_ID": number, "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}
    variables["SLURM_CPUS_PER_TASK"] = options.get("cpus-per-task", "1")
    if element is not None:
        ids = list(elements(options["array"]))
        variables.update(SLURM_ARRAY_TASK_ID=str(element), SLURM_ARRAY_TASK_COUNT=str(len(ids)))
        variables.update(SLURM_ARRAY_TASK_MIN=str(min(ids)), SLURM_ARRAY_TASK_MAX=str(max(ids)))
        # As Slurm does: 1 unless all steps are equal.
        steps = {b - a for a, b in zip(ids, ids[1:])}
        variables["SLURM_ARRAY_TASK_STEP"] = str(steps.pop() if len(steps) == 1 else 1)
        if os.environ.get("FAKE_FAILURE") == str(element):
            return 1
    log = options.get("output", "slurm-%j").replace("%a", str(element)).replace("%j", number)
    with open(log, "w") as file:
        words = ["bash", *command]
        return subprocess.run(words, env=variables, stdout=file, stderr=file).returncode


codes = []
if ready:
    codes = [run(one) for one in (elements(options["array"]) if "array" in options else [None])]
jobs.append("never" if not ready else "bad" if any(codes) else "good")
json.dump(jobs, open(state, "w"))
print(number if "parsable" in options else f"Submitted batch job {number}")
