#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks what is in deploy/, each with the tool that knows it; what is not installed is named.
#
#   deploy/check.sh [WEFT]     WEFT: the weft program, to start the container's script for real
#
# Exit: 0 nothing wrong was found, 1 something was.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

ok() { echo "ok       $*"; }
left_out() { echo "left out $*"; }
wrong() {
  echo "WRONG    $*"
  failures=$((failures + 1))
}

# check_unit NAME: the unit as installed, with our drop-in. Programs of ours need not be installed.
check_unit() {
  local unit=$1.service
  if ! command -v systemd-analyze >/dev/null; then
    left_out "$unit: systemd-analyze is not installed"
  elif [ ! -e "/lib/systemd/system/$unit" ]; then
    left_out "$unit: it is not installed"
  else
    mkdir -p "$work/units"
    cp "/lib/systemd/system/$unit" "$work/units/"
    cp -r "systemd/$unit.d" "$work/units/"
    SYSTEMD_UNIT_PATH=$work/units:/lib/systemd/system \
      systemd-analyze verify --man=no --recursive-errors=no "$unit" >"$work/said" 2>&1 || true
    if grep "$unit" "$work/said" >"$work/about_it"; then
      wrong "$unit: $(cat "$work/about_it")"
    else
      ok "$unit: systemd-analyze verify"
    fi
  fi
}

# Every system call that the runtime makes is one that SystemCallFilter=@system-service allows.
check_system_calls() {
  if ! command -v systemd-analyze >/dev/null; then
    left_out "system calls: systemd-analyze is not installed"
    return
  fi
  {
    systemd-analyze syscall-filter @system-service
    for set in $(systemd-analyze syscall-filter @system-service | awk '$1 ~ /^@/ { print $1 }'); do
      [ "$set" = @system-service ] || systemd-analyze syscall-filter "$set"
    done
  } | awk '{ print $1 }' | sort -u >"$work/allowed"
  grep -rhoE 'SYS_[a-z0-9_]+' ../src/sched ../src/fiber ../src/sync ../src/os/waiting |
    sed 's/^SYS_//' | sort -u >"$work/made"
  local outside
  outside=$(comm -23 "$work/made" "$work/allowed" | tr '\n' ' ')
  if [ -n "$outside" ]; then
    wrong "system calls outside of @system-service: $outside"
  else
    ok "system calls: all $(wc -l <"$work/made") of the runtime are in @system-service"
  fi
}

check_kubernetes() {
  if ! command -v kubectl >/dev/null; then
    left_out "kubernetes/mariadb.yaml: kubectl is not installed"
  elif kubectl annotate --local -f kubernetes/mariadb.yaml checked=yes -o name >"$work/said" 2>&1 &&
    [ "$(wc -l <"$work/said")" = 2 ]; then
    ok "kubernetes/mariadb.yaml: kubectl understands both objects"
  else
    wrong "kubernetes/mariadb.yaml: $(cat "$work/said")"
  fi
}

check_links() {
  if ! command -v kubectl >/dev/null; then
    left_out "links/kubernetes: kubectl is not installed"
  else
    local folder
    for folder in base pinned; do
      if kubectl kustomize "links/kubernetes/$folder" >"$work/objects.yaml" 2>"$work/said" &&
        kubectl annotate --local -f "$work/objects.yaml" checked=yes -o name >"$work/said" 2>&1 &&
        [ "$(wc -l <"$work/said")" = 4 ]; then
        ok "links/kubernetes/$folder: kubectl understands all four objects"
      else
        wrong "links/kubernetes/$folder: $(cat "$work/said")"
      fi
    done
  fi
  if ! command -v promtool >/dev/null; then
    left_out "links/alerts.yaml: promtool is not installed"
  elif promtool check rules links/alerts.yaml >"$work/said" 2>&1; then
    ok "links/alerts.yaml: promtool check rules"
  else
    wrong "links/alerts.yaml: $(cat "$work/said")"
  fi
  if ! command -v systemd-analyze >/dev/null; then
    left_out "links/links.service: systemd-analyze is not installed"
  elif systemd-analyze verify --man=no links/links.service 2>&1 |
    grep -v 'is not executable: No such file' | grep 'links.service' >"$work/said"; then
    wrong "links/links.service: $(cat "$work/said")"
  else
    ok "links/links.service: systemd-analyze verify"
  fi
  sh -n links/collect && ok "links/collect: sh -n"
}

# Building the image needs an engine that runs, and the network; CHECK_IMAGE=1 asks for it.
check_container() {
  sh -n container/start && ok "container/start: sh -n"
  local engine
  engine=$(command -v podman || command -v docker || true)
  if [ "${CHECK_IMAGE:-0}" != 1 ] || [ -z "$engine" ] || ! "$engine" info >/dev/null 2>&1; then
    left_out "container/Containerfile: built only with CHECK_IMAGE=1, where podman or docker runs"
  elif "$engine" build -q -f container/Containerfile .. >"$work/said" 2>&1; then
    ok "container/Containerfile: $engine built it"
  else
    wrong "container/Containerfile: $(tail -20 "$work/said")"
  fi
}

# Starts the container's script without a container, with a directory of its own.
check_start() {
  local weft=$1
  if [ "$(id -u)" = 0 ] || ! PATH=$PATH:/usr/sbin command -v mariadbd >/dev/null; then
    left_out "container/start under $weft: needs mariadbd, and a user who is not root"
    return
  fi
  MARIADB_DATADIR=$work/data MARIADB_RUN_DIR=$work/run WEFT_PROGRAM=$weft MARIADB_DATABASE=app \
    PATH=$PATH:/usr/sbin container/start --no-defaults --skip-networking >"$work/said" 2>&1 &
  local server=$! tries=0
  until mariadb-admin --no-defaults --socket="$work/run/mysqld.sock" ping >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] && kill -0 $server 2>/dev/null || break
    sleep 0.2
  done
  if grep -q 'weft-worker' "/proc/$server"/task/*/comm 2>/dev/null && [ -d "$work/data/app" ]; then
    ok "container/start: mariadbd answers under weft, with its database"
  else
    wrong "container/start: $(tail -20 "$work/said")"
  fi
  kill $server 2>/dev/null || true
  wait $server || wrong "container/start: mariadbd ended with $?"
}

check_unit mariadb
check_unit apache2
check_system_calls
check_kubernetes
check_links
check_container
if [ $# -gt 0 ]; then check_start "$1"; fi
[ $failures = 0 ]
