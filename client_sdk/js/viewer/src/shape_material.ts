// How surfaces look: matt, in the shape's colour, with a mark that shows turning: thin dark edges on boxes, a light band on spheres, a two-tone coat on
// capsules, cylinders and cones. The marks are made in the shader from the unit geometry, so they cost no vertex and no texture. Where a shape is and what colour it has comes
// out of the texture of its pool (shape_pool.ts): three.js' shaders are told so in place of their own batching.
import { DoubleSide, FrontSide, MeshDepthMaterial, MeshLambertMaterial } from "three";
import type { WebGLProgramParametersWithUniforms, Material, Texture } from "three";

/** Each is GLSL that changes diffuseColor.rgb; vUnit is the place on the unit geometry, vUnitNormal its normal there. */
const kMarks = {
  none: "",
  // The two coordinates in the face; the line is a pixel and a half wide and fades where a box is only a few pixels large.
  boxEdges: `
    vec3 unitAway = 1.0 - abs(vUnit) + step(0.5, abs(vUnitNormal)) * 8.0;
    vec3 unitPixel = max(fwidth(vUnit), 1e-5);
    vec3 unitLine = 1.0 - smoothstep(vec3(0.6), vec3(1.8), unitAway / unitPixel);
    vec3 unitFade = 1.0 - smoothstep(vec3(0.05), vec3(0.25), unitPixel);
    diffuseColor.rgb *= 1.0 - 0.38 * max(max(unitLine.x * unitFade.x, unitLine.y * unitFade.y), unitLine.z * unitFade.z);`,
  sphereBand: `
    float bandPixel = fwidth(vUnit.y);
    float band = 1.0 - smoothstep(0.16 - bandPixel, 0.16 + bandPixel, abs(vUnit.y));
    diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.92), 0.55 * band * (1.0 - smoothstep(0.1, 0.4, bandPixel)));`,
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
  vec4 shape2 = texelFetch(shapes, texel + ivec2(2, 0), 0), shape3 = texelFetch(shapes, texel + ivec2(3, 0), 0);
  mat4 batchingMatrix = mat4(vec4(shape0.xyz, 0.0), vec4(shape1.xyz, 0.0), vec4(shape2.xyz, 0.0), vec4(shape3.xyz, 1.0));
`;

/** What one pool is drawn with. `shapes` and `copies` are read by both materials at every draw. */
export interface ShapeMaterials {
  surface: Material;
  shadow: Material;
  shapes: { value: Texture | null };
  copies: { value: number };
}

export interface ShapeMaterialOptions {
  /** The geometry has an attribute `end`, and the pool's extra number times it is added to y. */
  isStretched?: boolean;
  /** Seen from behind as well, and casts a shadow both ways: surfaces without an inside. */
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
  // Solids write their far sides into the shadow map, so lit faces are clear of it. A surface has no far side: it is pushed back by its slope instead.
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

/** A chunk that a new version of three.js renamed must not pass in silence. */
function replaced(shader: string, chunk: string, text: string): string {
  const include = `#include <${chunk}>`;
  if (!shader.includes(include)) {
    throw new Error(`three.js has no ${include} any more: shape_material.ts must follow`);
  }
  return shader.replace(include, text);
}
