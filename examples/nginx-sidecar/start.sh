#!/bin/sh
# nginx and a sidecar beside it, until Ctrl-C, with a copy of the configuration to play with in /tmp/web.
set -e
here=$(dirname "$0")
driftless=$here/../../driftless
mkdir -p /tmp/web/run
cp -R "$here/config" /tmp/web

# What an init container is in a pod: nginx finds a configuration.
"$driftless" sidecar -f "$here/compose.yaml" --once --timeout 20s
nginx -e stderr -c /tmp/web/live/nginx.conf &
nginx=$!
"$driftless" sidecar -f "$here/compose.yaml" &
trap 'kill $nginx $! || :; wait' EXIT
trap exit INT TERM
wait $nginx
