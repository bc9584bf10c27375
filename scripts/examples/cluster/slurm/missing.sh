#!/bin/bash
#SBATCH --job-name=hotpack-missing --time=00:10:00
# Lists the parts to run again, as ./submit.sh takes them. If no shard is missing, a part has failed for another reason, such as too
# many damaged samples.
hotpack info "$PACK" || true # it ends with 4, as the pack is not complete
echo "then: ./submit.sh LIST. Why parts failed:"
tail -n 3 logs/pack-* || echo "no part has run; see logs/plan"
