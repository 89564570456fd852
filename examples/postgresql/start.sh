#!/bin/sh
# PostgreSQL and a sidecar beside it, until Ctrl-C, with a copy of the settings to play with in /tmp/pg.
set -e
here=$(dirname "$0")
driftless=$here/../../driftless
PATH=$PATH:$(echo /usr/lib/postgresql/*/bin | tr ' ' :)
mkdir -p /tmp/pg
if [ "$(id -u)" = 0 ]; then
  # PostgreSQL refuses to be root. The right to read is for a checkout that only root can read.
  chown nobody /tmp/pg
  exec setpriv --reuid=nobody --regid=nogroup --clear-groups \
    --inh-caps=+dac_read_search --ambient-caps=+dac_read_search "$0"
fi
mkdir -p /tmp/pg/run
cp -R "$here/base" "$here/team" /tmp/pg
if ! [ -e /tmp/pg/data ]; then
  initdb -D /tmp/pg/data -U postgres -A trust --no-locale -E UTF8 --no-sync > /dev/null
  echo "include_dir '/tmp/pg/live'" >> /tmp/pg/data/postgresql.conf
fi

# What an init container is in a pod: PostgreSQL finds its settings.
"$driftless" sidecar -f "$here/compose.yaml" --once --timeout 20s
postgres -D /tmp/pg/data -k /tmp/pg/run -c listen_addresses= &
postgres=$!
"$driftless" sidecar -f "$here/compose.yaml" &
# INT: a fast shutdown, which does not wait for clients.
trap 'kill $! || :; kill -INT $postgres || :; wait' EXIT
trap exit INT TERM
wait $postgres
