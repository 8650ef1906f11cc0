// The room as the server describes it: which world runs, how fast, and what this client may do about it.
import type { RoomState } from "./message.js";

export type Room = Omit<RoomState, "type">;

/** Ticks a second of real time: 0 while paused. */
export function ticksPerS(room: Room): number {
  return room.paused ? 0 : room.speed * room.tickRateHz;
}

/** The marks of a recording come with the first RoomState alone; later ones keep them. */
export function nextRoom(message: RoomState, before: Room | null): Room {
  const { type: _, ...room } = message;
  if (room.marks.length === 0 && before !== null && room.isRecording) room.marks = before.marks;
  return room;
}
