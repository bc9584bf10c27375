#!/bin/bash
#SBATCH --job-name=hotpack-pack --array=0-39 --cpus-per-task=2 --time=04:00:00 --requeue
# One part for each element of the array. HOTPACK_PARTITIONS, which submit.sh sets, is the number of all parts:
# with it, an array such as 4,9-10 packs these parts again. A part that is complete does nothing.
set -euo pipefail
: "${HOTPACK_PARTITIONS:?is the number of all parts; start this with submit.sh}"
: "${PLAN:?is the plan; start this with submit.sh}" "${PACK:?is the folder of the pack; start this with submit.sh}"
exec hotpack pack --plan "$PLAN" --partition auto -j "${SLURM_CPUS_PER_TASK:-2}" \
  --on-error skip --accept-skips "${PART_SKIPS:-0}" -o "$PACK"
