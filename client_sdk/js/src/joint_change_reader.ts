// Reader of the ChangeJoint command of a verified table, for tools and tests. command_check.ts checks ranges.
import type { ChangeJoint, LocalFrame, Softness } from "./message.js";
import { kEnums } from "./schema.js";
import type { Table } from "./table_reader.js";

// Leaves a read; never leaves readJointChange().
class UnknownWord extends Error {}

function word<Values extends readonly string[]>(values: Values, value: number): Values[number] {
  const found = values[value];
  if (found === undefined) throw new UnknownWord();
  return found;
}

const kOptionalNumbers = [
  ["maxForce", "max_force"],
  ["maxTorque", "max_torque"],
  ["breakForce", "break_force"],
  ["breakTorque", "break_torque"],
  ["ratio", "ratio"],
  ["length", "length"],
  ["friction", "friction"],
] as const;
const kOptionalTruths = [
  ["enabled", "enabled"],
  ["collideConnected", "collide_connected"],
  ["direct", "direct"],
] as const;

/** Returns null for an unknown axis or form. Then the input is invalid, not the message. */
export function readJointChange(c: Table): ChangeJoint | null {
  const { view } = c;
  const f64 = (at: number): number => view.getFloat64(at, true);
  const softness = (at: number): Softness => ({
    form: word(kEnums.SoftnessForm, view.getUint8(at)),
    first: f64(at + 8),
    second: f64(at + 16),
  });
  const frame = (at: number): LocalFrame => ({
    position: [f64(at), f64(at + 8), f64(at + 16)],
    rotation: [f64(at + 24), f64(at + 32), f64(at + 40), f64(at + 48)],
  });
  try {
    const axis = word(
      kEnums.JointAxis,
      c.struct("axis") === 0 ? kEnums.JointAxis.indexOf("angular_x") : c.u8("axis"),
    );
    const change: ChangeJoint = { type: "ChangeJoint", joint: c.u64("joint"), axis };
    for (const [name, field] of kOptionalTruths) if (c.struct(field) !== 0) change[name] = c.bool(field);
    for (const [name, field] of kOptionalNumbers) if (c.struct(field) !== 0) change[name] = c.f64(field);
    if (c.struct("locked") !== 0) change.locked = c.u8("locked");
    const at = (field: string): number => c.struct(field);
    if (at("frame_a") !== 0) change.frameA = frame(at("frame_a"));
    if (at("frame_b") !== 0) change.frameB = frame(at("frame_b"));
    if (at("linear") !== 0) change.linear = softness(at("linear"));
    if (at("angular") !== 0) change.angular = softness(at("angular"));
    const [limit, hold, motor] = [at("limit"), at("hold"), at("motor")];
    if (limit !== 0) {
      change.limit = { lower: f64(limit), upper: f64(limit + 8), softness: softness(limit + 16) };
    }
    if (hold !== 0) {
      change.hold = {
        on: view.getUint8(hold + 40) !== 0,
        target: f64(hold),
        softness: softness(hold + 8),
        most: f64(hold + 32),
      };
    }
    if (motor !== 0) change.motor = { speed: f64(motor), most: f64(motor + 8) };
    return change;
  } catch (error) {
    if (error instanceof UnknownWord) return null;
    throw error;
  }
}
