"""Mints the tokens of golden_tokens.txt with examples/tokens/mint_token.py and compares the bytes.

usage: golden_tokens_check.py FOLDER_OF_THE_EXAMPLE GOLDEN_FILE; --print instead of the file prints its lines
"""
import base64
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from mint_token import mint_token  # noqa: E402

# The values of tests/unit/crypto/sample_tokens.h.
KEY = bytes(range(0x80, 0xA0))
RANDOM = bytes(range(0x20, 0x20 + 88))
ISSUED_S = 1764129600
lines = {
    "key": "8 " + base64.urlsafe_b64encode(KEY).rstrip(b"=").decode(),
    "plain": mint_token(8, KEY, 1, ISSUED_S, ISSUED_S + 3600, random=RANDOM),
    "full": mint_token(8, KEY, 0x0102030405060708, ISSUED_S, ISSUED_S + 3600, room_id=42, spectator=True,
                       admin=True, modes=2, bodies_max=64, commands_per_s_max=120, grace_s=45, name="Zoë",
                       servers=["eu1.example.com:7777", "192.0.2.1:7777"], user_data=bytes([1, 0, 255]),
                       random=RANDOM),
}
if sys.argv[2] == "--print":
    for name, line in lines.items():
        print(name, line)
    sys.exit()
with open(sys.argv[2], encoding="ascii") as golden:
    committed = dict(line.rstrip("\n").split(" ", 1) for line in golden if not line.startswith("#"))
for name, line in lines.items():
    if committed.get(name) != line:
        sys.exit(f"{name}: the file has {committed.get(name)}, the example makes {line}")

# What takt::crypto refuses to mint, the example refuses too; one value is changed at a time.
for change in ({"user_id": 0}, {"user_id": 1 << 64}, {"expires_s": ISSUED_S}, {"expires_s": ISSUED_S - 1},
               {"expires_s": ISSUED_S + 400 * 86400 + 1}, {"modes": 0}, {"modes": 16}, {"name": "a" * 33},
               {"name": "a\nb"}, {"name": "\x7f"}, {"name": "\x85"}, {"name": "\ud800"}, {"servers": [""]},
               {"servers": ["a b:1"]}, {"servers": ["z\u00f6e:1"]}, {"servers": ["a:1\n"]},
               {"servers": ["a" * 256]}, {"servers": ["a:1"] * 9}, {"servers": ["a" * 120] * 8},
               {"user_data": bytes(257)}):
    sound = {"user_id": 1, "issued_s": ISSUED_S, "expires_s": ISSUED_S + 400 * 86400}
    mint_token(8, KEY, **sound)
    try:
        mint_token(8, KEY, **(sound | change))
    except ValueError:
        continue
    sys.exit(f"the example mints {change}")

# The longest sealed token has 912 bytes, 166 beside those of servers, name and user data.
sound |= {"user_data": bytes(256), "servers": ["a" * 255, "b" * 233]}
text = mint_token(8, KEY, **sound).removeprefix("takt1_")
if len(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))) != 64 + 912:
    sys.exit("the example mints no token whose sealed part has 912 bytes")
try:
    mint_token(8, KEY, **(sound | {"servers": ["a" * 255, "b" * 234]}))
    sys.exit("the example mints a token whose sealed part has 913 bytes")
except ValueError:
    pass
print("3 lines agree")
