import assert from "node:assert/strict";
import { test } from "node:test";
import { gameText } from "../dist/game_text.js";
import { noticeText, refusalText } from "../dist/notices.js";

const bytes = (text) => new TextEncoder().encode(text);

test("the text of a game's message is its UTF-8", () => {
  assert.equal(gameText(bytes("goal for Jürgen: 3")), "goal for Jürgen: 3");
});

test("bytes that are no printable text have none", () => {
  for (const wrong of [[], [0xff, 0xfe], [1], [0x41, 0x0a], [0xc2, 0x85], [0xc3]]) {
    assert.equal(gameText(Uint8Array.from(wrong)), null, String(wrong));
  }
});

test("a refusal shows the game's words, then the exact reason, then the status", () => {
  const outcome = { type: "commandOutcome", sequence: 1, tick: 2, status: "refused_invalid" };
  const words = "Not your turn.";
  assert.equal(refusalText({ ...outcome, refusal: "game_refused", text: words }), words);
  assert.equal(refusalText({ ...outcome, refusal: "not_dynamic", text: "" }), "That body cannot be moved.");
  // A server of before these fields.
  const untold = { ...outcome, refusal: "none", text: "" };
  assert.equal(refusalText(untold), "The server cannot use that command.");
  assert.equal(refusalText({ ...untold, status: "moved" }), undefined);
});

test("a game that sends numbers as bytes gives no notice", () => {
  const noticeOf = (...sent) => noticeText({ type: "gameMessage", tick: 1, bytes: Uint8Array.from(sent) });
  for (let length = 0; length < 20; ++length) {
    assert.equal(noticeOf(...Array.from({ length }, (_, i) => i)), undefined);
  }
  assert.equal(noticeOf(...bytes("goal")), "goal");
});

test("a refused control and a failure of the client are notices; other events are none", () => {
  const answer = { type: "controlResult", request: 1, status: "failed", text: "The disk is full." };
  assert.equal(noticeText(answer), "The server could not do that. The disk is full.");
  assert.equal(noticeText({ ...answer, status: "applied", text: "" }), undefined);
  const error = (code) => ({ type: "error", error: Object.assign(new Error("words"), { code }) });
  assert.equal(noticeText(error("corrupt-message")), "words");
  assert.equal(noticeText(error("connection-lost")), undefined);
  assert.equal(noticeText({ type: "serverReport" }), undefined);
});
