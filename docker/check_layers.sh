#!/usr/bin/env bash
# Fails if a layer or the configuration of a saved image contains a secret of npm's or apt's settings. The
# image is an archive with manifest.json, as `docker save` and `buildah push docker-archive:` write it. The
# settings are the folder of docker/host_settings.sh. Short lines are no secrets: a secret has 16 characters.
#
#   docker/check_layers.sh IMAGE.tar SETTINGS
set -euo pipefail
image=${1:?usage: check_layers.sh IMAGE.tar SETTINGS}
settings=${2:?usage: check_layers.sh IMAGE.tar SETTINGS}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

die() { printf 'takt: image: %s\n' "$*" >&2; exit 1; }

# The lines of logins and of npm's settings, apt's proxies, and each URL with a password: a program may write
# that one without the rest of its line.
secrets() {
  local file
  for file in "$settings"/npmrc "$settings"/apt_auth; do [ ! -f "$file" ] || cat "$file"; done
  for file in "$settings"/npmrc "$settings"/apt_conf; do
    [ ! -f "$file" ] || grep --only-matching --extended-regexp '[a-z]+://[^/@" ]+:[^/@" ]+@[^/" ]+' "$file" ||
      true
  done
  [ ! -f "$settings/apt_conf" ] || grep 'Proxy' "$settings/apt_conf" || true
}

# The number of lines of stdin with a secret. It reads all of stdin: a writer that loses its reader fails.
count_secrets() {
  grep --count --text --fixed-strings --file "$work/secrets" || [ $? = 1 ]
}

# The paths that manifest.json has under a key: one text or a list of texts.
paths_of() {
  tr -d '\n' <"$work/image/manifest.json" |
    grep --only-matching --extended-regexp "\"$1\" *: *(\"[^\"]*\"|\[[^]]*\])" |
    sed -E 's/^"[^"]*" *://' | grep --only-matching --extended-regexp '"[^"]+"' | tr -d '"' || true
}

secrets | grep --extended-regexp '.{16,}' | sort --unique >"$work/secrets" || true
if [ ! -s "$work/secrets" ]; then
  echo "== layers: this machine's settings have no secret to search" >&2
  exit 0
fi
mkdir "$work/image"
tar --extract --file "$image" --directory "$work/image"
[ -f "$work/image/manifest.json" ] || die "$image has no manifest.json; the layers were not searched"
mapfile -t layers < <(paths_of Layers)
[ "${#layers[@]}" -gt 0 ] || die "manifest.json of $image names no layer; none was searched"
for layer in "${layers[@]}"; do
  [ -f "$work/image/$layer" ] || die "$image lacks its layer $layer; it was not searched"
  count=$(tar --extract --to-stdout --file "$work/image/$layer" | count_secrets) ||
    die "the layer $layer of $image cannot be read; it was not searched"
  [ "$count" = 0 ] || die "the layer $layer contains a setting of npm or apt of this machine"
done
while IFS= read -r config; do
  count=$(count_secrets <"$work/image/$config") || die "$image lacks its configuration $config"
  [ "$count" = 0 ] || die "the configuration $config contains a setting of npm or apt of this machine"
done < <(paths_of Config)
echo "== layers: ${#layers[@]} searched for $(wc -l <"$work/secrets") secrets" >&2
