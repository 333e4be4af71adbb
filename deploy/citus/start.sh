#!/bin/sh
# Entry of a Citus node: writes the passwords by which nodes call one another into a file of tmpfs, then starts.
set -eu
umask 077
password() { # name the role of a secret in the format of .pgpass
    printf '*:*:*:%s:%s\n' "$1" "$(cat "/run/secrets/$2")"
}
{ password postgres postgres_password; password toldonce toldonce_password; } > "$PGPASSFILE"
chown postgres "$PGPASSFILE"
exec docker-entrypoint.sh "$@"
