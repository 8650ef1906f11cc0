// Path of the source tree: TAKT_SOURCE_DIR of the build, else relative to this file.
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
