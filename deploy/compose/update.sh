#!/bin/sh
# Brings a running installation of docker-compose.yml to the version of this folder: sh deploy/compose/update.sh
# New api containers are ready before old ones drain, so no request is refused. After a failure the old ones serve alone:
# fix its cause, and run this again.
set -eu

# Removes the api containers that this run has started.
undo() {
  for container in $(docker compose ps --quiet api); do
    case $old in *"$container"*) ;; *) docker rm --force "$container" ;; esac
  done
  docker compose rm --force api
}

docker compose build
docker compose run --rm migrate
docker compose up --detach --no-deps --wait sms-worker dlr-worker chatapp-worker otp-worker
# A stopped container would be started again, in its old version.
docker compose rm --force api
old=$(docker compose ps --quiet api)
count=$(printf '%s' "$old" | grep -c . || true)
if [ "$count" -gt 0 ]; then
  trap undo EXIT
  trap 'exit 1' HUP INT TERM
  docker compose up --detach --no-deps --no-recreate --wait --scale api=$((count * 2)) api
  # An update that ended in the loop below would leave old and new ones, which a repeat would double.
  trap '' HUP INT TERM
  trap - EXIT
fi
for container in $old; do
  docker stop --time 30 "$container" || true
  docker rm --force "$container"
done
trap - HUP INT TERM
docker compose up --detach --no-deps --no-recreate --wait api
