// RecordingFile is the file of a recording, which this process writes. A regular file gets its name once the
// recording has begun, and replaces an existing one then. Writes act in their order.
import type { FileHandle } from "node:fs/promises";
import { open, realpath, rename, rm, stat } from "node:fs/promises";

import { TaktError } from "../error.js";

/** Temporary names; a process that was killed leaves one. */
const kMaxAttempts = 1000;

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}

export class RecordingFile {
  private readonly path: string;
  private readonly temporary: string | null;
  private readonly handle: FileHandle;

  private constructor(path: string, temporary: string | null, handle: FileHandle) {
    this.path = path;
    this.temporary = temporary;
    this.handle = handle;
  }

  /** Opens a temporary file beside the file to which `path` leads, or a device or a pipe. */
  static async create(path: string): Promise<RecordingFile> {
    let target = path;
    let mode = 0o666;
    try {
      const present = await stat(path);
      // A rename needs no permission of the file that it replaces, so a read-only file is refused here.
      const handle = await open(path, present.isFile() ? "r+" : "w");
      if (!present.isFile()) return new RecordingFile(path, null, handle);
      await handle.close();
      target = await realpath(path); // the file of a symbolic link
      ({ mode } = present);
    } catch (error) {
      if (!isCode(error, "ENOENT")) throw error;
    }
    for (let attempt = 0; ; ++attempt) {
      const temporary = `${target}.${attempt}.tmp`;
      try {
        return new RecordingFile(target, temporary, await open(temporary, "wx", mode));
      } catch (error) {
        if (!isCode(error, "EEXIST") || attempt + 1 === kMaxAttempts) throw error;
      }
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length > 0) await this.handle.writeFile(bytes); // behind the bytes before
  }
  async commit(): Promise<void> {
    if (this.temporary !== null) await rename(this.temporary, this.path);
  }
  close(): Promise<void> {
    return this.handle.close();
  }
  /** Takes a file away that has not got its name. */
  async discard(): Promise<void> {
    await this.handle.close().catch(() => undefined); // a lost connection has closed it
    if (this.temporary !== null) await rm(this.temporary, { force: true });
  }
}

/** The error of a file, with the call or the state that met it. */
export function fileError(what: string, error: unknown): TaktError {
  const why = error instanceof Error ? error.message : String(error);
  return new TaktError("refused", `${what}: ${why}`, "file");
}
