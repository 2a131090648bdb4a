#!/bin/sh
# Brings a running installation of docker-compose.yml to the version of this folder: sh deploy/compose/update.sh
# New api containers are ready before old ones drain, so no request is refused.
set -eu
docker compose build
docker compose run --rm migrate
docker compose up --detach --no-deps --wait sms-worker dlr-worker chatapp-worker otp-worker
old=$(docker compose ps --quiet api)
count=$(printf '%s\n' "$old" | wc -l)
docker compose up --detach --no-deps --no-recreate --wait --scale api=$((count * 2)) api
for container in $old; do
  docker stop --time 30 "$container"
  docker rm "$container"
done
docker compose up --detach --no-deps --no-recreate --scale api="$count" api
