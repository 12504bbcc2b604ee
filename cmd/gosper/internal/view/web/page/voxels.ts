// Draws a volume with WebGL2. The cells go to the graphics card as they came, packed in 32-bit integers. A ray for each pixel goes from cell to
// cell (Amanatides and Woo 1987) and passes over bricks of 8×8×8 dead cells at once. Another shader marks the bricks with a live cell, and one
// keeps for each cell for how long it has been alive, if colours show that. Light, shadows and corners are those of gosper render (internal/volume).

import type { Frame } from "./frame";
import type { RGB } from "./look";
import { slope, type Box, type Eye, type Vector } from "./orbit";

const corners = `#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`;

const stateOf = `
precision highp float;
precision highp int;
precision highp usampler3D;
uniform usampler3D bits;
uniform int sampleBits;
uint stateOf(ivec3 c) {
  int bit = c.x * sampleBits;
  uint word = texelFetch(bits, ivec3(bit >> 5, c.y, c.z), 0).r;
  return (word >> uint(bit & 31)) & ((1u << uint(sampleBits)) - 1u);
}`;

// Whether a brick has a live cell. Its eight cells in a row are a byte, half a word, a word or two words.
const brickShader = `#version 300 es
${stateOf}
uniform ivec3 size;
uniform int layer;
out uvec4 some;
void main() {
  ivec3 low = ivec3(ivec2(gl_FragCoord.xy), layer) * 8;
  ivec3 high = min(low + 8, size);
  int bit = low.x * sampleBits;
  int words = (size.x * sampleBits + 31) / 32;
  uint mask = sampleBits < 4 ? ((1u << uint(8 * sampleBits)) - 1u) << uint(bit & 31) : 0xffffffffu;
  uint any = 0u;
  for (int z = low.z; z < high.z; z++) {
    for (int y = low.y; y < high.y; y++) {
      any |= texelFetch(bits, ivec3(bit >> 5, y, z), 0).r & mask;
      if (sampleBits == 8 && (bit >> 5) + 1 < words) any |= texelFetch(bits, ivec3((bit >> 5) + 1, y, z), 0).r;
    }
  }
  some = uvec4(any == 0u ? 0u : 1u, 0u, 0u, 0u);
}`;

const ageShader = `#version 300 es
${stateOf}
uniform usampler3D past; // alive, age
uniform uint elapsed; // generations; 256: nothing is known
uniform int layer;
out uvec4 now;
void main() {
  ivec3 at = ivec3(ivec2(gl_FragCoord.xy), layer);
  uint alive = stateOf(at) == 0u ? 0u : 1u;
  uvec4 was = texelFetch(past, at, 0);
  uint age = elapsed > 255u ? 255u : was.r == alive ? min(was.g + elapsed, 255u) : 0u;
  now = uvec4(alive, age, 0u, 0u);
}`;

