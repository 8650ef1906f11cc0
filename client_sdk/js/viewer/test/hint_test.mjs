// Texts of the page that depend on the room: the hint, the reason without a list of scenes, sleeping colours.
import assert from "node:assert/strict";
import { test } from "node:test";
import { colourOf, dimmed } from "../dist/body_colour.js";
import { whyNoScenes } from "../dist/controls.js";
import { hintText } from "../dist/hint.js";
import { splitTitle } from "../dist/title.js";

const kLive = {
  isPlayback: false,
  isPaused: false,
  isAdmin: true,
  isTouch: false,
  sceneCount: 25,
  isAsleep: false,
  hasFloor: true,
};

test("the hint names dragging, throwing and scenes, as far as the person can do them", () => {
  assert.equal(hintText(kLive), "Drag a body, press space to throw a ball, or pick another scene.");
  assert.doesNotMatch(hintText({ ...kLive, isAdmin: false }), /scene/);
  assert.doesNotMatch(hintText({ ...kLive, sceneCount: 1 }), /scene/);
  assert.doesNotMatch(hintText({ ...kLive, isTouch: true }), /press|key|space/);
  assert.equal(
    hintText({ ...kLive, isTouch: true }),
    "Drag a body, tap ● to throw a ball, pinch to zoom, or pick another scene.",
  );
  assert.match(hintText({ ...kLive, isAsleep: true }), /^At rest: drag/);
  assert.match(hintText({ ...kLive, isPaused: true }), /paused: press P/);
  assert.match(hintText({ ...kLive, isPlayback: true }), /time line/);
  assert.doesNotMatch(hintText({ ...kLive, isPlayback: true, isAdmin: false }), /time line/);
});

test("a scene without a floor says so, asleep or awake", () => {
  assert.match(hintText({ ...kLive, hasFloor: false }), /^No floor: drag a body/);
  assert.match(hintText({ ...kLive, hasFloor: false, isAsleep: true }), /^No floor: drag a body/);
});

test("every hint is one sentence that fits a phone's two lines", () => {
  for (let bits = 0; bits < 64; ++bits) {
    const flag = (bit) => (bits & (1 << bit)) !== 0;
    const text = hintText({
      isPlayback: flag(0),
      isPaused: flag(1),
      isAdmin: flag(2),
      isTouch: flag(3),
      isAsleep: flag(4),
      hasFloor: flag(5),
      sceneCount: 9,
    });
    assert.ok(text.length <= 84 && text.endsWith("."), text);
  }
});

test("without a list of scenes the page says why", () => {
  assert.equal(whyNoScenes({ isPlayback: false, scenes: ["a", "b"] }), "");
  assert.match(whyNoScenes({ isPlayback: false, scenes: [] }), /--scenes FOLDER/);
  assert.match(whyNoScenes({ isPlayback: true, scenes: ["a", "b"] }), /recording/);
});

test("a sleeping body keeps more than four fifths of its brightness, and differs from itself awake", () => {
  const brightness = ({ r, g, b }) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  for (let number = 0; number < 200; ++number) {
    const awake = colourOf(number),
      asleep = dimmed(awake);
    assert.ok(brightness(asleep) > 0.8 * brightness(awake), `colour ${number}`);
    assert.ok(Math.hypot(awake.r - asleep.r, awake.g - asleep.g, awake.b - asleep.b) > 0.04);
  }
});

test("a title is a name and what is to be seen, parted at its first colon", () => {
  assert.deepEqual(splitTitle("Ropes: a swing, a pulley"), ["Ropes", "a swing, a pulley"]);
  assert.deepEqual(splitTitle("Wild: a: b"), ["Wild", "a: b"]);
  assert.deepEqual(splitTitle("Pyramid, base 20"), ["Pyramid, base 20", ""]);
  assert.deepEqual(splitTitle("12:30"), ["12:30", ""]);
  assert.deepEqual(splitTitle(": nothing"), [": nothing", ""]);
});
