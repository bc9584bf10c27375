#!/usr/bin/env bash
# Runs the cases of hotpack_gpu_check on a libcuda.so.1 that stands in for a GPU. Exits with 77 if the build has no kernels.
#
#   stand_in_test.sh PROGRAM FOLDER of that libcuda.so.1 [CASE to leave out…]
#
# A skipped case counts as failed. So does a case in which the stand-in finds a fault: it then changes the exit status.
set -uo pipefail

program=$1 left_out=" ${*:3} "
export LD_LIBRARY_PATH=$2 HOTPACK_GPU_CHECK_FAKE=1 HOTPACK_FAKE_DEVICES=2
said=$(mktemp)
trap 'rm -f "$said"' EXIT

"$program" --run devices_told >"$said" 2>&1
if [ $? = 77 ]; then
  cat "$said"
  exit 77
fi

failed=0 passed=0
for name in $("$program" --list); do
  [[ $left_out != *" $name "* ]] || continue
  timeout 60 "$program" --run "$name" >"$said" 2>&1
  code=$?
  if [ $code = 0 ]; then
    passed=$((passed + 1))
    continue
  fi
  failed=$((failed + 1))
  echo "$name: exit $code"
  cat "$said"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 20 ]
