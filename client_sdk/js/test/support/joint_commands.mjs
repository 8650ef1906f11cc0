// Commands about joints: one with every field, and the shortest.

/** `turn`: a unit quaternion that binary32 and binary64 both hold. */
export function jointCommands(joint, turn) {
  return [
    {
      type: "ChangeJoint",
      joint,
      enabled: true,
      collideConnected: false,
      direct: true,
      locked: 7,
      frameA: { position: [0.1, 0.2, 0.3], rotation: turn },
      frameB: { position: [1, 2, 3], rotation: [0, 0, 0, 1] },
      linear: { form: "spring", first: 1e4, second: 50 },
      angular: { form: "frequency", first: 5, second: 0.7 },
      maxForce: Infinity,
      maxTorque: 30,
      breakForce: 4000,
      breakTorque: Infinity,
      ratio: -2.5,
      length: 12,
      axis: "angular_y",
      limit: { lower: -Infinity, upper: 1.5, softness: { form: "erp_cfm", first: 0.25, second: 1e-6 } },
      hold: { on: true, target: 0.75, softness: { form: "beta_gamma", first: 0.5, second: 0 }, most: 25 },
      motor: { speed: -3, most: 50 },
      friction: 0,
    },
    { type: "ChangeJoint", joint, axis: "linear_x", motor: { speed: 0, most: 0 } },
    { type: "ChangeJoint", joint, axis: "swing", enabled: false },
    { type: "DestroyJoint", joint },
  ];
}
