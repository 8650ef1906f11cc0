import assert from "node:assert/strict";
import { test } from "node:test";
import { isToken, tokenOfFragment } from "../dist/token_form.js";

const token = `takt1_${"A".repeat(308)}`;

test("a token is the prefix and base64url of a possible length", () => {
  assert.ok(isToken(token));
  for (const wrong of ["", "takt1_", `takt2_${"A".repeat(308)}`, `${token}=`, `${token}A`, `${token} `]) {
    assert.ok(!isToken(wrong), wrong);
  }
  assert.ok(!isToken(`takt1_${"A".repeat(80)}`));
  assert.ok(!isToken(`takt1_${"A".repeat(1600)}`));
});

test("the fragment has a token by its name alone", () => {
  assert.equal(tokenOfFragment(`#token=${token}`), token);
  assert.equal(tokenOfFragment(`#a=b&token=${token}`), token);
  for (const other of ["", "#", "#token=", "#token=takt1_", `#${token}`, `#other=${token}`]) {
    assert.equal(tokenOfFragment(other), undefined, other);
  }
});
