// The real `takt service` on a Unix socket and a free TCP port, and the scene of the tests of takt.h.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sourceText } from "./source_tree.mjs";
import { Program, program } from "./takt_program.mjs";

export const kScene = JSON.parse(/R"\(([^]*?)\)";/.exec(sourceText("tests/unit/c/c_scene.h"))[1]);

/** A service in a folder of its own. `unix`, `tcp` are its addresses. */
export async function startService(...options) {
  const folder = mkdtempSync(join(tmpdir(), "takt-service-"));
  const unix = `unix:${join(folder, "s")}`;
  const doors = ["--listen", unix, "--listen", "tcp:127.0.0.1:0"];
  const service = new Program(program, ["service", ...doors, ...options]);
  const [, tcp] = await service.waitFor(/^listening on (tcp:\S+)$/m);
  return {
    unix,
    tcp,
    folder,
    pid: service.pid,
    stop: async (signal) => {
      const code = await service.stop(signal);
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}
