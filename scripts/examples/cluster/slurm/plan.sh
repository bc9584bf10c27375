#!/bin/bash
#SBATCH --job-name=hotpack-plan --cpus-per-task=2 --time=04:00:00
# Lists the samples, reads all headers and decides every byte, once. This is where your data set stands.
set -euo pipefail
read -ra data <<<"${DATA:---images train --labels masks --classes class_dict.csv --size 512x512}"
exec hotpack plan "${data[@]}" --on-error skip -o "$PLAN"
