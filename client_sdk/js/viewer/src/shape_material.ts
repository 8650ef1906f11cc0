// Materials of shapes: matt, in the shape's colour, with a mark that makes rotation visible: thin dark edges
// on boxes, a light band on spheres, a two-tone coat on capsules, cylinders and cones. Shaders compute the
// marks from the unit geometry, without vertices or textures. Pose and colour of a shape come from the
// texture of its pool (shape_pool.ts), in place of three.js' own batching.
import { DoubleSide, FrontSide, MeshDepthMaterial, MeshLambertMaterial } from "three";
import type { WebGLProgramParametersWithUniforms, Material, Texture } from "three";

/** GLSL that changes diffuseColor.rgb. vUnit is the point on the unit geometry, vUnitNormal its normal. */
const kMarks = {
  none: "",
  // The two coordinates in the face. The line is 1.5 pixels wide and fades on boxes of a few pixels.
  boxEdges: `
    vec3 unitAway = 1.0 - abs(vUnit) + step(0.5, abs(vUnitNormal)) * 8.0;
    vec3 unitPixel = max(fwidth(vUnit), 1e-5);
    vec3 unitLine = 1.0 - smoothstep(vec3(0.6), vec3(1.8), unitAway / unitPixel);
    vec3 unitFade = 1.0 - smoothstep(vec3(0.05), vec3(0.25), unitPixel);
    vec3 unitMark = unitLine * unitFade;
    diffuseColor.rgb *= 1.0 - 0.38 * max(max(unitMark.x, unitMark.y), unitMark.z);`,
  sphereBand: `
    float bandPixel = fwidth(vUnit.y);
    float band = 1.0 - smoothstep(0.16 - bandPixel, 0.16 + bandPixel, abs(vUnit.y));
    float bandFade = 1.0 - smoothstep(0.1, 0.4, bandPixel);
    diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.92), 0.55 * band * bandFade);`,
  roundCoat: `
    float coat = smoothstep(-0.5, 0.5, vUnit.x / max(fwidth(vUnit.x), 1e-5));
    diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.92), 0.28 * coat);`,
};
export type MarkName = keyof typeof kMarks;

const kShapeDeclared = `
  #define USE_BATCHING
  uniform highp sampler2D shapes;
  uniform int copies;
  attribute float copy;
`;
const kShapeRead = `
  int shape = gl_InstanceID * copies + int(copy);
  ivec2 texel = ivec2(4 * (shape % 64), shape / 64);
  vec4 shape0 = texelFetch(shapes, texel, 0), shape1 = texelFetch(shapes, texel + ivec2(1, 0), 0);
  vec4 shape2 = texelFetch(shapes, texel + ivec2(2, 0), 0);
  vec4 shape3 = texelFetch(shapes, texel + ivec2(3, 0), 0);
  mat4 batchingMatrix =
    mat4(vec4(shape0.xyz, 0.0), vec4(shape1.xyz, 0.0), vec4(shape2.xyz, 0.0), vec4(shape3.xyz, 1.0));
`;

/** Materials of one pool. Both read `shapes` and `copies` at every draw. */
export interface ShapeMaterials {
  surface: Material;
  shadow: Material;
  shapes: { value: Texture | null };
  copies: { value: number };
}

export interface ShapeMaterialOptions {
  /** The geometry has an attribute `end`; the pool's extra number times `end` is added to y. */
  isStretched?: boolean;
  /** Both sides are visible and cast shadows: surfaces without an inside. */
  isTwoSided?: boolean;
}

export function shapeMaterials(
  mark: MarkName,
  { isStretched = false, isTwoSided = false }: ShapeMaterialOptions = {},
): ShapeMaterials {
  const shapes = { value: null as Texture | null },
    copies = { value: 1 };
  const side = isTwoSided ? DoubleSide : FrontSide;
  const surface = new MeshLambertMaterial({ side, shadowSide: isTwoSided ? DoubleSide : null }),
    shadow = new MeshDepthMaterial();
  // Solids write their far sides into the shadow map, so lit faces are clear of it. A surface has no far
  // side: its slope sets an offset instead.
  if (isTwoSided) {
    Object.assign(shadow, { polygonOffset: true, polygonOffsetFactor: 2.5, polygonOffsetUnits: 4 });
  }
  const readShape = (shader: WebGLProgramParametersWithUniforms) => {
    Object.assign(shader.uniforms, { shapes, copies });
    shader.vertexShader = replaced(
      shader.vertexShader,
      "batching_pars_vertex",
      kShapeDeclared + (isStretched ? "attribute float end;\n" : ""),
    );
    shader.vertexShader = replaced(shader.vertexShader, "batching_vertex", kShapeRead);
    if (isStretched) {
      shader.vertexShader = extended(shader.vertexShader, "begin_vertex", "transformed.y += end * shape3.w;");
    }
  };
  shadow.onBeforeCompile = readShape;
  shadow.customProgramCacheKey = () => `takt-shadow-${isStretched}`;
  surface.onBeforeCompile = (shader) => {
    readShape(shader);
    const varyings = "varying vec3 vUnit;\nvarying vec3 vUnitNormal;\nvarying vec3 vTint;\n";
    shader.vertexShader = extended(shader.vertexShader, "common", varyings);
    shader.vertexShader = extended(
      shader.vertexShader,
      "begin_vertex",
      "vUnit = position; vUnitNormal = normal; vTint = vec3(shape0.w, shape1.w, shape2.w);",
    );
    shader.fragmentShader = extended(shader.fragmentShader, "common", varyings);
    shader.fragmentShader = extended(
      shader.fragmentShader,
      "color_fragment",
      `diffuseColor.rgb *= vTint;\n${kMarks[mark]}`,
    );
  };
  surface.customProgramCacheKey = () => `takt-${mark}-${isStretched}`;
  return { surface, shadow, shapes, copies };
}

function extended(shader: string, chunk: string, text: string): string {
  return replaced(shader, chunk, `#include <${chunk}>\n${text}`);
}

/** A chunk that a new version of three.js renamed must cause an error. */
function replaced(shader: string, chunk: string, text: string): string {
  const include = `#include <${chunk}>`;
  if (!shader.includes(include)) {
    throw new Error(`three.js has no ${include} any more: shape_material.ts must follow`);
  }
  return shader.replace(include, text);
}
