// A FlatBuffer from a stranger: verified against a table layout, then read in place. FlatBuffers' JavaScript
// runtime has no verifier; this one follows the rules of flatbuffers::Verifier (offsets, vtables and vectors
// in range, depth, number of tables, terminated strings). A DataView reads any byte order, so the verifier
// checks the alignment of fields only. It judges no values (message_reader.ts does).
//
// Every read after verify() is in range. Otherwise a DataView throws a RangeError; it never reads other
// memory.
import type { FieldType, TableLayout } from "./schema.js";
import { kTableLayouts } from "./schema.js";

export class FlatBuffer {
  readonly view: DataView;
  private readonly bytes: Uint8Array;
  private readonly size: number;
  private depth = 0;
  private tables = 0;
  private depthMax = 0;
  private tablesMax = 0;
  private layouts: Readonly<Record<string, TableLayout>> = kTableLayouts;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.size = bytes.byteLength;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  // ------------------------------------------------------------ verifying

  /**
   * Returns true if the bytes have this identifier and a well-formed root table of this layout. `layouts` are
   * those of the tables below it.
   */
  verify(
    identifier: number,
    root: TableLayout,
    depthMax: number,
    tablesMax: number,
    layouts: Readonly<Record<string, TableLayout>> = kTableLayouts,
  ): boolean {
    this.layouts = layouts;
    this.depth = 0;
    this.tables = 0;
    this.depthMax = depthMax;
    this.tablesMax = tablesMax;
    if (this.size < 8 || this.view.getUint32(4, true) !== identifier) return false;
    const table = this.target(0);
    return table !== 0 && this.verifyTable(table, root);
  }

  private fits(at: number, bytes: number): boolean {
    return at >= 0 && bytes <= this.size && at <= this.size - bytes;
  }

  /** Target of the offset stored at `at`; 0 if either is out of range. An offset of 0 has no target. */
  private target(at: number): number {
    if (!this.fits(at, 4)) return 0;
    const offset = this.view.getUint32(at, true);
    return offset !== 0 && offset < 0x80000000 && this.fits(at + offset, 1) ? at + offset : 0;
  }

  /**
   * Target of an element of a vector; -1 if it is out of range. As in flatbuffers::Verifier, an offset of 0
   * refers to the element itself.
   */
  private elementTarget(at: number): number {
    const to = at + this.view.getUint32(at, true);
    return this.fits(to, 4) ? to : -1;
  }

  private verifyTable(table: number, layout: TableLayout): boolean {
    if (!this.fits(table, 4)) return false;
    const vtable = table - this.view.getInt32(table, true);
    if (++this.depth > this.depthMax || ++this.tables > this.tablesMax) return false;
    if (!this.fits(vtable, 2)) return false;
    const vtableBytes = this.view.getUint16(vtable, true);
    if (vtableBytes % 2 !== 0 || !this.fits(vtable, vtableBytes)) return false;
    const fields = layout.fields;
    for (let i = 0; i < fields.length; ++i) {
      const slot = 4 + 2 * i;
      if (slot >= vtableBytes) break;
      const offset = this.view.getUint16(vtable + slot, true);
      if (offset !== 0 && !this.verifyField(table, table + offset, layout, fields[i]!, i)) return false;
    }
    --this.depth;
    return true;
  }

