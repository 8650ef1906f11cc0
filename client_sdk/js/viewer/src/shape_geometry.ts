// Unit geometries that pools scale. They are a sphere of radius 1, a box of half extent 1, a capsule of
// radius 1 whose shader moves its ends apart, and others. An octahedron replaces unknown kinds. Y is up, as
// in the physics.
import {
  BoxGeometry,
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  IcosahedronGeometry,
  OctahedronGeometry,
  SphereGeometry,
} from "three";

export function sphereGeometry(segments: number): BufferGeometry {
  return new SphereGeometry(1, segments, Math.ceil(segments / 2));
}

export function boxGeometry(): BufferGeometry {
  return new BoxGeometry(2, 2, 2);
}

/**
 * Two half spheres with an `end` of +1 or -1 at each vertex. The shader adds `end` times a stretch to y; the
 * band between the halves becomes the cylinder.
 */
export function capsuleGeometry(segments: number): BufferGeometry {
  const rings = Math.max(2, Math.ceil(segments / 4));
  const positions: number[] = [];
  const ends: number[] = [];
  const indices: number[] = [];
  for (let row = 0; row < 2 * (rings + 1); ++row) {
    const isUpper = row <= rings;
    const polar = isUpper
      ? (row / rings) * (Math.PI / 2)
      : Math.PI / 2 + ((row - rings - 1) / rings) * (Math.PI / 2);
    for (let column = 0; column <= segments; ++column) {
      const around = (column / segments) * 2 * Math.PI;
      positions.push(Math.sin(polar) * Math.cos(around), Math.cos(polar), Math.sin(polar) * Math.sin(around));
      ends.push(isUpper ? 1 : -1);
    }
  }
  const stride = segments + 1;
  for (let row = 0; row + 1 < 2 * (rings + 1); ++row) {
    for (let column = 0; column < segments; ++column) {
      const at = row * stride + column;
      indices.push(at, at + 1, at + stride, at + 1, at + stride + 1, at + stride);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
  // Normals of a unit sphere; a stretch along y does not rotate them.
  geometry.setAttribute("normal", new Float32BufferAttribute(positions, 3));
  geometry.setAttribute("end", new Float32BufferAttribute(ends, 1));
  geometry.setIndex(indices);
  return geometry;
}

/** Radius 1, half height 1. */
export function cylinderGeometry(segments: number): BufferGeometry {
  return new CylinderGeometry(1, 1, 2, segments);
}

/** Radius 1, half height 1, tip up. */
export function coneGeometry(segments: number): BufferGeometry {
  return new ConeGeometry(1, 2, segments);
}

/** A faceted stone in a box of half extent 1, for hulls whose geometry was not sent. */
export function stoneGeometry(): BufferGeometry {
  const stone = new IcosahedronGeometry(1);
  stone.computeBoundingBox();
  const { x, y, z } = stone.boundingBox!.max;
  return indexed(stone.scale(1 / x, 1 / y, 1 / z));
}

/** An octahedron, for kinds of a later protocol; no shape of the physics resembles it. */
export function standInGeometry(): BufferGeometry {
  return indexed(new OctahedronGeometry(1));
}

function indexed(geometry: BufferGeometry): BufferGeometry {
  return geometry.setIndex(Array.from({ length: geometry.getAttribute("position").count }, (_, i) => i));
}
