// Reader of the inputs of an Inputs message, for tools and tests; a client sends inputs only. It follows the
// rules of protocol/messages/message_reader.cpp.
import { checkCommand } from "./command_check.js";
import * as limits from "./limits.js";
import { readJointChange } from "./joint_change_reader.js";
import type { Input, Message, WireCommand, WirePosition } from "./message.js";
import { kCommandMembers, kEnums } from "./schema.js";
import type { CommandName } from "./schema.js";
import { Table, positionAt, refuse, shapeAt } from "./table_reader.js";

/**
 * Returns null for an unknown command or one without its struct. Then the input is invalid, not the message.
 */
function readCommand(t: Table): WireCommand | null {
  const name: CommandName | undefined = kCommandMembers[t.u8("command_type") - 1];
  const table = t.reference("command");
  if (name === undefined || table === 0) return null;
  const c = new Table(t.buffer, table, name);
  const position = (field: string): WirePosition => positionAt(c.view, c.struct(field));
  switch (name) {
    case "Impulse":
      if (c.struct("impulse") === 0) return null;
      return {
        type: name,
        body: c.u64("body"),
        impulse: c.triple("impulse"),
        pointLocal: c.struct("point_local") === 0 ? null : c.triple("point_local"),
      };
    case "Force":
      return {
        type: name,
        body: c.u64("body"),
        force: c.triple("force"),
        torque: c.triple("torque"),
        ticks: c.u32("ticks", 1),
      };
    case "Spawn": {
      const at = c.struct("shape");
      if (at === 0 || c.struct("position") === 0) return null;
      const kind = kEnums.ShapeKind[c.view.getUint8(at)];
      if (kind === undefined) return null;
      return {
        type: name,
        shape: shapeAt(c.view, at, kind),
        position: position("position"),
        rotation: c.quadruple("rotation"),
        linearVelocity: c.triple("linear_velocity"),
        angularVelocity: c.triple("angular_velocity"),
        density: c.f32("density", 1000),
        friction: c.f32("friction", Math.fround(0.6)),
        restitution: c.f32("restitution"),
        userKind: c.u32("user_kind"),
      };
    }
    case "Despawn":
      return { type: name, body: c.u64("body") };
    case "Grab":
      if (c.struct("target") === 0) return null;
      return {
        type: name,
        body: c.u64("body"),
        pointLocal: c.triple("point_local"),
        target: position("target"),
        maxForce: c.f32("max_force"),
      };
    case "MoveGrab":
      return c.struct("target") === 0 ? null : { type: name, target: position("target") };
    case "Release":
      return { type: name };
    case "Teleport":
      if (c.struct("position") === 0) return null;
      return {
        type: name,
        body: c.u64("body"),
        position: position("position"),
        rotation: c.quadruple("rotation"),
        linearVelocity: c.triple("linear_velocity"),
        angularVelocity: c.triple("angular_velocity"),
      };
    case "Move":
      return {
        type: name,
        body: c.u64("body"),
        velocity: c.triple("velocity"),
        turn: c.f32("turn"),
        inHeadingFrame: c.bool("in_heading_frame"),
        jump: c.bool("jump"),
      };
    case "Cut":
      return { type: name, rope: c.u64("rope"), segment: c.u32("segment") };
    case "ChangeJoint":
      return readJointChange(c);
    case "DestroyJoint":
      return { type: name, joint: c.u64("joint") };
    case "Custom": {
      const bytes = c.buffer.span(c.reference("bytes"));
      return bytes.length <= limits.kCustomBytesMax ? { type: name, bytes: bytes.slice() } : null;
    }
  }
}

export function readInputs(t: Table): Message {
  const vector = t.reference("inputs");
  if (vector === 0) refuse("missing_field");
  const count = t.buffer.count(vector);
  if (count > limits.kInputsPerMessage) refuse("out_of_range");
  const inputs: Input[] = [];
  const invalidSequences: number[] = [];
  let previous = 0;
  for (let i = 0; i < count; ++i) {
    const input = new Table(t.buffer, t.buffer.element(vector, i), "Input");
    const sequence = input.u32("sequence");
    if (sequence <= previous) refuse("out_of_range"); // sequences start at 1 and ascend
    previous = sequence;
    const command = readCommand(input);
    if (command !== null && checkCommand(command) === "ok") {
      inputs.push({ tick: input.tick("tick"), sequence, command });
    } else invalidSequences.push(sequence);
  }
  return { type: "Inputs", inputs, invalidSequences };
}
