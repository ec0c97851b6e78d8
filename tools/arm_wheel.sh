#!/usr/bin/env bash
# arm_wheel.sh FOLDER [TEST...]: the wheel for 64-bit ARM Linux, built here and tested under an emulator.
#
# It cross-compiles the wheel and the unit tests of the engine, unpacks Debian's Python for ARM with
# the libraries it needs, installs the wheel and its dependencies beside it, and runs the unit tests
# and the given files of tests (by default a few that fit many trees and check their proofs) with
# qemu's user-mode emulation. It needs Debian 12 with g++-aarch64-linux-gnu, qemu-user, and arm64 as a
# foreign architecture of apt (dpkg --add-architecture arm64; apt-get update). Nothing is installed
# on the machine.
set -euo pipefail
folder=$(realpath -m "$1")
shift
source_folder=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-$source_folder/.venv/bin/python}
default=(tests/test_sparse_optimum.py tests/test_threshold_exact.py tests/test_prefix.py
  tests/test_proof_numbers.py tests/test_first_split.py)
tests=("${@:-${default[@]}}")
root=$folder/root site=$folder/site
mkdir -p "$folder/debs" "$folder/wheels" "$root" "$site"

echo "== the wheel"
suffix=.cpython-311-aarch64-linux-gnu.so
cross="-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc"
cross="$cross -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DPython_SOABI=cpython-311-aarch64-linux-gnu"
CMAKE_ARGS=$cross SETUPTOOLS_EXT_SUFFIX=$suffix _PYTHON_HOST_PLATFORM=linux-aarch64 \
  "$python" -m pip wheel -q --no-build-isolation --no-deps -C build-dir="$folder/build" \
  -w "$folder/wheels" "$source_folder"
ls -l "$folder"/wheels/treeproof-*.whl

echo "== Python for ARM"
(
  cd "$folder/debs"
  apt-get download -q {python3.11,python3.11-minimal,libpython3.11-minimal,libpython3.11-stdlib}:arm64 \
    {libc6,zlib1g,libexpat1,libffi8,libssl3,libsqlite3-0,libbz2-1.0,liblzma5,libuuid1}:arm64 \
    {libncursesw6,libtinfo6,libreadline8,libstdc++6,libgcc-s1,libcrypt1,libgomp1}:arm64 > /dev/null
  for package in *.deb; do dpkg -x "$package" "$root"; done
)
"$python" -m pip download -q -d "$folder/wheels" --python-version 3.11 --only-binary=:all: \
  --platform manylinux2014_aarch64 --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 \
  --platform manylinux_2_24_aarch64 --platform manylinux_2_17_aarch64 \
  numpy scipy scikit-learn narwhals typer rich pandas pytest hypothesis
for wheel in "$folder"/wheels/*.whl; do "$python" -m zipfile -e "$wheel" "$site"; done

run() { PYTHONPATH=$site:$source_folder/tests qemu-aarch64 -L "$root" "$@"; }
emulated=(run "$root/usr/bin/python3.11")
"${emulated[@]}" -c 'import platform, treeproof; print(platform.machine(), treeproof.__version__)'
echo "== tests"
cd "$source_folder"
"${emulated[@]}" -m pytest -q -p no:cacheprovider -c /dev/null --rootdir /tmp -W ignore "${tests[@]}"

echo "== the unit tests of the engine"
cmake -S "$source_folder" -B "$folder/units" -G Ninja $cross -DTREEPROOF_DEV=ON \
  -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE="$python" \
  -DPython_INCLUDE_DIR="$("$python" -c "import sysconfig; print(sysconfig.get_path('include'))")" > "$folder/units.log"
cmake --build "$folder/units" --target units >> "$folder/units.log"
aarch64-linux-gnu-g++ -std=c++20 -O2 -o "$folder/check_proof" "$source_folder/tools/check_proof.cpp" -lz \
  2> /dev/null || echo "(the stand-alone checker needs zlib for ARM; the module of the wheel is tested instead)"
run "$folder/units/units"
