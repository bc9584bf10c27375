#!/usr/bin/env bash
# Tests the output and the exit status of scripts/gpu-check: without a device, and with a stand-in if the build has one.
#
#   script_test.sh PROGRAM SCRIPT [FOLDER of a libcuda.so.1 that is no GPU]
set -euo pipefail

program=$1 script=$2 stand_in=${3-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bundle"
cp "$program" "$script" "$folder/bundle"
cd "$folder"

# expect CODE TEXT COMMAND…: fails unless COMMAND exits with CODE and prints TEXT.
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

# Tests the script alone, with stubs of the program and of compute-sanitizer.
mkdir stub tools
cp "$script" stub
cat >stub/hotpack_gpu_check <<'END'
#!/usr/bin/env bash
case "$1 ${2-}" in
  "--device "*) echo "device 0: a stub" ;;
  "--list "*) [ -z "${LIST_FAILS-}" ] || exit 3; printf '%s\n' ${CASES-good bad} ;;
  "--run good") ls -d "$TMPDIR" | grep -q "/made/scratch" ;;
  "--run bad") echo "failed: as described"; exit 1 ;;
  "--run lifetime_lease_outlives_loader") exit "${PROBE_FAILS-0}" ;;
  "--make-pack "*) echo "pack: $*"; mkdir "$2" ;;
  "--run "hangs*) mktemp >/dev/null; sleep 60 ;;
  "--run "*) exit 0 ;;
  "--bench "*) mktemp >/dev/null; echo '{"rows":[{"good":true},{"good":false},{"good":true},{"good":null}]}' >"$3"
    echo "bench: $*"; [ -z "${BENCH_FAILS-}" ] || exit 1 ;;
esac
END
cat >tools/compute-sanitizer <<'END'
#!/usr/bin/env bash
case " $* " in *" --device "*) exit 0 ;; esac  # asked for its name, a device answers even where it cannot be watched
[ -z "${SANITIZER_REFUSES-}" ] || { printf 'starting\nError: Device not supported (12)\n=== ERROR SUMMARY: 1\n'; exit "$SANITIZER_REFUSES"; }
[ -z "${SANITIZER_FINDS-}" ] || { printf '=== Invalid __global__ write\n=== ERROR SUMMARY: 1\n'; exit 99; }
case " $* " in *" --report-api-errors no "*) ;; *) exit 99 ;; esac
while [ "${1#--}" != "$1" ]; do shift 2; done
exec "$@"
END
mkdir tools/python
touch tools/python/torch.py stub/libhotpack.so.0
cat >stub/device_peers.py <<'END'
import os, pathlib, sys, time
assert pathlib.Path(sys.argv[1]).is_dir() and sys.argv[2].endswith("/libhotpack.so.0"), sys.argv
print("peers:", *sys.argv[3:-1])
pathlib.Path(sys.argv[-1]).write_text('{"figures":1}')
time.sleep(60 if "HANG" in os.environ else 0)
print("ratios: page 2.50, device 4.00" if os.environ["PEERS_END"] == "0" else "no device: as described; nothing was measured")
sys.exit(int(os.environ["PEERS_END"]))
END
chmod +x stub/hotpack_gpu_check tools/compute-sanitizer
stub=(env PATH="$folder/tools:$PATH" stub/gpu-check --out made)
expect 1 "1 passed, 1 failed, 0 skipped; compute-sanitizer: 6 cases, 0 with errors; targets: 2 of 3 reached, 1 not measured" "${stub[@]}"
grep -q "failed: as described" made/failures.log
grep -q '"complete":true' made/report.json
[ "$(ls made | tr '\n' ' ')" = "bench.json failures.log report.json " ] || { echo "files: $(ls made)"; exit 1; }
[ -z "$(compgen -G 'made/scratch*')" ] || { echo "scratch is left"; exit 1; }
# A benchmark that fails late reports what it has measured. Options reach it.
expect 1 "the benchmark FAILED" env BENCH_FAILS=1 CASES=good "${stub[@]}" --no-sanitizer
grep -q '"bench":{"rows"' made/report.json
expect 0 "--seconds 2 --batch 8 --records 64 --size 96x64" env CASES=good "${stub[@]}" --no-sanitizer --seconds 2 --batch 8 --records 64 --size 96x64
quick=("${stub[@]}" --no-bench --no-sanitizer)
expect 1 "took longer than 2 s" env HOTPACK_CASE_SECONDS=2 CASES="hangs good" "${quick[@]}"
grep -q '{"name":"hangs","outcome":"FAILED"},{"name":"good","outcome":"passed"}' made/report.json
expect 1 "--list failed" env LIST_FAILS=1 "${quick[@]}"
expect 1 "has no cases" env CASES= "${quick[@]}"
for code in 1 99; do
  expect 1 "not run: compute-sanitizer does not work on this device: Error: Device not supported (12)" env SANITIZER_REFUSES=$code "${stub[@]}" --no-bench
  [ -e made/sanitizer.log ]
done
sanitizer=("${stub[@]}" --no-cases --no-bench --no-peers)
expect 0 "0 passed, 0 failed, 0 skipped; compute-sanitizer: 6 cases, 0 with errors" "${sanitizer[@]}"
expect 77 "not run: compute-sanitizer does not work" env SANITIZER_REFUSES=1 "${sanitizer[@]}"
expect 1 "not run: lifetime_lease_outlives_loader fails, without compute-sanitizer too" env SANITIZER_REFUSES=1 PROBE_FAILS=1 "${sanitizer[@]}"
expect 1 "compute-sanitizer: 7 cases, 7 with errors" env SANITIZER_FINDS=1 "${sanitizer[@]}"
grep -q "== lifetime_lease_outlives_loader under compute-sanitizer" made/failures.log

# The comparison with PyTorch runs on its own pack. If it cannot run, this is reported and never counts as passed.
export PEERS_END=0
peers=(env PYTHONPATH="$folder/tools/python" "${stub[@]}")
expect 0 "PyTorch: hotpack over the best: page 2.50, device 4.00;" "${peers[@]}" --peers
grep -q '"peers":{"said":"hotpack over the best: page 2.50, device 4.00","report":{"figures":1}}' made/report.json
[ "$(ls made | tr '\n' ' ')" = "peers.json report.json " ] || { echo "files: $(ls made)"; exit 1; }
expect 0 "PyTorch: hotpack over the best" env CASES=good "${peers[@]}" --no-bench --no-sanitizer
expect 0 "--records 1024 --records 40 --size 32x16" "${peers[@]}" --peers --records 40 --size 32x16
expect 0 "peers: --batch 8 --rounds 3 --seconds 2 --workers 0" "${peers[@]}" --peers --batch 8
expect 77 "PyTorch: not run: no device: as described" env PEERS_END=77 "${peers[@]}" --peers
expect 1 "PyTorch: FAILED; " env PEERS_END=1 "${peers[@]}" --peers
expect 1 "PyTorch: FAILED: it took longer than 4 s" env HOTPACK_PEERS_SECONDS=4 HANG=1 "${peers[@]}" --peers
grep -q '"report":{"figures":1}' made/report.json
rm stub/libhotpack.so.0
expect 0 "PyTorch: not run: device_peers.py and libhotpack.so.0 are not there" env CASES=good "${quick[@]}"
# A script that is stopped in the middle leaves a report of what it knows, and nothing else.
rm said made/report.json  # files of the previous run
env CASES="good hangs" "${quick[@]}" >said 2>&1 &
for ((tries = 0; tries < 100; ++tries)); do
  grep -qs '"name":"good"' made/report.json && grep -qs "^good" said && break
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
