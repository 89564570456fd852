#!/bin/sh
# Redis under `driftless run`, until Ctrl-C, with a copy of the configuration to play with in /tmp/cache.
set -e
here=$(dirname "$0")
mkdir -p /tmp/cache/data
cp -R "$here/config" /tmp/cache
exec "$here/../../driftless" run --watch /tmp/cache/config \
  --ready 'exec:redis-cli -p 6390 -e ping' --listen 127.0.0.1:8085 \
  -- redis-server '{snapshot}/redis.conf'
