// Where the source tree is: named by the build, else the tests are run in it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const source_dir = process.env.TAKT_SOURCE_DIR ?? fileURLToPath(new URL("../../../../", import.meta.url));

export function source_text(path) {
  return readFileSync(join(source_dir, path), "utf8");
}
export function source_bytes(path) {
  return new Uint8Array(readFileSync(join(source_dir, path)));
}
