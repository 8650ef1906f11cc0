// The room as the server describes it: its world, its speed, and the rights of this client.
import type { RoomState } from "./message.js";

/** `isPlayback`: a recording is being played, so commands have no effect and seek() works. */
export type Room = Omit<RoomState, "type" | "isRecording"> & { isPlayback: boolean };

/** Ticks per second of real time; 0 while paused. */
export function ticksPerS(room: Room): number {
  return room.paused ? 0 : room.speed * room.tickRateHz;
}

/** The room after a message. Only the first RoomState of a recording has marks; later rooms keep them. */
export function nextRoom(message: RoomState, before: Room | null): Room {
  const { type: _, isRecording: isPlayback, ...rest } = message;
  const room: Room = { ...rest, isPlayback };
  if (room.marks.length === 0 && before !== null && isPlayback) room.marks = before.marks;
  return room;
}
