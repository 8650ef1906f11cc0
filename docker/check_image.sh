#!/usr/bin/env bash
# Builds the container and proves it: the server runs in it as the image says, a bot joins from the same image
# over UDP and then TCP, the viewer's page comes over HTTP, and all end with exit code 0. The build gets this
# machine's settings of npm and apt as secrets (docker/host_settings.sh). docker/check_layers.sh fails if the
# image contains one. Uses docker where an engine answers, else buildah, which needs no engine.
# Run it as ./dev image.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

image=takt
base=debian:12-slim
port=${TAKT_IMAGE_PORT:-17777}
scene=/usr/local/share/takt/scenes/playground.json
work=$(mktemp -d)
settings=$work/settings

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'takt: image: %s\n' "$*" >&2; exit 1; }
# Exit code 77: the machine cannot build any image. ./dev check skips the stage then.
cannot() { printf 'takt: image: %s\n' "$*" >&2; exit 77; }

# The options of a build that hand the settings in.
secret_options() {
  local file
  for file in "$settings"/*; do
    [ ! -f "$file" ] || printf '%s\n' "--secret" "id=${file##*/},src=$file"
  done
}

build_failed() {
  local registry
  registry=$(npm config get registry 2>/dev/null || echo "npm's own")
  cat >&2 <<TXT
takt: image: the build failed; its output is above.
The build had these settings of this machine: $(ls "$settings" | xargs). If its npm ci failed, check that this
machine's npm works ($registry): npm ping. Registry and certificates come from 'npm config set registry URL',
'npm config set cafile FILE' or NODE_EXTRA_CA_CERTS=FILE. If its apt-get failed, check 'apt-get update' here:
proxies and logins come from /etc/apt/apt.conf.d and /etc/apt/auth.conf.d. Where npm has no registry at all,
-DTAKT_JS=OFF in docker/Dockerfile builds an image without the viewer.
TXT
  exit 1
}

with_docker() {
  local options
  mapfile -t options < <(secret_options)
  # The engine pulls the base by itself. A proxy or registry on this machine's loopback needs its network.
  DOCKER_BUILDKIT=1 docker build --network host "${options[@]}" --file docker/Dockerfile --tag "$image" . ||
    build_failed
  server() { docker run --rm --name takt-image-check --network host "$image" "$@"; }
  client() { docker run --rm --network host "$image" "$@"; }
  export_image() { docker save "$image" --output "$1"; }
}

with_buildah() {
  command -v buildah >/dev/null || cannot "neither docker nor buildah is here; run ./dev setup image"
  export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
  local options
  if ! buildah inspect --type image "localhost/$base" >/dev/null 2>&1; then
    make_base
  fi
  container=$(buildah from --pull-never "localhost/$base")
  buildah run "$container" -- true || cannot "buildah runs no command in $base here; its reason is above"
  buildah rm "$container" >/dev/null
  mapfile -t options < <(secret_options)
  buildah build --pull-never "${options[@]}" --file docker/Dockerfile --tag "localhost/$image" . ||
    build_failed
  container=$(buildah from --pull-never "localhost/$image")
  trap 'buildah rm "$container" >/dev/null; rm -rf "$work"' EXIT
  server() { buildah run "$container" -- takt "$@"; }
  client() { buildah run "$container" -- takt "$@"; }
  export_image() { buildah push --quiet "localhost/$image" "docker-archive:$1"; }
}

# A base image from Debian's own packages, for a machine that can reach no image registry.
make_base() {
  command -v debootstrap >/dev/null || cannot "debootstrap is missing; run ./dev setup image"
  [ "$(id -u)" = 0 ] || cannot "making the base image with debootstrap needs root"
  say "making $base with debootstrap"
  local mirror
  # This machine's own mirror, if it has one of this release; else debootstrap's.
  mirror=$(apt-cache policy | awk '$3 == "bookworm/main" && !found { print $2; found = 1 }')
  # shellcheck disable=SC2086 # an empty mirror is no argument
  debootstrap --variant=minbase bookworm "$work/base" $mirror >"$work/debootstrap.log" 2>&1 || {
    tail -n 20 "$work/debootstrap.log" >&2
    cannot "debootstrap failed: it needs a Debian mirror (${mirror:-its default}); the reason is above"
  }
  rm -rf "$work/base"/var/cache/apt/archives/*.deb "$work/base"/var/lib/apt/lists/* \
    "$work/base"/usr/share/{doc,man,locale}
  local container
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$work/base" / >/dev/null
  buildah config --cmd bash "$container"
  buildah commit --quiet "$container" "localhost/$base" >/dev/null
  buildah rm "$container" >/dev/null
  rm -rf "$work/base"
}

# The viewer's page, through bash's own sockets: the machine may have no curl.
fetch_page() {
  say "the viewer's page"
  exec 3<>"/dev/tcp/127.0.0.1/$((port + 1))"
  printf 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' >&3
  cat <&3 >"$work/page" || true
  exec 3<&- 3>&-
  grep -q 'id="world"' "$work/page" || {
    head -n 20 "$work/page" >&2
    die "the image serves no viewer"
  }
}

check() {
  local server_exit=0 transport
  server serve --scene "$scene" --port "$port" --http "$((port + 1))" --for 12 >"$work/server.log" 2>&1 &
  local server_job=$!
  for _ in $(seq 50); do
    grep -q "$port" "$work/server.log" && break
    kill -0 "$server_job" 2>/dev/null || break
    sleep 0.2
  done
  for transport in --udp --tcp; do
    say "bot $transport"
    client bot --connect "127.0.0.1:$port" "$transport" --for 3 || {
      cat "$work/server.log" >&2
      die "the bot failed over $transport"
    }
  done
  fetch_page
  wait "$server_job" || server_exit=$?
  cat "$work/server.log"
  [ "$server_exit" = 0 ] || die "the server ended with exit code $server_exit"
  say "the image is good"
}

trap 'rm -rf "$work"' EXIT
docker/host_settings.sh "$settings"
if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
  with_docker
else
  with_buildah
fi
say "layers"
export_image "$work/image.tar"
docker/check_layers.sh "$work/image.tar" "$settings"
rm "$work/image.tar"
check
