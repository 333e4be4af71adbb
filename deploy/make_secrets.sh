#!/bin/sh
# Make the files that compose.yaml and compose.citus.yaml mount as secrets, in deploy/secrets; what is there is kept.
set -eu
folder="$(dirname "$0")/secrets"
umask 077
mkdir -p "$folder"
made() { # write a file unless it is there
    [ -s "$folder/$1" ] || printf '%s\n' "$2" > "$folder/$1"
}
made postgres_password "$(openssl rand -hex 24)"
made toldonce_password "$(openssl rand -hex 24)"
made database_url "postgresql://toldonce:$(cat "$folder/toldonce_password")@postgres:5432/toldonce"
made citus_database_url "postgresql://toldonce:$(cat "$folder/toldonce_password")@coordinator:5432/toldonce"
made jwt_secret "$(openssl rand -hex 32)"
made session_secret "$(openssl rand -hex 32)"
# The folder is closed to other users of this machine; containers, which run as another user, get single files of it.
chmod 444 "$folder"/*
echo "Made $folder; give the chat client the content of $folder/jwt_secret."
