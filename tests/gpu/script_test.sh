#!/usr/bin/env bash
# What scripts/gpu-check says and ends with: without a device, and with a stand-in where the build has one.
#
#   script_test.sh PROGRAM SCRIPT [FOLDER of a libcuda.so.1 that is no GPU]
set -euo pipefail

program=$1 script=$2 stand_in=${3-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bundle"
cp "$program" "$script" "$folder/bundle"
cd "$folder"

# expect CODE TEXT COMMAND…: ends with CODE and prints TEXT.
expect() {
  local code=0
  "${@:3}" >said 2>&1 || code=$?
  if [ $code != "$1" ] || ! grep -qF -e "$2" said; then
    echo "exit $code, expected $1 and '$2': ${*:3}"
    cat said
    exit 1
  fi
}

expect 77 "no device: nothing was tested" env CUDA_VISIBLE_DEVICES= LD_LIBRARY_PATH= bundle/gpu-check
expect 77 "skipped: " env CUDA_VISIBLE_DEVICES= LD_LIBRARY_PATH= "bundle/$(basename "$program")" --run devices_told
expect 2 "usage" "bundle/$(basename "$program")" --nonsense
expect 2 "scripts/gpu-check [OPTION…]" bundle/gpu-check --nonsense
expect 2 "scripts/gpu-check --bundle DIR" bundle/gpu-check --prebuilt nowhere
[ -n "$stand_in" ] || exit 0

export LD_LIBRARY_PATH=$stand_in
expect 77 "no GPU but a stand-in" bundle/gpu-check
export HOTPACK_GPU_CHECK_FAKE=1
bundle/gpu-check --no-bench --no-sanitizer --cases devices_told >/dev/null 2>&1 || { echo "built without kernels: the rest is not tested"; exit 0; }
expect 0 "2 passed, 0 failed, 1 skipped" bundle/gpu-check --no-bench --no-sanitizer --cases "devices_told host_pad_to large_output"
grep -q '{"name":"large_output","outcome":"skipped"}' gpu-check-report/report.json
expect 1 "1 passed, 1 failed, 0 skipped" bundle/gpu-check --no-bench --no-sanitizer --cases "devices_told no_such_case"
expect 77 "0 passed, 0 failed, 1 skipped" bundle/gpu-check --no-bench --no-sanitizer --cases large_output
