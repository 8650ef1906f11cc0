// Paths of the built files for the browser tests, from environment variables that
// tests/browser/CMakeLists.txt sets.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests with ctest -L browser`);
  return value;
}

export const kProgram = required("TAKT_PROGRAM");
export const kSourceDir = required("TAKT_SOURCE_DIR");
export const kChromium = required("TAKT_CHROMIUM");
export const kScenesDir = join(kSourceDir, "examples", "scenes");
/** Pictures and recordings that a test leaves behind, to be looked at. */
export const kArtefactsDir = required("TAKT_ARTEFACTS_DIR");
mkdirSync(kArtefactsDir, { recursive: true });

const kJsDir = required("TAKT_JS_DIR");
/** The SDK as it was built, for second clients: what the page did is checked from outside of it. */
export const { Client } = await import(pathToFileURL(join(kJsDir, "dist", "index.js")).href);
export const { tcp } = await import(pathToFileURL(join(kJsDir, "dist", "node.js")).href);
export const { chromium } = createRequire(join(kJsDir, "viewer", "package.json"))("playwright-core");
