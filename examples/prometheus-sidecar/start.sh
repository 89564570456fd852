#!/bin/sh
# Prometheus and a sidecar beside it, until Ctrl-C, with a copy of the configuration to play with in /tmp/prom.
set -e
here=$(dirname "$0")
driftless=$here/../../driftless
mkdir -p /tmp/prom
cp -R "$here/base" "$here/teams" "$here/rules" /tmp/prom

# What an init container is in a pod: Prometheus finds a configuration.
"$driftless" sidecar -f "$here/compose.yaml" --once --timeout 20s
prometheus --config.file=/tmp/prom/live/prometheus.yml --storage.tsdb.path=/tmp/prom/data \
  --web.listen-address=127.0.0.1:9092 --web.enable-lifecycle &
prometheus=$!
"$driftless" sidecar -f "$here/compose.yaml" &
trap 'kill $prometheus $! || :; wait' EXIT
trap exit INT TERM
wait $prometheus
