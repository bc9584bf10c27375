#!/usr/bin/env bash
# Compares the functions that hotpack calls with those of NVIDIA's own libcuda.so.1, of Debian's package libcuda1 (section non-free).
# Exits with 77 where that section cannot be reached.
#
#   real_libcuda.sh driver_probe FOLDER      FOLDER keeps the unpacked package for the next time; nothing is installed
set -euo pipefail

probe=$1 folder=$2
skip() {
  echo "skipped: $1"
  exit 77
}

# Takes Debian's mirror from the sources of apt, but reads the section in a folder of its own.
fetch() {
  local site release
  read -r site release _ < <(apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | grep -m1 '/debian [a-z]* main$') ||
    skip "apt has no mirror of Debian"
  mkdir -p "$folder"/apt/{lists,cache}/partial
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site $release non-free" >"$folder/apt/sources.list"
  cat >"$folder/apt/apt.conf" <<EOF
Dir::State::Lists "$folder/apt/lists";
Dir::Cache "$folder/apt/cache";
Dir::Etc::SourceList "$folder/apt/sources.list";
Dir::Etc::SourceParts "-";
APT::Sandbox::User "root";
Debug::NoLocking "true";
Acquire::http::Timeout "20";
EOF
  export APT_CONFIG=$folder/apt/apt.conf
  { apt-get update -q && cd "$folder" && apt-get download -q libcuda1; } >"$folder/log" 2>&1 || skip "libcuda1 cannot be fetched: $(tail -1 "$folder/log")"
  dpkg-deb -x "$folder"/libcuda1_*.deb "$folder/unpacked"
}

command -v dpkg-deb >/dev/null || skip "this system has no apt"
library=$(find "$folder/unpacked" -name libcuda.so.1 2>/dev/null || true)
if [ -z "$library" ]; then
  (fetch) || exit
  library=$(find "$folder/unpacked" -name libcuda.so.1)
fi
"$probe" symbols "$library"
# The whole table is found before the driver is initialized, which fails here without a device.
found=$(LD_LIBRARY_PATH=$(dirname "$library") "$probe" || true)
echo "$found"
grep -qE '^CUDA |finds no device|different versions' <<<"$found"
