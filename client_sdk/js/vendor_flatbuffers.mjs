// Copies the FlatBuffers runtime beside the compiled SDK, so that a browser loads it without a bundler and
// without an import map. The npm package has a CommonJS entry for Node and an ES module that only bundlers
// find. The files are unchanged; two imports of the SDK refer to them.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";

const packageRoot = new URL(".", import.meta.url);
const from = new URL("node_modules/flatbuffers/", packageRoot);
const to = new URL("dist/vendor/flatbuffers/", packageRoot);
const importers = { "message_writer.js": "./vendor", "service/request.js": "../vendor" };

mkdirSync(to, { recursive: true });
// The files that builder.js imports.
for (const file of ["builder.js", "byte-buffer.js", "constants.js", "encoding.js", "utils.js"]) {
  copyFileSync(new URL(`mjs/${file}`, from), new URL(file, to));
}
copyFileSync(new URL("LICENSE.txt", from), new URL("LICENSE.txt", to));

for (const [name, vendor] of Object.entries(importers)) {
  const importer = new URL(`dist/${name}`, packageRoot);
  const source = readFileSync(importer, "utf8");
  const changed = source.replace('from "flatbuffers"', `from "${vendor}/flatbuffers/builder.js"`);
  if (changed === source) {
    throw new Error(`dist/${name} does not import from "flatbuffers"; was it built by tsc just now?`);
  }
  writeFileSync(importer, changed);
}
