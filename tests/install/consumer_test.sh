#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs weft into a folder and builds a program of ten lines against it, outside of the tree, with
# find_package and with pkg-config; both print the budget. Arguments: SOURCE BUILD.
set -euo pipefail
source_directory=$1
build_directory=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build_directory" --prefix "$prefix" >/dev/null

fail() { echo "consumer_test: $*" >&2; exit 1; }

# The same program for both; it is the example, and nothing of our tree but the installed headers.
cp "$source_directory/examples/print_budget.cc" "$work/main.cc"
mkdir "$work/cmake"
cat >"$work/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer CXX)
find_package(weft 0.1 REQUIRED)
add_executable(consumer ../main.cc)
target_link_libraries(consumer PRIVATE weft::budget)
END
cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
  cmake --build "$work/cmake/build" >>"$work/log" 2>&1 || { cat "$work/log"; fail "find_package"; }

# Moved elsewhere, it must still be found: nothing in it may name the folder it was built for.
mv "$prefix" "$work/moved"
prefix=$work/moved
libdir=$(dirname "$(find "$prefix" -name weft-budget.pc)")
flags=$(PKG_CONFIG_PATH=$libdir pkg-config --cflags --libs weft-budget)
# shellcheck disable=SC2086
g++ -std=c++20 -o "$work/consumer" "$work/main.cc" $flags || fail "pkg-config: $flags"

for program in "$work/cmake/build/consumer" "$work/consumer"; do
  CPU_LIMIT=1500m "$program" | grep -q '^1.5 cores from CPU_LIMIT: a pool of 1 threads$' ||
    fail "$program does not print its budget"
done

"$prefix/bin/weft" --version | grep -q '^weft [0-9]' || fail "no weft program"
[ -s "$prefix/share/man/man1/weft.1" ] || fail "no man page"
bash -n "$prefix/share/bash-completion/completions/weft" || fail "no completion"
! grep -rIlE "$source_directory/(src|include|build)/" "$prefix" || fail "installed files name the source tree"
echo "find_package and pkg-config both work"