  private verifyField(
    table: number,
    at: number,
    layout: TableLayout,
    type: FieldType,
    index: number,
  ): boolean {
    switch (type.kind) {
      case "scalar":
      case "struct":
        return at % type.align === 0 && this.fits(at, type.bytes);
      case "string":
        return this.verifyString(this.target(at));
      case "table": {
        const to = this.target(at);
        return to !== 0 && this.verifyTable(to, this.layouts[type.table]!);
      }
      case "vector":
        return this.verifyVector(this.target(at), type.bytes);
      case "tables": {
        const vector = this.target(at);
        if (!this.verifyVector(vector, 4)) return false;
        const layoutOfElements = this.layouts[type.table]!;
        const count = this.view.getUint32(vector, true);
        for (let i = 0; i < count; ++i) {
          const to = this.elementTarget(vector + 4 + 4 * i);
          if (to < 0 || !this.verifyTable(to, layoutOfElements)) return false;
        }
        return true;
      }
      case "strings": {
        const vector = this.target(at);
        if (!this.verifyVector(vector, 4)) return false;
        const count = this.view.getUint32(vector, true);
        for (let i = 0; i < count; ++i) {
          if (!this.verifyString(this.elementTarget(vector + 4 + 4 * i))) return false;
        }
        return true;
      }
      case "union": {
        const to = this.target(at);
        if (to === 0) return false;
        const member = type.members[this.u8(table, index - 1) - 1];
        // The reader refuses unknown members.
        return member === undefined || this.verifyTable(to, this.layouts[member]!);
      }
    }
    throw new Error(`${layout.name}: no rule for ${JSON.stringify(type)}`);
  }

  private verifyVector(vector: number, elementBytes: number): boolean {
    if (vector <= 0 || !this.fits(vector, 4)) return false;
    const count = this.view.getUint32(vector, true);
    return count < 0x80000000 / elementBytes && this.fits(vector + 4, count * elementBytes);
  }

  private verifyString(string: number): boolean {
    if (!this.verifyVector(string, 1)) return false;
    const end = string + 4 + this.view.getUint32(string, true);
    return this.fits(end, 1) && this.bytes[end] === 0;
  }

  // ------------------------------------------------------------ reading what verify() let pass

  root(): number {
    return this.view.getUint32(0, true);
  }

  /** Position of the field of this table; 0 = absent. */
  field(table: number, index: number): number {
    const vtable = table - this.view.getInt32(table, true);
    const slot = 4 + 2 * index;
    if (slot >= this.view.getUint16(vtable, true)) return 0;
    const offset = this.view.getUint16(vtable + slot, true);
    return offset === 0 ? 0 : table + offset;
  }

  u8(table: number, index: number, absent = 0): number {
    const at = this.field(table, index);
    return at === 0 ? absent : this.view.getUint8(at);
  }
  u16(table: number, index: number, absent = 0): number {
    const at = this.field(table, index);
    return at === 0 ? absent : this.view.getUint16(at, true);
  }
  u32(table: number, index: number, absent = 0): number {
    const at = this.field(table, index);
    return at === 0 ? absent : this.view.getUint32(at, true);
  }
  i32(table: number, index: number, absent = 0): number {
    const at = this.field(table, index);
    return at === 0 ? absent : this.view.getInt32(at, true);
  }
  u64(table: number, index: number): bigint {
    const at = this.field(table, index);
    return at === 0 ? 0n : this.view.getBigUint64(at, true);
  }
  f32(table: number, index: number, absent = 0): number {
    const at = this.field(table, index);
    return at === 0 ? absent : this.view.getFloat32(at, true);
  }
  f64(table: number, index: number, absent = 0): number {
    const at = this.field(table, index);
    return at === 0 ? absent : this.view.getFloat64(at, true);
  }

  /** The table, string or vector that a field refers to; 0 = absent. */
  reference(table: number, index: number): number {
    const at = this.field(table, index);
    return at === 0 ? 0 : at + this.view.getUint32(at, true);
  }
  /** Length of a vector or string; 0 for none. */
  count(vector: number): number {
    return vector === 0 ? 0 : this.view.getUint32(vector, true);
  }
  /** The i-th table or string of a vector of references. */
  element(vector: number, i: number): number {
    const at = vector + 4 + 4 * i;
    return at + this.view.getUint32(at, true);
  }
  /** The bytes of a string or of a vector of bytes: a view, not a copy. */
  span(vector: number): Uint8Array {
    return vector === 0
      ? this.bytes.subarray(0, 0)
      : this.bytes.subarray(vector + 4, vector + 4 + this.count(vector));
  }
}
