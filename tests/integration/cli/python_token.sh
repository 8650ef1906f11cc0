#!/bin/sh
# The back end of examples/tokens/mint_token.py: takt opens its tokens. PYTHON, TAKT, EXAMPLES (their folder).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$TAKT" token keygen "$folder/keys"
"$TAKT" token keygen "$folder/keys"
"$PYTHON" "$EXAMPLES/tokens/mint_token.py" "$folder/keys" 77 Ada a:1 b:2 > "$folder/token"
"$TAKT" token inspect "$folder/token" --keys "$folder/keys" --server b:2 > "$folder/text"
for line in 'key      2' 'servers  a:1 b:2' 'user     77' 'name     Ada' 'role     player'; do
  grep -qx "$line" "$folder/text" || { echo "no line '$line' in:"; cat "$folder/text"; exit 1; }
done
