// Where the source tree is: named by the build, else the tests are run in it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const sourceDir =
  process.env.TAKT_SOURCE_DIR ?? fileURLToPath(new URL("../../../../", import.meta.url));

export function sourceText(path) {
  return readFileSync(join(sourceDir, path), "utf8");
}
export function sourceBytes(path) {
  return new Uint8Array(readFileSync(join(sourceDir, path)));
}
