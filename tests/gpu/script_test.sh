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

# The script alone, with a program and a compute-sanitizer that do as they are told.
mkdir stub tools
cp "$script" stub
cat >stub/hotpack_gpu_check <<'END'
#!/usr/bin/env bash
case "$1 ${2-}" in
  "--device "*) echo "device 0: a stub" ;;
  "--list "*) [ -z "${LIST_FAILS-}" ] || exit 3; printf '%s\n' ${CASES-good bad} ;;
  "--run good") ls -d "$TMPDIR" | grep -q "/made/scratch" ;;
  "--run bad") echo "failed: as told"; exit 1 ;;
  "--run "hangs*) mktemp >/dev/null; sleep 60 ;;
  "--run "*) exit 0 ;;
  "--bench "*) mktemp >/dev/null; echo '{"rows":[{"good":true},{"good":false},{"good":true},{"good":null}]}' >"$3" ;;
esac
END
cat >tools/compute-sanitizer <<'END'
#!/usr/bin/env bash
[ -z "${SANITIZER_FAILS-}" ] || { printf 'starting\nError: Device not supported (12)\n=== ERROR SUMMARY: 1\n'; exit 1; }
case " $* " in *" --report-api-errors no "*) ;; *) exit 99 ;; esac
while [ "${1#--}" != "$1" ]; do shift 2; done
exec "$@"
END
chmod +x stub/hotpack_gpu_check tools/compute-sanitizer
stub=(env PATH="$folder/tools:$PATH" stub/gpu-check --out made)
expect 1 "1 passed, 1 failed, 0 skipped; compute-sanitizer: 6 cases, 0 with errors; targets: 2 of 3 reached, 1 not measured" "${stub[@]}"
grep -q "failed: as told" made/bad.log
grep -q '"complete":true' made/report.json
[ ! -e made/good.log ]
[ -z "$(compgen -G 'made/scratch*')" ] || { echo "scratch is left"; exit 1; }
quick=("${stub[@]}" --no-bench --no-sanitizer)
expect 1 "took longer than 1 s" env HOTPACK_CASE_SECONDS=1 CASES="hangs good" "${quick[@]}"
grep -q '{"name":"hangs","outcome":"FAILED"},{"name":"good","outcome":"passed"}' made/report.json
expect 1 "--list failed" env LIST_FAILS=1 "${quick[@]}"
expect 1 "has no cases" env CASES= "${quick[@]}"
expect 1 "not run: compute-sanitizer does not work on this device: Error: Device not supported (12)" env SANITIZER_FAILS=1 "${stub[@]}" --no-bench
[ -e made/sanitizer.log ]
# Stopped in the middle, it leaves what it knows, and nothing else.
env CASES="good hangs" "${quick[@]}" >said 2>&1 &
for ((tries = 0; tries < 100; ++tries)); do
  grep -q '"name":"good"' made/report.json && grep -q "^good" said && break
  sleep 0.1
done
kill $!
wait $! && exit 1
grep -q '"complete":false,"cases":\[{"name":"good","outcome":"passed"}\]' made/report.json || { echo "no report of a stopped run"; exit 1; }
[ -z "$(compgen -G 'made/scratch*')" ] || { echo "scratch of a stopped run is left"; exit 1; }

[ -n "$stand_in" ] || exit 0

export LD_LIBRARY_PATH=$stand_in
expect 77 "no device: nothing was tested" bundle/gpu-check
export HOTPACK_GPU_CHECK_FAKE=1
bundle/gpu-check --no-bench --no-sanitizer --cases devices_told >/dev/null 2>&1 || { echo "built without kernels: the rest is not tested"; exit 0; }
expect 0 "2 passed, 0 failed, 1 skipped" bundle/gpu-check --no-bench --no-sanitizer --cases "devices_told host_pad_to large_output"
grep -q '{"name":"large_output","outcome":"skipped"}' gpu-check-report/report.json
expect 1 "1 passed, 1 failed, 0 skipped" bundle/gpu-check --no-bench --no-sanitizer --cases "devices_told no_such_case"
expect 77 "0 passed, 0 failed, 1 skipped" bundle/gpu-check --no-bench --no-sanitizer --cases large_output
