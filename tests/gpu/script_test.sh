#!/usr/bin/env bash
# Tests the output, the report and the exit status of scripts/gpu-check with stubs of its programs.
#
#   script_test.sh SCRIPT
set -euo pipefail

script=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/stub"
cp "$script" "$folder/stub"
cd "$folder"

# expect CODE TEXT COMMAND…: fails unless COMMAND exits with CODE and prints TEXT.
expect() {
  local code=0
  "${@:3}" >said 2>&1 || code=$?
  [ $code = "$1" ] && grep -qF -e "$2" said || { echo "exit $code, expected $1 and '$2': ${*:3}"; cat said; exit 1; }
}
report() { grep -qF -e "$1" out/report.json || { echo "the report lacks $1"; cat out/report.json; exit 1; }; }

cat >stub/hotpack_gpu_check <<'END'
#!/usr/bin/env bash
case "$1 ${2-}" in
  "--device "*) [ -z "${NONE-}" ] || exit 77 ;;
  "--list "*) printf '%s\n' forms_of_batches good bad large_rows failures_sticky ;;
  "--run bad") echo "failed: as described"; exit 1 ;;
  "--run good") [ -z "${HANG-}" ] || sleep 60 ;;
  "--make-pack "*) mkdir "$2" ;;
  "--bench "*) echo '{"rows":[1]}' >"$3"; echo "page  12 GB/s  0.5, MISSED 0.9" ;;
esac
END
chmod +x stub/hotpack_gpu_check
for program in device_peers device_torch; do
  echo 'import sys; print("PyTorch finds no GPU; nothing was measured"); sys.exit(77)' >stub/$program.py
done
gpu_check=(stub/gpu-check --out out)
expect 2 "scripts/gpu-check --bundle DIR" stub/gpu-check --nonsense
expect 2 "scripts/gpu-check [OPTION" stub/gpu-check --part 3
expect 77 "no device: nothing was tested" env NONE=1 "${gpu_check[@]}"
expect 1 "10 passed, 1 failed, 2 skipped" "${gpu_check[@]}" --part 1
report '"part":"1","complete":true,"passed":10,"failed":1,"skipped":2'
report '{"name":"bad","outcome":"FAILED","seconds":0,"said":"failed: as described"}'
report '"name":"bench","outcome":"passed","seconds":0,"said":"page 12 GB/s 0.5, MISSED 0.9"'
grep -qF "$(printf '== bad\nfailed: as described')" out/log.txt
expect 0 "3 passed, 0 failed" "${gpu_check[@]}" --only "good bench failures_sticky"
python3 -m json.tool out/report.json >/dev/null
expect 77 "0 passed, 0 failed, 1 skipped" "${gpu_check[@]}" --part 2 --only torch-model
# A script that is stopped in the middle leaves a report of what it knows, and no other files.
HANG=1 "${gpu_check[@]}" --only "forms_of_batches good" >said 2>&1 &
for ((tries = 0; tries < 100; ++tries)); do grep -qs '"name":"forms_of_batches"' out/report.json && break; sleep 0.1; done
kill $!
wait $! && exit 1
report '"complete":false,"passed":1'
[ "$(ls out | tr '\n' ' ')" = "log.txt report.json " ] || { echo "files: $(ls out)"; exit 1; }
