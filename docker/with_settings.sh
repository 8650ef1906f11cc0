#!/bin/sh
# Runs a command with the settings of npm and apt that a build of the image mounted as secrets
# (docker/host_settings.sh writes them). Without secrets the command runs unchanged.
#
#   with_settings.sh COMMAND [ARGUMENT...]
set -eu
secrets=${TAKT_SECRETS:-/run/secrets}
conf=$(mktemp)
bundle=$(mktemp)
trap 'rm -f "$conf" "$bundle"' EXIT
if [ -s "$secrets/npmrc" ]; then
  export npm_config_userconfig="$secrets/npmrc"
fi
if [ -s "$secrets/ca" ]; then
  export NODE_EXTRA_CA_CERTS="$secrets/ca"
  # Node adds certificates to its own; apt takes one file, so it gets both.
  cat /etc/ssl/certs/ca-certificates.crt "$secrets/ca" >"$bundle" 2>/dev/null || cat "$secrets/ca" >"$bundle"
  chmod 644 "$bundle"
  printf 'Acquire::https::CAInfo "%s";\n' "$bundle" >>"$conf"
fi
if [ -s "$secrets/apt_conf" ]; then
  cat "$secrets/apt_conf" >>"$conf"
fi
if [ -s "$secrets/apt_auth" ]; then
  printf 'Dir::Etc::netrc "%s";\n' "$secrets/apt_auth" >>"$conf"
fi
if [ -s "$conf" ]; then
  chmod 644 "$conf"
  export APT_CONFIG="$conf"
fi
"$@"
