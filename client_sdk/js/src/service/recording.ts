// Recording is a recording of a world of a service into a file of this process. The service keeps its bytes
// until a request takes them: this file sends one behind the steps. Recordings has those of a connection.
import { invalid } from "../argument.js";
import { TaktError } from "../error.js";
import type { Connection } from "./connection.js";
import { RecordingFile, fileError } from "./recording_file.js";
import { corrupt } from "./reply.js";
import type { Target } from "./request.js";
import type { BodyName } from "./schema.js";
import { kNoWorldIndex } from "./schema.js";

/** Ticks of a chunk: a further request for fewer would be in vain. */
const kFollowTicks = 60;

/** Reply.recording. */
const kGoesOn = 1;
const kCut = 2;
const kCutText =
  "limit recording: the recording ended, because too many bytes wait at the service: record fewer worlds " +
  "of a connection, or step fewer ticks at a time";

/** The recording of World.record(), which its steps write. */
export class Recording {
  /** The file. */
  readonly path: string;
  private readonly connection: Connection;
  private readonly target: Target;
  private readonly file: Promise<RecordingFile>;
  /** The end of all writes so far. */
  private written: Promise<void> = Promise.resolve();
  private fault: TaktError | null = null;
  /** The error of a lost connection. */
  private lost: TaktError | null = null;
  private untakenTicks = 0;
  private ending: Promise<void> | null = null;

  private constructor(connection: Connection, target: Target, path: string) {
    this.connection = connection;
    this.target = target;
    this.path = path;
    this.file = RecordingFile.create(path);
    this.file.catch(ignored); // begin() awaits it
  }

  /** @internal Sends the request before it returns. */
  static async begin(connection: Connection, target: Target, path: unknown): Promise<Recording> {
    if (typeof path !== "string" || path === "" || path.includes("\0")) {
      invalid("record(): path", "the path of a file", path);
    }
    const recording = new Recording(connection, target, path);
    const began = recording.take("Record");
    const isFirst = connection.recordings.add(target, recording); // steps behind this call follow it
    try {
      await began;
      await recording.commit();
    } catch (error) {
      if (isFirst) connection.recordings.remove(target, recording);
      await recording.file.then((file) => file.discard()).catch(ignored);
      throw error;
    }
    return recording;
  }

  /** False after stop(), and after a step has rejected because the recording has ended. */
  get isActive(): boolean {
    return this.connection.recordings.has(this.target, this);
  }

  /**
   * Ends the recording, and resolves when the file has all of it. Edits after the last step are not part of
   * it. Rejects with limit when the service has cut it, with refused and the reason "file" when the file took
   * no more bytes, with network or closed when the connection
   * ended before: then the file ends early.
   */
  stop(): Promise<void> {
    if (this.ending === null && this.isActive) {
      this.connection.recordings.remove(this.target, this);
      this.ending = this.end(this.take("RecordStop"));
    }
    return this.ending ?? (this.lost === null ? Promise.resolve() : Promise.reject(this.lost));
  }

  /** @internal Takes bytes behind a step of so many ticks. Rejects when the recording has ended. */
  async follow(ticks: number): Promise<void> {
    this.untakenTicks += ticks;
    if (this.untakenTicks < kFollowTicks) return;
    this.untakenTicks = 0;
    let state = kGoesOn;
    try {
      state = await this.take("RecordBytes");
      await this.written;
    } catch (error) {
      if (this.lost === null && !this.isActive) return; // an earlier step or stop() has told why
      throw error;
    }
    if ((state === kGoesOn && this.fault === null) || !this.isActive) return;
    this.connection.recordings.remove(this.target, this);
    const rest = state === kGoesOn ? this.take("RecordStop") : Promise.resolve(state);
    await (this.ending = this.end(rest));
  }

  /** @internal The connection is lost: the file keeps the bytes that have come. */
  abandon(error: TaktError): void {
    this.lost = error;
    this.written.then(() => this.close()).catch(ignored);
  }

