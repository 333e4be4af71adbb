#!/bin/sh
# Run once by PostgreSQL's image, in an empty database: makes the user of ToldOnce, who owns its schema and nothing else.
set -eu
ROLE_PASSWORD_FILE="${ROLE_PASSWORD_FILE:-/run/secrets/toldonce_password}"
ROLE_NAME="${ROLE_NAME:-toldonce}"
export ROLE_PASSWORD_FILE ROLE_NAME
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
\getenv role ROLE_NAME
\set password `cat "$ROLE_PASSWORD_FILE"`
CREATE EXTENSION IF NOT EXISTS vector;
CREATE ROLE :"role" LOGIN PASSWORD :'password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE :"DBNAME" TO :"role";
CREATE SCHEMA toldonce AUTHORIZATION :"role";
GRANT pg_checkpoint TO :"role"; -- `toldonce erase --finish --rewrite`
SQL
