#!/usr/bin/env bash
# Installs the bundle of scripts/gpu-check from a build, and checks that it runs on systems with glibc 2.36 and the C++ library of GCC 12, or
# later ones: other libraries lie in it.
#
#   bundle_test.sh CMAKE BUILD [FOLDER of a libcuda.so.1 that is no GPU]
#
# On that, PyTorch programs of the bundle run too, if python3 has PyTorch.
set -euo pipefail

bundle=$(mktemp -d)
trap 'rm -rf "$bundle"' EXIT
"$1" --install "$2" --component gpu-check --prefix "$bundle" --strip >/dev/null

fail() { echo "$*"; exit 1; }
for file in hotpack_gpu_check libhotpack.so.0; do
  # shellcheck disable=SC2016 # the loader expands $ORIGIN
  readelf -d "$bundle/$file" | grep -F RUNPATH | grep -qF '[$ORIGIN]' || fail "$file: $(readelf -d "$bundle/$file" | grep -E 'R(UN)?PATH')"
  missing=$(env -u LD_LIBRARY_PATH ldd "$bundle/$file" | grep -vE "linux-vdso|$bundle/|(libc|libm|libstdc\+\+|libgcc_s|ld-linux-[a-z0-9-]+)\.so" || true)
  [ -z "$missing" ] || fail "$file needs what is not in the bundle:"$'\n'"$missing"
  for most in GLIBC_2.36 GLIBCXX_3.4.30; do
    newest=$({ readelf -V "$bundle/$file"; echo $most; } | grep -oE "${most%_*}_[0-9.]+" | sort -Vu | tail -1)
    [ "$newest" = $most ] || fail "$file needs $newest"
  done
done
code=0
env -u LD_LIBRARY_PATH CUDA_VISIBLE_DEVICES='' "$bundle/gpu-check" --out "$bundle/out" >"$bundle/said" 2>&1 || code=$?
[ $code = 77 ] && grep -q "no device: nothing was tested" "$bundle/said" || fail "gpu-check: exit $code: $(cat "$bundle/said")"
[ -n "${3-}" ] && HOTPACK_GPU_CHECK_FAKE=1 LD_LIBRARY_PATH=$3 "$bundle/hotpack_gpu_check" --device || exit 0
HOTPACK_GPU_CHECK_FAKE=1 LD_LIBRARY_PATH=$3 "$bundle/gpu-check" --quick --only "pack torch bench peers" --out "$bundle/out"
