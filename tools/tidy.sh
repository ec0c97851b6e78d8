#!/usr/bin/env bash
# tidy.sh [FILE...]: clang-tidy over C++ sources; without files, over those that differ from HEAD's
# parent or are not committed yet. `tidy.sh all` reads everything, which takes minutes.
#
# It needs clang-tidy (pip install clang-tidy) and says so without failing if there is none. The
# commands of the compiler come from a configuration of its own in build/tidy; nothing is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-$PWD/.venv/bin/python}
tidy=${CLANG_TIDY:-$(dirname "$python")/clang-tidy}
command -v "$tidy" > /dev/null || tidy=clang-tidy
if ! command -v "$tidy" > /dev/null; then
  echo "clang-tidy is not installed, so it does not run (pip install clang-tidy)."
  exit 0
fi

if [ "${1:-}" = all ]; then
  files=$(git ls-files 'cpp/*.cpp' 'tools/*.cpp')
elif [ $# -gt 0 ]; then
  files="$*"
else
  files=$( (git diff --name-only HEAD~1 2> /dev/null; git ls-files -o --exclude-standard) \
    | grep -E '^(cpp|tools)/.*\.cpp$' | sort -u || true)
fi
existing=()
for file in $files; do [ -f "$file" ] && existing+=("$file"); done
[ ${#existing[@]} -eq 0 ] && exit 0

if [ ! -f build/tidy/compile_commands.json ] || [ CMakeLists.txt -nt build/tidy/compile_commands.json ]; then
  "$python" -m cmake -S . -B build/tidy -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DTREEPROOF_DEV=ON \
    -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" > /dev/null
fi
printf '%s\0' "${existing[@]}" \
  | xargs -0 -n 1 -P "${JOBS:-$(nproc)}" "$tidy" -p build/tidy --quiet \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-deprecated-declarations
