#!/bin/sh
# play_round.sh PROGRAMS SCENE TAKT: plays a round of the outside project's game with its server, its thin client and bots, then checks
# the recordings with its tool. PROGRAMS is the folder of its programs, TAKT the installed program takt. Writes into the working directory.
set -eu
programs=$1
scene=$2
takt=$3

fail() {
  echo "play_round.sh: $1" >&2
  exit 1
}

# expect TEXT FILE: the file has a line that matches.
expect() {
  grep -Eq -- "$1" "$2" || fail "'$1' is not in $2, which has:
$(cat "$2")"
}

# wait_for TEXT FILE: until the file has a line that matches.
wait_for() {
  attempts=0
  until grep -Eq -- "$1" "$2"; do
    attempts=$((attempts + 1))
    [ "$attempts" -le 100 ] || fail "'$1' is not in $2 after 20 s, which has:
$(cat "$2")"
    sleep 0.2
  done
}

# wait_for_port FILE: the port that a server has printed.
wait_for_port() {
  wait_for 'port [0-9]+' "$1"
  port=$(sed -n 's/.*port \([0-9][0-9]*\).*/\1/p' "$1" | head -n 1)
}

server=
bots=
trap 'for one in $server $bots; do kill "$one" 2>/dev/null || :; done' EXIT

# The studio's own server, its client and its bots.
"$programs/hoops_server" "$scene" round.takt > server.txt 2>&1 &
server=$!
wait_for_port server.txt
"$programs/hoops" bot --connect "127.0.0.1:$port" --udp --count 3 --for 6 > bots.txt 2>&1 &
bots=$!
wait_for 'joined 3/3' bots.txt  # the server ends once everybody has left
"$programs/hoops_client" "udp://127.0.0.1:$port" > client.txt 2>&1 || fail "the client ended with $?: $(cat client.txt)"
"$programs/hoops_replica" "udp://127.0.0.1:$port" > replica.txt 2>&1 || fail "the replica ended with $?: $(cat replica.txt)"
wait "$bots" || fail "the bots ended with $?: $(cat bots.txt)"
bots=
wait "$server" || fail "the server ended with $?: $(cat server.txt)"
server=
expect 'the game said: score 1' client.txt
expect 'commands: [1-9][0-9]* sent' bots.txt
expect '5 players joined, [1-9][0-9]* inputs, .* recorded all' server.txt

# The tool knows the game; takt does not, and names it.
"$programs/hoops" replay info round.takt > info.txt
expect 'game +hoops/1' info.txt
expect 'written by hoops_server 1.0' info.txt
"$programs/hoops" replay verify round.takt > verify.txt
expect 'verified [1-9][0-9]* ticks and ([2-9]|[1-9][0-9]+) images' verify.txt
expect 'bit for bit' verify.txt
"$programs/hoops" replay bisect round.takt > bisect.txt
expect 'every tick from 0 to [1-9][0-9]* follows from the image before it' bisect.txt
"$programs/hoops" replay seek round.takt --tick 90 > seek.txt
expect 'tick 90 hash 0x' seek.txt
"$programs/hoops" replay play round.takt --http 0 --for 0.5 > play.txt
expect 'playing round.takt' play.txt
code=0
"$takt" replay verify round.takt > foreign.txt 2>&1 || code=$?
[ "$code" -eq 2 ] || fail "takt replay verify ended with $code, not with 2"
expect '^takt: round.takt: .*\(game hoops/1\); this program has no games' foreign.txt

# The tool serves the game too.
"$programs/hoops" serve --scene "$scene" --bind 127.0.0.1 --port 0 --http 0 --for 4 --record served.takt > serve.txt 2>&1 &
server=$!
wait_for_port serve.txt
"$programs/hoops" bot --connect "127.0.0.1:$port" --tcp --for 2 > bot.txt 2>&1 || fail "the bot ended with $?: $(cat bot.txt)"
wait "$server" || fail "hoops serve ended with $?: $(cat serve.txt)"
server=
expect '^game hoops/1' serve.txt
"$programs/hoops" replay verify served.takt > served.txt
expect 'bit for bit' served.txt
"$programs/hoops" replay info served.takt > served_info.txt
expect 'written by hoops serve 1.0 \(takt ' served_info.txt

# And runs it without a server: a kick makes another state than none.
cat > kick.json <<'END'
{ "inputs": [
  { "tick": 0, "join": { "player": 1, "name": "ann" } },
  { "tick": 10, "player": 1, "custom": { "text": "\u0001" } }
] }
END
grep -v custom kick.json > join.json
"$programs/hoops" run "$scene" --ticks 60 --inputs kick.json --record kick.takt > kick.txt 2>&1 || fail "$(cat kick.txt)"
"$programs/hoops" run "$scene" --ticks 60 --inputs join.json --record join.takt > join.txt 2>&1 || fail "$(cat join.txt)"
code=0
"$programs/hoops" replay diff join.takt kick.takt > diff.txt 2>&1 || code=$?
[ "$code" -eq 1 ] || fail "hoops replay diff ended with $code, not with 1: $(cat diff.txt)"
expect 'first different state: tick 11' diff.txt
code=0
"$programs/hoops" nonsense > nonsense.txt 2>&1 || code=$?
[ "$code" -eq 2 ] || fail "an unknown command ended with $code, not with 2"
expect "^hoops: there is no command 'nonsense'; see 'hoops --help'" nonsense.txt
