#!/usr/bin/env bash
# Writes this machine's settings of npm and apt to files in a folder, for the build of the image: docker and
# buildah mount them as secrets while a step runs, and no layer contains them. docker/with_settings.sh uses
# them inside the build. A file without content is not written.
#
#   docker/host_settings.sh FOLDER
#
#   npmrc      npm's settings: registry, scopes, logins, proxies; without settings that name files here
#   ca         certificates that npm, Node or OpenSSL trust here beside the usual ones, PEM
#   apt_conf   apt's Acquire settings: proxies, timeouts
#   apt_auth   apt's logins
#
# npm and apt obey http_proxy, https_proxy and no_proxy of the environment where they have no own proxies. A
# build does not get this environment, so npmrc and apt_conf contain them. Their names have either case.
set -euo pipefail
folder=${1:?usage: host_settings.sh FOLDER}
apt_etc=${TAKT_APT_ETC:-/etc/apt}
mkdir -p "$folder"
chmod 700 "$folder"

# Settings whose values are files or folders of this machine mean nothing in the image.
is_local() {
  case $1 in
    cafile | cache | prefix | nodedir | userconfig | globalconfig | tmp | logs-dir) return 0 ;;
    shell | script-shell | editor | node-options | python | init-module | init.module) return 0 ;;
    *) return 1 ;;
  esac
}

# npm reads the global file, then the user's, then the environment; the last value of a key wins.
npm_settings() {
  local file name key
  for name in globalconfig userconfig; do
    file=$(npm config get "$name" 2>/dev/null || true)
    [ ! -f "$file" ] || { cat "$file"; echo; }
  done
  while IFS= read -r name; do
    key=${name:11} key=${key,,}
    printf '%s=%s\n' "${key//_/-}" "${!name}"
  done < <(compgen -e | grep -iE '^npm_config_(registry|proxy|https_proxy|noproxy|strict_ssl)$' || true)
}

# Replaces ${NAME} as npm does: by the variable's value, if there is one.
expand() {
  local text=$1 out='' name
  while [[ $text =~ ^([^$]*)\$\{([A-Za-z_][A-Za-z0-9_]*)\}(.*)$ ]]; do
    name=${BASH_REMATCH[2]}
    out+=${BASH_REMATCH[1]}
    text=${BASH_REMATCH[3]}
    if [ -n "${!name+x}" ]; then out+=${!name}; else out+="\${$name}"; fi
  done
  printf '%s\n' "$out$text"
}

# A setting of the environment whose name may have either case.
environment() {
  local upper=${1^^}
  printf '%s' "${!1:-${!upper:-}}"
}

own_npmrc() {
  local line key
  npm_settings | while IFS= read -r line; do
    key=${line%%=*} key=${key%%[[:space:]]*}
    case $key in '' | '#'* | ';'*) continue ;; esac
    is_local "$key" || expand "$line"
  done
}

# npm uses http_proxy for https too if there is no https_proxy.
write_npmrc() {
  local own key value
  own=$(own_npmrc)
  [ -z "$own" ] || printf '%s\n' "$own"
  for key in proxy https-proxy noproxy; do
    case $key in
      proxy) value=$(environment http_proxy) ;;
      https-proxy) value=$(environment https_proxy) value=${value:-$(environment http_proxy)} ;;
      noproxy) value=$(environment no_proxy) ;;
    esac
    if [ -n "$value" ] && ! grep -qE "^$key(\[\])?[[:space:]]*=" <<<"$own"; then
      printf '%s=%s\n' "$key" "$value"
    fi
  done
}

# A file counts once, whatever names it has.
write_certificates() {
  local cafile file seen=()
  cafile=$(npm config get cafile 2>/dev/null || true)
  for file in "$cafile" "${NODE_EXTRA_CA_CERTS:-}" "${SSL_CERT_FILE:-}"; do
    [ -f "$file" ] || continue
    file=$(readlink -f "$file")
    case " ${seen[*]} " in *" $file "*) continue ;; esac
    seen+=("$file")
    cat "$file"
    echo
  done
}

own_apt_conf() {
  command -v apt-config >/dev/null || return 0
  # Check settings of a snapshot and names of files stay here.
  apt-config dump --format '%F "%v";%n' Acquire 2>/dev/null |
    grep -E '^Acquire::([a-z]+::)?(Proxy|Timeout|Retries|ForceIPv4|Verify-(Peer|Host))[A-Za-z:.-]* ' || true
}

# apt's own proxy for https is the one for http if there is no other; that of the environment is not. apt has
# a proxy of its own for a host by its name, so no_proxy is a line for each host; patterns are left out.
write_apt_conf() {
  local own http https host
  own=$(own_apt_conf)
  [ -z "$own" ] || printf '%s\n' "$own"
  ! grep -q '^Acquire::https\?::Proxy ' <<<"$own" || return 0
  http=$(environment http_proxy) https=$(environment https_proxy)
  [ -n "$http$https" ] || return 0
  printf 'Acquire::http::Proxy "%s";\nAcquire::https::Proxy "%s";\n' "${http:-DIRECT}" "${https:-DIRECT}"
  while IFS= read -r host; do
    printf 'Acquire::http::Proxy::%s "DIRECT";\nAcquire::https::Proxy::%s "DIRECT";\n' "$host" "$host"
  done < <(environment no_proxy | tr ', ' '\n\n' | grep -E '^[A-Za-z0-9][A-Za-z0-9.-]*$' || true)
}

write_apt_auth() {
  local file
  for file in "$apt_etc"/auth.conf "$apt_etc"/auth.conf.d/*.conf; do
    [ ! -f "$file" ] || cat "$file"
  done
}

write() {
  (umask 077 && "$2" >"$folder/$1")
  [ -s "$folder/$1" ] || rm "$folder/$1"
}
write npmrc write_npmrc
write ca write_certificates
write apt_conf write_apt_conf
write apt_auth write_apt_auth
