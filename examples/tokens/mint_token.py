#!/usr/bin/env python3
"""A back end in Python that mints connect tokens of Takt with PyNaCl (Debian: python3-nacl).

usage: mint_token.py KEYS USER [NAME [HOST:PORT...]]
KEYS is the file of `takt token keygen`. The token goes to stdout. docs/TOKENS.md has the byte layout.
"""
import base64
import os
import re
import struct
import sys
import time

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as seal


def read_newest_key(path):
    """Returns id and bytes of the key with the greatest id."""
    with open(path, encoding="ascii") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    key_id, text = max((int(key_id), text) for key_id, text in lines)
    return key_id, base64.urlsafe_b64decode(text + "=")


def mint_token(key_id, key, user_id, issued_s, expires_s, *, room_id=0, spectator=False, admin=False,
               modes=15, bodies_max=0, commands_per_s_max=0, grace_s=30, name="", servers=(),
               user_data=b"", random=None):
    """Returns the text of a token. `random` is for tests: 88 bytes that no other token has."""
    random = random or os.urandom(88)
    nonce, session_keys = random[:24], random[24:]
    text, name = name, name.encode()
    sealed_bytes = 166 + len(name) + len(user_data) + sum(1 + len(server) for server in servers)
    if not (0 < user_id < 2**64 and 0 < expires_s - issued_s <= 400 * 24 * 3600 and 0 < modes < 16
            and len(name) <= 32 and not re.search("[\0-\x1f\x7f-\x9f]", text) and len(user_data) <= 256
            and len(servers) <= 8 and all(re.fullmatch("[!-~]{1,255}", server) for server in servers)
            and sealed_bytes <= 912):
        raise ValueError("a claim is outside its range; docs/TOKENS.md has the ranges")
    claims = struct.pack("<QQQBBBBIIIH", user_id, room_id, issued_s, bool(spectator), bool(admin), modes,
                         len(name), bodies_max, commands_per_s_max, grace_s, len(user_data))
    claims += session_keys + name + user_data
    listed = b"".join(bytes([len(server)]) + server.encode() for server in servers)
    header = struct.pack("<4sBBHIQ", b"TKCT", 1, len(servers), sealed_bytes, key_id, expires_s)
    header += nonce + listed
    token = session_keys + header + seal(claims, header, nonce, key)
    return "takt1_" + base64.urlsafe_b64encode(token).rstrip(b"=").decode()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    now = int(time.time())
    print(mint_token(*read_newest_key(sys.argv[1]), int(sys.argv[2]), now, now + 3600,
                     name="".join(sys.argv[3:4]), servers=sys.argv[4:]))
