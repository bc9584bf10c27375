#!/bin/bash
# Packs a data set with Slurm: a plan, an array of parts, and a merge that waits for all of them.
#
#   HOTPACK_PARTITIONS=40 ./submit.sh     the whole pack, in 40 parts
#   ./submit.sh 4,9-10                    these parts again, as `hotpack merge` lists them, and the merge
#
# Write your data set into plan.sh; relative paths count from this folder. PACK is the folder of the pack, which all nodes share.
# PART_SKIPS and ALL_SKIPS say how many damaged samples a part and the whole pack may leave out (0).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

export PACK=${PACK:-$PWD/packed/train} PLAN=${PLAN:-$PWD/train.plan}
export PART_SKIPS=${PART_SKIPS:-0} ALL_SKIPS=${ALL_SKIPS:-0}
mkdir -p logs

# The number of parts is written down: with another number, a list of parts would mean other parts.
if [ $# -eq 0 ]; then
  echo "${HOTPACK_PARTITIONS:-40}" >logs/partitions
  rm -f logs/plan logs/pack-* logs/merge logs/missing
fi
[ -e logs/partitions ] || { echo "error: run ./submit.sh without a list first" >&2 && exit 2; }
known=$(cat logs/partitions)
if [ "${HOTPACK_PARTITIONS:-$known}" != "$known" ]; then
  echo "error: the pack has $known parts, not HOTPACK_PARTITIONS=$HOTPACK_PARTITIONS" >&2
  exit 2
fi
export HOTPACK_PARTITIONS=$known

if [ $# -eq 0 ]; then
  list=0-$((HOTPACK_PARTITIONS - 1))
  plan=$(sbatch --parsable --output=logs/plan plan.sh)
  after=(--dependency="afterok:$plan" --kill-on-invalid-dep=yes)
  echo "plan: job $plan"
else
  list=$1
  after=()
  rm -f logs/merge logs/missing
fi
pack=$(sbatch --parsable --array="$list" ${after[@]+"${after[@]}"} --output=logs/pack-%a pack.sh)
merge=$(sbatch --parsable --dependency="afterok:$pack" --kill-on-invalid-dep=yes --output=logs/merge merge.sh)
# If parts have failed, logs/missing says which to run again.
missing=$(sbatch --parsable --dependency="afternotok:$pack" --kill-on-invalid-dep=yes --output=logs/missing missing.sh)
echo "parts: job $pack, elements $list; merge: job $merge; if parts fail: job $missing"
