#!/usr/bin/env bash
# Runs the cases of hotpack_gpu_check and its benchmark on a libcuda.so.1 that stands in for a GPU. Exits with 77 if the build has no kernels.
#
#   stand_in_test.sh PROGRAM FOLDER of that libcuda.so.1 [CASE to leave out…]
#
# A skipped case counts as failed. So does a case in which the stand-in finds a fault: it then changes the exit status.
set -uo pipefail

program=$1 left_out=" ${*:3} "
export LD_LIBRARY_PATH=$2 HOTPACK_GPU_CHECK_FAKE=1 HOTPACK_FAKE_DEVICES=4
said=$(mktemp)
trap 'rm -f "$said" "$said.json"' EXIT

"$program" --device >"$said" 2>&1 || { cat "$said"; exit 77; }
failed=0 passed=0
run() {
  timeout 300 "${@:2}" >"$said" 2>&1
  local code=$?
  [ $code != 0 ] || { passed=$((passed + 1)); return; }
  failed=$((failed + 1))
  echo "$1: exit $code"
  cat "$said"
}
for name in $("$program" --list); do
  [[ $left_out == *" $name "* ]] || run "$name" "$program" --run "$name"
done
run bench "$program" --bench --json "$said.json" --seconds 0.01 --batch 2 --records 8 --size 48x32
rows=$(grep -o '"name":' "$said.json" | wc -l)
[ "$rows" -ge 48 ] && grep -q '"complete":true' "$said.json" || { echo "the benchmark has $rows rows"; failed=$((failed + 1)); }
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -ge 12 ]
