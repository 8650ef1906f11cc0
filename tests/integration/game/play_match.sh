#!/bin/sh
# play_match.sh CAR_BALL PITCH NUMBERS SECONDS: four bots play the game of examples/game with the commands of its program, in real time. Then
# the recording is verified, follows from every image and passes a sync test. Writes into the working directory.
set -eu
car_ball=$1
pitch=$2
numbers=$3
seconds=$4

fail() {
  echo "play_match.sh: $1" >&2
  exit 1
}

# expect TEXT FILE: the file has a line that matches.
expect() {
  grep -Eq -- "$1" "$2" || fail "'$1' is not in $2, which has:
$(cat "$2")"
}

server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || :' EXIT
rm -f match.takt
: > serve.txt
"$car_ball" serve --scene "$pitch" --numbers "$numbers" --bind 127.0.0.1 --port 0 --http 0 --for "$seconds" --record match.takt > serve.txt 2>&1 &
server=$!
attempts=0
until grep -Eq 'port [0-9]+' serve.txt; do
  attempts=$((attempts + 1))
  [ "$attempts" -le 100 ] || fail "the server prints no port after 20 s: $(cat serve.txt)"
  sleep 0.2
done
port=$(sed -n 's/.*port \([0-9][0-9]*\).*/\1/p' serve.txt | head -n 1)
"$car_ball" bot --connect "127.0.0.1:$port" --udp --count 4 --for "$((seconds - 3))" > bots.txt 2>&1 || fail "the bots ended with $?: $(cat bots.txt)"
wait "$server" || fail "the server ended with $?: $(cat serve.txt)"
server=
expect 'joined 4/4' bots.txt
expect 'commands: [1-9][0-9]* sent.* 0 refused' bots.txt

"$car_ball" replay info match.takt > info.txt
expect 'game +car_ball/1' info.txt
"$car_ball" replay verify match.takt > verify.txt 2>&1 || fail "verify ended with $?: $(cat verify.txt)"
expect 'bit for bit' verify.txt
"$car_ball" replay bisect match.takt > bisect.txt 2>&1 || fail "bisect ended with $?: $(cat bisect.txt)"
expect 'follows from the image before it' bisect.txt
tick=$(sed -n 's/^verified .* tick \([0-9][0-9]*\) hash.*/\1/p' verify.txt)
"$car_ball" replay seek match.takt --tick "$tick" --messages > messages.txt
expect 'you drive for blue' messages.txt

# The same inputs again, each tick three times.
"$car_ball" replay inputs match.takt > inputs.json
"$car_ball" run "$pitch" --numbers "$numbers" --inputs inputs.json --ticks "$tick" --sync-test 2 > sync.txt 2>&1 || fail "the sync test ended with $?: $(cat sync.txt)"
