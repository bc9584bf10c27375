"""Packs on a Ray cluster of this machine: ray_driver.py PLAN OUTPUT PARTS RETRIES.

Prints a report as JSON.
"""

import json
import sys

import hotpack.ray
import ray

plan, output, parts, retries = sys.argv[1:]
ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
options = {"on_error": "skip", "accept_skips": 1}
report = hotpack.ray.pack(
    plan=plan, output=output, parts=int(parts), cpus=1, retries=int(retries), **options
)
print(json.dumps({name: report.json[name] for name in ("records", "skipped")}))
