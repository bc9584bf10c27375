#!/bin/bash
#SBATCH --job-name=hotpack-merge --cpus-per-task=2 --time=01:00:00
# Writes dataset.json. A network file system may show the last shards a minute late, hence --wait.
set -euo pipefail
exec hotpack merge "$PACK" --wait "${WAIT:-90}" --accept-skips "${ALL_SKIPS:-0}"
