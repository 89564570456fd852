#!/bin/sh
# HAProxy and a sidecar beside it, until Ctrl-C, with a copy of the configuration to play with in /tmp/proxy.
set -e
here=$(dirname "$0")
driftless=$here/../../driftless
mkdir -p /tmp/proxy/run
cp -R "$here/config" /tmp/proxy

# What an init container is in a pod: HAProxy finds a configuration.
"$driftless" sidecar -f "$here/compose.yaml" --once --timeout 20s
haproxy -W -p /tmp/proxy/run/haproxy.pid -f /tmp/proxy/live &
haproxy=$!
"$driftless" sidecar -f "$here/compose.yaml" &
trap 'kill $haproxy $! || :; wait' EXIT
trap exit INT TERM
wait $haproxy
