#!/usr/bin/env bash
# Builds the container and proves it: the server runs in it as the image says, a bot joins from the same image over UDP and then TCP, the health
# check passes, and both end with exit code 0. Uses docker where an engine answers, else buildah, which needs no engine.
# Run it as ./dev image.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

image=takt
base=debian:12-slim
port=${TAKT_IMAGE_PORT:-17777}
scene=/usr/local/share/takt/scenes/pyramid.json
work=$(mktemp -d)

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'takt: image: %s\n' "$*" >&2; exit 1; }

with_docker() {
  # The engine pulls the base by itself.
  docker build --file docker/Dockerfile --tag "$image" .
  server() { docker run --rm --name takt-image-check --network host "$image" "$@"; }
  client() { docker run --rm --network host "$image" "$@"; }
}

with_buildah() {
  command -v buildah >/dev/null || die "neither docker nor buildah is here; run ./dev setup image"
  export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
  if ! buildah inspect --type image "localhost/$base" >/dev/null 2>&1; then
    make_base
  fi
  buildah build --pull-never --file docker/Dockerfile --tag "localhost/$image" .
  container=$(buildah from --pull-never "localhost/$image")
  trap 'buildah rm "$container" >/dev/null; rm -rf "$work"' EXIT
  server() { buildah run "$container" -- takt "$@"; }
  client() { buildah run "$container" -- takt "$@"; }
}

# A base image from Debian's own packages, for a machine that can reach no image registry.
make_base() {
  command -v debootstrap >/dev/null || die "debootstrap is missing; run ./dev setup image"
  [ "$(id -u)" = 0 ] || die "making the base image with debootstrap needs root"
  say "making $base with debootstrap"
  debootstrap --variant=minbase bookworm "$work/base" >"$work/debootstrap.log" 2>&1 || { tail -n 20 "$work/debootstrap.log" >&2; die "debootstrap failed"; }
  rm -rf "$work/base"/var/cache/apt/archives/*.deb "$work/base"/var/lib/apt/lists/* "$work/base"/usr/share/{doc,man,locale}
  local container
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$work/base" / >/dev/null
  buildah config --cmd bash "$container"
  buildah commit --quiet "$container" "localhost/$base" >/dev/null
  buildah rm "$container" >/dev/null
  rm -rf "$work/base"
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
    client bot --connect "127.0.0.1:$port" "$transport" --for 3 || { cat "$work/server.log" >&2; die "the bot failed over $transport"; }
  done
  wait "$server_job" || server_exit=$?
  cat "$work/server.log"
  [ "$server_exit" = 0 ] || die "the server ended with exit code $server_exit"
  say "the image is good"
}

trap 'rm -rf "$work"' EXIT
if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
  with_docker
else
  with_buildah
fi
check
