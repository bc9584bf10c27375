#!/usr/bin/env bash
# Builds the fuzz targets as OSS-Fuzz and ClusterFuzzLite want them, into $OUT: <target>_fuzz, its seeds (<target>_fuzz_seed_corpus.zip), its
# words (.dict) and its options.
#
#   CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, OUT     as a base-builder image sets them; OUT is needed, the rest has clang's defaults
#   SRC     where the checkout is, as $SRC/hotpack; default: the tree that this script is in
#   WORK    where to build; default: a folder of its own
#
# Locally:  OUT=/tmp/out CC=clang-16 CXX=clang++-16 CXXFLAGS='-O1 -fsanitize=fuzzer-no-link,address' LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
#           tests/fuzz/oss-fuzz-build.sh
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source=${SRC:+$SRC/hotpack}
[ -n "$source" ] && [ -d "$source" ] || source=$here
: "${OUT:?the folder for the programs}"
build=${WORK:-$(mktemp -d)}/hotpack

cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None \
  -DCMAKE_C_COMPILER="${CC:-clang}" -DCMAKE_CXX_COMPILER="${CXX:-clang++}" \
  -DCMAKE_C_FLAGS="${CFLAGS-}" -DCMAKE_CXX_FLAGS="${CXXFLAGS:--O1 -fsanitize=fuzzer-no-link,address}" \
  -DHOTPACK_FUZZ=engine -DHOTPACK_FUZZ_ENGINE="${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}" -DHOTPACK_CUDA=OFF
cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target ${TARGETS:-fuzz_targets}

mkdir -p "$OUT"
for program in "$build"/tests/fuzz/*_fuzz; do
  name=$(basename "$program" _fuzz)
  cp "$program" "$OUT/"
  for kind in dict options; do
    [ ! -f "$source/tests/fuzz/$name.$kind" ] || cp "$source/tests/fuzz/$name.$kind" "$OUT/${name}_fuzz.$kind"
  done
  [ ! -d "$source/tests/fuzz/corpus/$name" ] ||
    (cd "$source/tests/fuzz/corpus/$name" && python3 -m zipfile -c "$OUT/${name}_fuzz_seed_corpus.zip" ./*)
done
