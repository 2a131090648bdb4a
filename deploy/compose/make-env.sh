#!/bin/sh
# Makes the secrets of docker-compose.yml: sh deploy/compose/make-env.sh [file]
# Adds what the file lacks, .env by default, and never changes a value that is there. Only its owner can read it.
set -eu
umask 077
file=${1:-.env}
touch "$file"
chmod 600 "$file"
# A last line without its end would take the first addition.
[ -z "$(tail -c 1 "$file")" ] || echo >> "$file"

add() {
  if grep -q "^$1=" "$file"; then return; fi
  printf '%s=%s\n' "$1" "$2" >> "$file"
  echo "$1 added to $file"
}

key() {
  head -c 32 /dev/urandom | base64
}

word() {
  head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'
}

add SECRETS_KEY "$(key)"
add OTP_PEPPER "$(key)"
add POSTGRES_PASSWORD "$(word)"
add REDIS_PASSWORD "$(word)"
add CALLBACK_SECRETS "chat-simulator:$(word)"
add GRAFANA_PASSWORD "$(word)"