  /** Sends the request, then others until no bytes wait. Returns Reply.recording of the last one. */
  private async take(body: BodyName): Promise<number> {
    for (let next = body; ; next = "RecordBytes") {
      const { left, count, state } = await this.connection.call(
        this.target,
        () => 0,
        next,
        () => ({}),
        (reply) => {
          this.write(reply.data);
          return { left: reply.bytesLeft, count: reply.data.length, state: reply.recording };
        },
      );
      if (left === 0n) return state;
      if (count === 0) throw corrupt("a reply without bytes of a recording that waits");
    }
  }

  private write(bytes: Uint8Array): void {
    this.written = this.written.then(async () => {
      if (this.fault !== null) return;
      try {
        await (await this.file).write(bytes);
      } catch (error) {
        this.fault = fileError(`${this.path}: the recording ended: its file takes no more bytes`, error);
      }
    });
  }

  private async commit(): Promise<void> {
    try {
      const file = await this.file.catch((error: unknown) => {
        throw fileError(`record(): ${this.path}: cannot be created`, error);
      });
      await this.written;
      if (this.fault !== null) throw this.fault;
      await file.commit().catch((error: unknown) => {
        throw fileError(`record(): ${this.path}: cannot get its name`, error);
      });
    } catch (error) {
      await this.take("RecordStop").catch(ignored); // the world is as it was before
      throw error;
    }
  }

  private async end(rest: Promise<number>): Promise<void> {
    try {
      const state = await rest;
      await this.written;
      if (this.fault !== null) throw this.fault;
      if (state === kCut) throw new TaktError("limit", kCutText, "recording");
    } finally {
      await this.close();
    }
  }

  private async close(): Promise<void> {
    await (await this.file).close().catch(ignored);
  }
}

/** The recordings of a connection. */
export class Recordings {
  private readonly all = new Map<string, Recording>();

  /** False when the world has one already, which the service refuses. */
  add(target: Target, recording: Recording): boolean {
    const key = keyOf(target);
    if (this.all.has(key)) return false;
    this.all.set(key, recording);
    return true;
  }
  remove(target: Target, recording: Recording): void {
    if (this.has(target, recording)) this.all.delete(keyOf(target));
  }
  has(target: Target, recording: Recording): boolean {
    return this.all.get(keyOf(target)) === recording;
  }

  /**
   * Lets the recordings of a world, or of all worlds of a batch, follow a step that was just sent: their
   * requests leave with it.
   */
  follow(target: Target, ticks: number, stepped: Promise<void>): Promise<void> {
    const meant = this.of(target);
    if (meant.length === 0 || !Number.isInteger(ticks)) return stepped;
    const followed = Promise.allSettled(meant.map((recording) => recording.follow(ticks)));
    return stepped
      .finally(() => followed)
      .then(async () => {
        for (const result of await followed) {
          if (result.status === "rejected") throw result.reason;
        }
      });
  }

  /**
   * Ends the recordings of a world, or of all worlds of a batch, and then destroys it. `halt` ends the step
   * that the service is computing, for which the end of a recording would wait. Rejects with the error of a
   * recording.
   */
  async destroy(target: Target, halt: () => Promise<void>, destroy: () => Promise<void>): Promise<void> {
    const meant = this.of(target);
    if (meant.length === 0) return destroy();
    const halted = halt().catch(ignored);
    const stopped = await Promise.allSettled(meant.map((recording) => recording.stop()));
    await halted;
    await destroy();
    for (const result of stopped) {
      if (result.status === "rejected") throw result.reason;
    }
  }

  /** The connection is lost. */
  abandon(error: TaktError): void {
    for (const recording of this.all.values()) recording.abandon(error);
    this.all.clear();
  }

  private of(target: Target): Recording[] {
    if (this.all.size === 0) return [];
    if (target.worldIndex !== kNoWorldIndex || this.all.has(keyOf(target))) {
      const one = this.all.get(keyOf(target));
      return one === undefined ? [] : [one];
    }
    const start = `${target.handle}/`;
    return [...this.all].filter(([key]) => key.startsWith(start)).map(([, recording]) => recording);
  }
}

function keyOf({ handle, worldIndex }: Target): string {
  return `${handle}/${worldIndex}`;
}
function ignored(): void {
  // The caller has the error already, or nobody can use it.
}
