#!/bin/bash
#SBATCH --job-name=hotpack-missing --time=00:10:00
# Lists the parts to run again, as ./submit.sh takes them.
hotpack info "$PACK" || true # it ends with 4, as the pack is not complete