const rayShader = `#version 300 es
${stateOf}
precision highp sampler2D;
uniform usampler3D bricks;
uniform usampler3D ages;
uniform sampler2D palette; // rows: by state, by age, by layer
uniform int colouring; // 0 state, 1 age, 2 layer, 3 position
uniform bool shadows;
uniform ivec3 size;
uniform ivec3 low;
uniform ivec3 high;
uniform int cutAxis; // of the slice; -1: there is none
uniform int cutSide; // of it that the viewer sees
uniform vec3 eye;
uniform vec3 right;
uniform vec3 down;
uniform vec3 forward;
uniform vec2 canvas;
uniform float slope;
uniform float near;
uniform float far;
uniform vec3 paper;
uniform vec3 line;
uniform vec3 accent;
out vec4 colour;

struct Hit {
  ivec3 cell;
  float at;
  int axis;
  int side;
};

// Where a ray enters and leaves the box.
bool enter(vec3 from, vec3 along, out Hit h, out float leaves, out int leavesBy) {
  h.at = 0.0;
  h.axis = -1;
  h.side = -1;
  h.cell = ivec3(0);
  leaves = 1e30;
  leavesBy = 0;
  for (int i = 0; i < 3; i++) {
    float a = along[i] == 0.0 ? 1e-20 : along[i];
    float n = (float(low[i]) - from[i]) / a;
    float f = (float(high[i]) - from[i]) / a;
    int side = -1;
    if (a < 0.0) {
      float t = n;
      n = f;
      f = t;
      side = 1;
    }
    if (n > h.at) {
      h.at = n;
      h.axis = i;
      h.side = side;
    }
    if (f < leaves) {
      leaves = f;
      leavesBy = i;
    }
  }
  if (h.at >= leaves) return false;
  h.cell = clamp(ivec3(floor(from + along * h.at)), low, high - 1);
  if (h.axis >= 0) h.cell[h.axis] = h.side > 0 ? high[h.axis] - 1 : low[h.axis];
  return true;
}

// The first live cell that a ray meets in the box.
bool meet(vec3 from, vec3 along, inout Hit h) {
  vec3 pace = vec3(1.0) / mix(along, vec3(1e-20), equal(along, vec3(0.0))); // how much longer the ray becomes from cell to cell
  vec3 ahead = vec3(greaterThan(pace, vec3(0.0)));
  for (int n = 0; n < 4096; n++) {
    int stride = 8;
    if (texelFetch(bricks, h.cell >> 3, 0).r != 0u) {
      if (stateOf(h.cell) != 0u) {
        if (h.axis < 0) {
          h.axis = 2;
          h.side = along.z > 0.0 ? -1 : 1;
        }
        return true;
      }
      stride = 1;
    }
    ivec3 from0 = stride == 8 ? (h.cell >> 3) << 3 : h.cell;
    vec3 leaves = (vec3(from0) + ahead * float(stride) - from) * pace;
    float next = min(leaves.x, min(leaves.y, leaves.z));
    int axis = leaves.x == next ? 0 : leaves.y == next ? 1 : 2;
    ivec3 by = ivec3(axis == 0, axis == 1, axis == 2);
    ivec3 cell = clamp(ivec3(floor(from + along * next)), from0, from0 + stride - 1);
    cell += by * (from0 - 1 + ivec3(ahead) * (stride + 1) - cell);
    if (any(lessThan(by * (cell - low), ivec3(0))) || any(greaterThanEqual(by * (cell - high + 1), ivec3(1)))) return false;
    h.cell = clamp(cell, low, high - 1);
    h.at = next;
    h.axis = axis;
    h.side = 1 - 2 * int(ahead[axis]);
  }
  return false;
}

float solid(ivec3 c) {
  if (any(lessThan(c, low)) || any(greaterThanEqual(c, high))) return 0.0;
  return stateOf(c) == 0u ? 0.0 : 1.0;
}

float corner(ivec3 front, ivec3 a, ivec3 b) {
  float one = solid(front + a);
  float other = solid(front + b);
  return one + other > 1.5 ? 0.0 : (3.0 - one - other - solid(front + a + b)) / 3.0;
}

vec3 colourOf(ivec3 c) {
  if (colouring == 1) return texelFetch(palette, ivec2(int(texelFetch(ages, c, 0).g), 1), 0).rgb;
  if (colouring == 2) return texelFetch(palette, ivec2(c.z * 255 / max(size.z - 1, 1), 2), 0).rgb;
  if (colouring == 3) {
    vec3 part = vec3(c) / vec3(max(size - 1, ivec3(1)));
    return (70.0 + 180.0 * vec3(part.x, 1.0 - part.y, part.z)) / 255.0;
  }
  return texelFetch(palette, ivec2(int(stateOf(c)), 0), 0).rgb;
}

vec3 shade(vec3 along, Hit h, float wide) {
  vec3 p = eye + along * h.at;
  vec3 normal = vec3(0.0);
  normal[h.axis] = float(h.side);
  vec3 light = normalize(-forward - 0.45 * right - 0.8 * down);
  float bright = 0.42;
  float diffuse = dot(normal, light);
  if (diffuse > 0.0) {
    bool dark = false;
    if (shadows) {
      Hit s;
      float leaves;
      int by;
      vec3 from = p + normal * 1e-3;
      if (enter(from, light, s, leaves, by)) dark = meet(from, light, s);
    }
    if (!dark) bright += 0.58 * diffuse;
  }
  int a = (h.axis + 1) % 3;
  int b = (h.axis + 2) % 3;
  float fa = clamp(p[a] - float(h.cell[a]), 0.0, 1.0);
  float fb = clamp(p[b] - float(h.cell[b]), 0.0, 1.0);
  ivec3 front = h.cell;
  front[h.axis] += h.side;
  ivec3 da = ivec3(0);
  ivec3 db = ivec3(0);
  da[a] = 1;
  db[b] = 1;
  float open = mix(mix(corner(front, -da, -db), corner(front, -da, db), fb), mix(corner(front, da, -db), corner(front, da, db), fb), fa);
  bright *= 0.45 + 0.55 * open;
  if (min(min(fa, fb), min(1.0 - fa, 1.0 - fb)) < 0.05) bright *= 1.0 - 0.28 * min(1.0, 0.05 / (wide * h.at) / 2.0);
  float haze = 0.35 * clamp((h.at - near) / (far - near), 0.0, 1.0);
  return mix(colourOf(h.cell) * bright, paper, haze);
}

// 1 where a point on a face of the box is close to an edge.
float edge(vec3 p, int face, float width) {
  for (int i = 0; i < 3; i++) {
    if (i != face && (p[i] < float(low[i]) + width || p[i] > float(high[i]) - width)) return 1.0;
  }
  return 0.0;
}

void main() {
  float half_ = min(canvas.x, canvas.y) / 2.0;
  vec2 at = (vec2(gl_FragCoord.x, canvas.y - gl_FragCoord.y) - canvas / 2.0) / half_ * slope;
  vec3 along = forward + at.x * right + at.y * down;
  float wide = slope / half_;
  vec3 seen = paper;
  Hit h;
  float leaves;
  int leavesBy;
  if (enter(eye, along, h, leaves, leavesBy)) {
    Hit first = h;
    seen = mix(seen, line, 0.5 * edge(eye + along * leaves, leavesBy, 0.75 * wide * leaves));
    bool met = meet(eye, along, h);
    if (met) seen = shade(along, h, wide);
    bool onSlice = first.axis == cutAxis && (first.side > 0) == (cutSide > 0);
    if (cutAxis >= 0 && onSlice) {
      vec3 p = eye + along * first.at;
      vec3 f = fract(p);
      f[cutAxis] = 0.5;
      float rim = min(min(min(f.x, 1.0 - f.x), min(f.y, 1.0 - f.y)), min(f.z, 1.0 - f.z));
      float grid = clamp(1.0 - rim / (0.75 * wide * first.at), 0.0, 1.0) * clamp(0.08 / (wide * first.at) - 0.4, 0.0, 1.0);
      bool alive = met && h.axis == first.axis && h.cell == first.cell;
      seen = alive ? mix(seen, colourOf(first.cell), 0.6) : mix(seen, accent, 0.12);
      seen = mix(seen, line, 0.5 * grid);
    }
    if (first.axis >= 0) seen = mix(seen, line, edge(eye + along * first.at, first.axis, 0.75 * wide * first.at));
  }
  colour = vec4(seen, 1.0);
}`;

