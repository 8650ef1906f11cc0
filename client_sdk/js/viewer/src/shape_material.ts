// How surfaces look: matt, in the instance's colour, with a mark that shows turning: thin dark edges on boxes, a light band on spheres, a two-tone coat
// on capsules. The marks are made in the shader from the unit geometry, so they cost no vertex and no texture.
import { Material, MeshDepthMaterial, MeshLambertMaterial } from "three";
import type { WebGLProgramParametersWithUniforms } from "three";

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
  capsuleCoat: `
    float coat = smoothstep(-0.5, 0.5, vUnit.x / max(fwidth(vUnit.x), 1e-5));
    diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.92), 0.28 * coat);`,
};

/** `boundary` is where the mark goes into three.js' shaders; a chunk renamed by a new version of it must not pass in silence. */
function insertAfter(shader: string, boundary: string, text: string): string {
  if (!shader.includes(boundary)) throw new Error(`three.js has no ${boundary} any more: shape_material.ts must follow`);
  return shader.replace(boundary, `${boundary}\n${text}`);
}

export function surfaceMaterial(mark: keyof typeof kMarks, isStretched = false): Material {
  const material = new MeshLambertMaterial();
  material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms) => {
    const declared = `varying vec3 vUnit;\nvarying vec3 vUnitNormal;\n`;
    shader.vertexShader = insertAfter(shader.vertexShader, "#include <common>", declared + (isStretched ? kStretchDeclared : ""));
    shader.vertexShader = insertAfter(shader.vertexShader, "#include <begin_vertex>",
                                      `vUnit = position; vUnitNormal = normal;\n` + (isStretched ? kStretch : ""));
    shader.fragmentShader = insertAfter(shader.fragmentShader, "#include <common>", declared);
    shader.fragmentShader = insertAfter(shader.fragmentShader, "#include <color_fragment>", kMarks[mark]);
  };
  material.customProgramCacheKey = () => `takt-${mark}-${isStretched}`;
  return material;
}

const kStretchDeclared = "attribute float end;\nattribute float stretch;\n";
const kStretch = "transformed.y += end * stretch;\n";

/** Casts the shadow of a stretched instance. */
export function stretchedShadowMaterial(): Material {
  const material = new MeshDepthMaterial();
  material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms) => {
    shader.vertexShader = insertAfter(shader.vertexShader, "#include <common>", kStretchDeclared);
    shader.vertexShader = insertAfter(shader.vertexShader, "#include <begin_vertex>", kStretch);
  };
  material.customProgramCacheKey = () => "takt-stretched-shadow";
  return material;
}
