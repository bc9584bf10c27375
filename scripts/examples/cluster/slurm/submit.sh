#!/bin/bash
# Packs a data set with Slurm: a plan, an array of parts, and a merge that waits for all of them.
#
#   ./submit.sh             the whole pack
#   ./submit.sh 4,9-10      these parts again, as `hotpack merge` lists them, and the merge
#
# Write your data set into plan.sh. PACK is the folder of the pack, which all nodes share.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

export PACK=${PACK:-$PWD/packed/train} PLAN=${PLAN:-$PWD/train.plan}
export HOTPACK_PARTITIONS=${PARTS:-40}
mkdir -p logs

if [ $# -eq 0 ]; then
  list=0-$((HOTPACK_PARTITIONS - 1))
  plan=$(sbatch --parsable --output=logs/plan plan.sh)
  after=(--dependency="afterok:$plan" --kill-on-invalid-dep=yes)
else
  list=$1
  after=()
fi
pack=$(sbatch --parsable --array="$list" ${after[@]+"${after[@]}"} --output=logs/pack-%a pack.sh)
sbatch --dependency="afterok:$pack" --kill-on-invalid-dep=yes --output=logs/merge merge.sh
# If parts have failed, logs/missing says which to run again.
sbatch --dependency="afternotok:$pack" --kill-on-invalid-dep=yes --output=logs/missing missing.sh