/** What colours show. */
export const colourings = ["state", "age", "depth", "position"] as const;
export type Colouring = (typeof colourings)[number];

export interface Style {
  colouring: Colouring;
  shadows: boolean;
  paper: RGB;
  line: RGB;
  accent: RGB;
  /** Colours by state, by age and by layer: 256 of each, RGBA. */
  palette: Uint8Array;
}

/** The cells that are shown: the layers from first on. */
export interface Cells {
  w: number;
  h: number;
  d: number;
  first: number;
}

export class Voxels {
  private gl: WebGL2RenderingContext;
  private rays: WebGLProgram;
  private bricks: WebGLProgram;
  private aging: WebGLProgram;
  private textures = new Map<string, WebGLTexture>();
  private buffer: WebGLFramebuffer;
  private now = 0; // which of two textures of ages is the newest
  private aged: bigint | null = null; // the generation of the ages; null: there are none
  private cells: Cells | null = null;
  private sampleBits = 1;

  constructor(private canvas: HTMLCanvasElement) {
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: false });
    if (!gl) throw new Error("This browser has no WebGL2, which draws the volume.");
    this.gl = gl;
    this.rays = this.program(rayShader);
    this.bricks = this.program(brickShader);
    this.aging = this.program(ageShader);
    this.buffer = gl.createFramebuffer()!;
    gl.bindVertexArray(gl.createVertexArray());
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  }

  /** The longest side of a volume that can be drawn. */
  get longest(): number {
    return this.gl.getParameter(this.gl.MAX_3D_TEXTURE_SIZE) as number;
  }

  /** Takes a frame of whole layers. Ages are only kept while colours show them. */
  take(f: Frame, cells: Cells, ages: boolean): void {
    const gl = this.gl;
    const other = !this.cells || this.sampleBits !== f.sampleBits || ["w", "h", "d", "first"].some((k) => this.cells![k as keyof Cells] !== cells[k as keyof Cells]);
    this.cells = cells;
    this.sampleBits = f.sampleBits;
    if (other) {
      gl.deleteTexture(this.texture("bits"));
      this.textures.delete("bits");
      this.bind("bits", 0);
      gl.texStorage3D(gl.TEXTURE_3D, 1, gl.R32UI, f.words, cells.h, cells.d);
    }
    this.bind("bits", 0);
    gl.texSubImage3D(gl.TEXTURE_3D, 0, 0, 0, 0, f.words, cells.h, cells.d, gl.RED_INTEGER, gl.UNSIGNED_INT, f.bits);
    const size = [cells.w, cells.h, cells.d].map((side) => Math.ceil(side / 8)) as Vector;
    if (other) {
      this.allot("bricks", gl.R8UI, gl.RED_INTEGER, size);
      this.aged = null;
    }
    this.pass(this.bricks, "bricks", size, (at) => gl.uniform3i(at("size"), cells.w, cells.h, cells.d));
    if (!ages) {
      this.aged = null;
      return;
    }
    if (this.aged === null) for (const n of [0, 1]) this.allot("ages" + n, gl.RG8UI, gl.RG_INTEGER, [cells.w, cells.h, cells.d]);
    const elapsed = this.aged === null || f.generation < this.aged ? 256 : Number(f.generation - this.aged < 255n ? f.generation - this.aged : 255n);
    this.bind("ages" + this.now, 1);
    this.now = 1 - this.now;
    this.pass(this.aging, "ages" + this.now, [cells.w, cells.h, cells.d], (at) => {
      gl.uniform1i(at("past"), 1);
      gl.uniform1ui(at("elapsed"), elapsed);
    });
    this.aged = f.generation;
  }

  /** Draws the box. A slice is the face of the box on a side of an axis. */
  paint(eye: Eye, box: Box, slice: { axis: number; side: number } | null, style: Style): void {
    const { gl, cells } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    if (!cells) {
      gl.clearColor(...style.paper, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      return;
    }
    gl.useProgram(this.rays);
    const at = (name: string) => gl.getUniformLocation(this.rays, name);
    const withAges = style.colouring === "age" && this.aged !== null;
    for (const [unit, [name, texture]] of [["bits", "bits"], ["bricks", "bricks"], ["ages", withAges ? "ages" + this.now : "bricks"]].entries()) {
      this.bind(texture!, unit);
      gl.uniform1i(at(name!), unit);
    }
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, this.texture("palette"));
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 3, 0, gl.RGBA, gl.UNSIGNED_BYTE, style.palette);
    for (const [what, how] of [[gl.TEXTURE_MIN_FILTER, gl.NEAREST], [gl.TEXTURE_MAG_FILTER, gl.NEAREST]] as const) gl.texParameteri(gl.TEXTURE_2D, what, how);
    gl.uniform1i(at("palette"), 3);
    gl.uniform1i(at("sampleBits"), this.sampleBits);
    gl.uniform1i(at("colouring"), style.colouring === "age" && !withAges ? 0 : colourings.indexOf(style.colouring));
    gl.uniform1i(at("shadows"), Number(style.shadows));
    gl.uniform3i(at("size"), cells.w, cells.h, cells.d);
    gl.uniform3iv(at("low"), box.low);
    gl.uniform3iv(at("high"), box.high);
    gl.uniform1i(at("cutAxis"), slice ? slice.axis : -1);
    gl.uniform1i(at("cutSide"), slice ? slice.side : 0);
    gl.uniform3fv(at("eye"), eye.at);
    gl.uniform3fv(at("right"), eye.right);
    gl.uniform3fv(at("down"), eye.down);
    gl.uniform3fv(at("forward"), eye.forward);
    gl.uniform2f(at("canvas"), this.canvas.width, this.canvas.height);
    gl.uniform1f(at("slope"), slope);
    gl.uniform1f(at("near"), eye.near);
    gl.uniform1f(at("far"), eye.far);
    gl.uniform3fv(at("paper"), style.paper);
    gl.uniform3fv(at("line"), style.line);
    gl.uniform3fv(at("accent"), style.accent);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /** Makes all layers of a texture from the cells. */
  private pass(program: WebGLProgram, into: string, [w, h, d]: Vector, set: (at: (name: string) => WebGLUniformLocation | null) => void): void {
    const gl = this.gl;
    gl.useProgram(program);
    const at = (name: string) => gl.getUniformLocation(program, name);
    this.bind("bits", 0);
    gl.uniform1i(at("bits"), 0);
    gl.uniform1i(at("sampleBits"), this.sampleBits);
    set(at);
    const layer = at("layer");
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.buffer);
    gl.viewport(0, 0, w, h);
    for (let z = 0; z < d; z++) {
      gl.framebufferTextureLayer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, this.texture(into), 0, z);
      gl.uniform1i(layer, z);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  private texture(name: string): WebGLTexture {
    if (!this.textures.has(name)) this.textures.set(name, this.gl.createTexture()!);
    return this.textures.get(name)!;
  }

  private bind(name: string, unit: number): void {
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_3D, this.texture(name));
    gl.texParameteri(gl.TEXTURE_3D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_3D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  private allot(name: string, format: number, parts: number, [w, h, d]: Vector): void {
    const gl = this.gl;
    this.bind(name, 2);
    gl.texImage3D(gl.TEXTURE_3D, 0, format, w, h, d, 0, parts, gl.UNSIGNED_BYTE, null);
  }

  private program(fragment: string): WebGLProgram {
    const gl = this.gl;
    const program = gl.createProgram()!;
    for (const [kind, text] of [[gl.VERTEX_SHADER, corners], [gl.FRAGMENT_SHADER, fragment]] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const logs = (gl.getAttachedShaders(program) ?? []).map((s) => gl.getShaderInfoLog(s) ?? "");
      throw new Error(`The graphics card refuses a shader: ${logs.join(" ")} ${gl.getProgramInfoLog(program) ?? ""}`);
    }
    return program;
  }
}
