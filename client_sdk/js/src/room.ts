// The room as the server describes it: its world, its speed, and the rights of this client.
import type { RoomState } from "./message.js";

export type Room = Omit<RoomState, "type">;

/** Ticks per second of real time; 0 while paused. */
export function ticksPerS(room: Room): number {
  return room.paused ? 0 : room.speed * room.tickRateHz;
}

/** The room after a message. Only the first RoomState of a recording has marks; later rooms keep them. */
export function nextRoom(message: RoomState, before: Room | null): Room {
  const { type: _, ...room } = message;
  if (room.marks.length === 0 && before !== null && room.isRecording) room.marks = before.marks;
  return room;
}
