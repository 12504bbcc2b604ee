// Draws frames with WebGL2. A frame's bit planes go to the graphics card as they came, packed in 32-bit integers. One shader, run
// once a frame, unpacks them, keeps for each sample how long ago it was born or died, and gives it its colour. Where samples have a side
// of whole pixels, the canvas has one pixel a sample, and the browser enlarges it: without a graphics card that takes a tenth of the time of
// drawing every pixel. Elsewhere another shader draws each pixel as the exact mean of the samples it covers, with one look at the picture.

import type { Camera, Rect } from "./camera";
import type { Frame } from "./frame";
import { meaningOf, mix, palette, type Look } from "./look";
import { Plain } from "./plain";
import type { Screen } from "./screen";

const fullScreen = `#version 300 es
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

// For each sample its value and the generations since it last changed between dead and alive, 255 if it is not known to have, else at most 254; and its colour.
const unpackShader = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform usampler2D bits;
uniform int sampleBits;
uniform usampler2D past;
uniform vec3 toPast; // scale and offset from samples of this frame to those of the last
uniform ivec2 pastSize; // 0: there is none
uniform uint elapsed;
uniform sampler2D palette; // age to the right, value down
layout(location = 0) out uvec4 cell;
layout(location = 1) out vec4 colour;

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int bit = at.x * sampleBits;
  uint word = texelFetch(bits, ivec2(bit >> 5, at.y), 0).r;
  uint value = word >> uint(bit & 31) & ((1u << uint(sampleBits)) - 1u);
  uint age = 255u;
  ivec2 before = ivec2(floor((vec2(at) + 0.5) * toPast.x + toPast.yz));
  if (all(greaterThanEqual(before, ivec2(0))) && all(lessThan(before, pastSize))) {
    uvec4 was = texelFetch(past, before, 0);
    // At another scale a sample that differs is not one just born.
    uint changed = toPast.x == 1.0 ? 0u : 255u;
    age = (was.r > 0u) == (value > 0u) ? (was.g == 255u ? 255u : min(was.g + elapsed, 254u)) : changed;
  }
  cell = uvec4(value, age, 0u, 0u);
  colour = texelFetch(palette, ivec2(int(age), int(value)), 0);
}`;

const drawShader = `#version 300 es
precision highp float;
precision highp int;
uniform sampler2D picture; // a texel a sample
uniform vec2 size; // of the frame, in samples; 0: no frame yet
uniform vec2 origin; // of the canvas' top left corner, in samples of the frame
uniform float pace; // samples per device pixel
uniform float height; // of the canvas
uniform vec4 universe; // left, top, right, bottom in samples of the frame
uniform vec3 paper;
uniform vec3 beyond;
out vec4 colour;

void main() {
  vec2 middle = origin + vec2(gl_FragCoord.x, height - gl_FragCoord.y) * pace;
  vec3 mean = paper;
  if (all(greaterThan(middle, vec2(0.0))) && all(lessThan(middle, size))) {
    // The pixel covers up to two samples each way. Between the middles of two samples a look-up weighs them linearly: put where the
    // weights are the parts covered, it is the mean. (Zooming out, before a coarser frame comes, the nearest two stand in for all.)
    vec2 first = floor(middle - 0.5 * pace);
    vec2 part = clamp((middle + 0.5 * pace - first - 1.0) / pace, 0.0, 1.0);
    mean = texture(picture, (first + 0.5 + part) / size).rgb;
  }
  vec2 inside = clamp(min(middle - universe.xy, universe.zw - middle) / pace + 0.5, 0.0, 1.0);
  colour = vec4(mix(beyond, mean, inside.x * inside.y), 1.0);
}`;

// Where a pixel is a sample.
const nearShader = `#version 300 es
precision highp float;
precision highp int;
uniform sampler2D picture;
uniform vec2 origin; // of the canvas' bottom left corner, in samples of the frame
out vec4 colour;

void main() {
  colour = texelFetch(picture, ivec2(gl_FragCoord.xy * vec2(1.0, -1.0) + origin), 0);
}`;

// Where cells are hexagons or triangles: each pixel is the mean of its four corners, and a line between cells goes through pixels whose corners differ.
const latticeShader = `#version 300 es
precision highp float;
precision highp int;
uniform sampler2D picture;
uniform vec2 size;
uniform vec2 origin; // of the canvas' top left corner, in samples of the frame
uniform float pace; // samples per device pixel
uniform vec2 lean; // how far a row lies to the right of the one above it, and its height
uniform vec2 turn; // cosine and sine of the angle of the view
uniform int kind; // of the samples: 1 hexagons, 2 triangles, 0 blocks of them
uniform float odd; // 1: the column and row of the frame's first cell have an odd sum
uniform float height;
uniform vec4 universe;
uniform vec3 paper;
uniform vec3 beyond;
uniform vec4 line; // colour and strength
out vec4 colour;

vec2 cellAt(vec2 pixel) {
  pixel = vec2(dot(turn, pixel), dot(vec2(-turn.y, turn.x), pixel));
  float y = pixel.y * pace / lean.y;
  vec2 at = origin + vec2(pixel.x * pace - lean.x * y, y);
  vec2 best = floor(at);
  if (kind == 0) return best;
  float least = 9.0;
  vec2 first = kind == 1 ? floor(at - 0.5) : best - vec2(1.0, 0.0);
  for (int i = 0; i < (kind == 1 ? 4 : 3); i++) {
    vec2 cell = first + (kind == 1 ? vec2(i & 1, i >> 1) : vec2(i, 0));
    vec2 d = at - cell - 0.5;
    float up = mod(cell.x + cell.y + odd, 2.0);
    float far = kind == 1 ? length(vec2(d.x + lean.x * d.y, d.y * lean.y)) : abs(d.x) + d.y * (1.0 - 2.0 * up);
    if (far < least) {
      least = far;
      best = cell;
    }
  }
  return best;
}

vec3 colourOf(vec2 cell) {
  if (any(lessThan(cell, universe.xy)) || any(greaterThanEqual(cell, universe.zw))) return beyond;
  if (any(lessThan(cell, vec2(0.0))) || any(greaterThanEqual(cell, size))) return paper;
  return texelFetch(picture, ivec2(cell), 0).rgb;
}

void main() {
  vec2 middle = vec2(gl_FragCoord.x + 0.013, height - gl_FragCoord.y + 0.007); // no corner lies on a side of a cell
  vec3 sum = vec3(0.0);
  bool edge = false;
  vec2 first = cellAt(middle - 0.5);
  for (int i = 0; i < 4; i++) {
    vec2 cell = cellAt(middle + vec2(i & 1, i >> 1) - 0.5);
    edge = edge || cell != first;
    sum += colourOf(cell);
  }
  colour = vec4(mix(sum / 4.0, line.rgb, edge ? line.a : 0.0), 1.0);
}`;

export class Renderer implements Screen {
  private unpack!: Program;
  private draw!: Program;
  private near!: Program;
  private lattice!: Program;
  private bits: WebGLTexture | null = null;
  private palette: WebGLTexture | null = null;
  private coloured = ""; // what the palette is made for
  private bitsShape = "";
  private cells: (Target | null)[] = [null, null]; // the newest first
  private frame: Frame | null = null;
  private strangers = false; // the next frame has nothing to do with the last
  private placed: Placed = { columns: 0, rows: 0, left: 0, top: 0, side: 1 };

  /** restored is told of the frame that was on display when the graphics card came back. */
  constructor(
    private canvas: HTMLCanvasElement,
    private gl: WebGL2RenderingContext,
    restored: (f: Frame) => void,
  ) {
    this.prepare();
    canvas.addEventListener("webglcontextlost", (e) => e.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      const f = this.frame;
      this.prepare();
      if (f) restored(f);
    });
  }

  /** Forgets the ages of cells: another universe comes. */
  forget(): void {
    this.strangers = true;
  }

  private prepare(): void {
    this.unpack = new Program(this.gl, unpackShader);
    this.draw = new Program(this.gl, drawShader);
    this.near = new Program(this.gl, nearShader);
    this.lattice = new Program(this.gl, latticeShader);
    this.gl.bindVertexArray(this.gl.createVertexArray());
    this.bits = null;
    this.palette = null;
    this.coloured = "";
    this.bitsShape = "";
    this.cells = [null, null];
    this.frame = null;
  }

  /** The frame on display. */
  get current(): Frame | null {
    return this.frame;
  }

  /** Takes a frame in: one upload and one pass over its samples. A frame taken again is coloured again. */
  take(f: Frame, look: Look, states: number): void {
    const { gl } = this;
    if (gl.isContextLost()) {
      this.frame = f;
      return;
    }
    this.upload(f);
    this.mix(look, meaningOf(f, states));
    const past = this.cells[0] ?? null;
    const old = this.frame;
    const target = this.target(1, f.w, f.h);
    gl.bindFramebuffer(gl.FRAMEBUFFER, target.framebuffer);
    gl.viewport(0, 0, f.w, f.h);
    const p = this.unpack;
    p.use();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.bits);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, past?.cells ?? null);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    gl.uniform1i(p.at("bits"), 0);
    gl.uniform1i(p.at("past"), 1);
    gl.uniform1i(p.at("palette"), 2);
    gl.uniform1i(p.at("sampleBits"), f.sampleBits);
    if (past && old && f.generation >= old.generation && !this.strangers) {
      const unit = 2 ** old.scale;
      gl.uniform3f(p.at("toPast"), 2 ** (f.scale - old.scale), (f.x - old.x) / unit, (f.y - old.y) / unit);
      gl.uniform2i(p.at("pastSize"), old.w, old.h);
      gl.uniform1ui(p.at("elapsed"), Number(min(f.generation - old.generation, 48n)));
    } else {
      gl.uniform3f(p.at("toPast"), 1, 0, 0);
      gl.uniform2i(p.at("pastSize"), 0, 0);
      gl.uniform1ui(p.at("elapsed"), 0);
    }
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    this.strangers = false;
    this.cells.reverse();
    this.frame = f;
  }

  /** Draws what the camera sees. */
  paint(camera: Camera, look: Look, universe: Rect | null): void {
    const { gl } = this;
    if (gl.isContextLost()) return;
    const { width, height } = camera;
    const view = camera.visible();
    let { zoom } = camera.now;
    const f = this.frame;
    const unit = f ? 2 ** f.scale : 1;
    const side = Math.round(zoom * unit); // pixels of a sample
    const whole = !universe || (universe.w % unit === 0 && universe.h % unit === 0); // no sample reaches beyond the universe
    if (camera.lattice || camera.angle) return this.paintLattice(camera, look, universe);
    const near = f && side > 0 && Math.abs(zoom * unit - side) < nearly && (side === 1 || whole);
    if (near) {
      // Samples begin where pixels of the screen do. The first in view begin at its edges or a little before.
      const [x, y] = [Math.round((f.x - view.x) * zoom), Math.round((f.y - view.y) * zoom)];
      const [i, j] = [Math.floor(-x / side), Math.floor(-y / side)];
      const most = (pixels: number) => Math.ceil((pixels - 1) / side) + 1;
      this.place({ columns: most(width), rows: most(height), left: x + i * side, top: y + j * side, side }, camera);
      [view.x, view.y] = [f.x + i * unit, f.y + j * unit];
      zoom = 1 / unit;
    } else this.place({ columns: width, rows: height, left: 0, top: 0, side: 1 }, camera);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...look.beyond, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const edges: Edges | null = universe && [
      (universe.x - view.x) * zoom,
      (universe.y - view.y) * zoom,
      (universe.x + universe.w - view.x) * zoom,
      (universe.y + universe.h - view.y) * zoom,
    ];
    if (edges && !this.cut(edges)) return; // beyond the universe there is nothing to draw
    if (near) this.drawNear(f, (f.x - view.x) * zoom, (f.y - view.y) * zoom, look, edges);
    else this.resample(view, zoom, look, universe);
    gl.disable(gl.SCISSOR_TEST);
  }

  /** Draws hexagons or triangles. */
  private paintLattice(camera: Camera, look: Look, universe: Rect | null): void {
    const { gl, frame: f, lattice: p } = this;
    const { width, height, now, shear, tall, lattice } = camera;
    this.place({ columns: width, rows: height, left: 0, top: 0, side: 1 }, camera);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    p.use();
    const unit = f ? 2 ** f.scale : 1;
    const kind = unit > 1 || !lattice ? 0 : lattice === "hex" ? 1 : 2;
    const [left, top] = camera.cellAt(0, 0);
    const strength = kind && look.grid ? 0.25 * Math.min(Math.max((now.zoom - 5) / 8, 0), 1) : 0;
    gl.uniform1i(p.at("kind"), kind);
    gl.uniform2f(p.at("lean"), shear, tall);
    gl.uniform2f(p.at("turn"), ...camera.turn);
    gl.uniform1f(p.at("odd"), f ? Math.abs(f.x + f.y) % 2 : 0);
    gl.uniform4f(p.at("line"), ...mix(look.paper, look.ink, 0.5), strength);
    this.shade(p, left, top, now.zoom, look, universe);
  }

  /** Copies what was drawn, in all its pixels. */
  copy(to: CanvasRenderingContext2D): void {
    const { columns, rows, left, top, side } = this.placed;
    to.imageSmoothingEnabled = false;
    to.drawImage(this.canvas, left, top, columns * side, rows * side);
  }

  /** Gives the canvas a size, and its place on the screen. */
  private place(p: Placed, camera: Camera): void {
    const { canvas } = this;
    if (canvas.width !== p.columns || canvas.height !== p.rows) [canvas.width, canvas.height] = [p.columns, p.rows];
    if (JSON.stringify(p) === JSON.stringify(this.placed)) return;
    this.placed = p;
    const pixel = canvas.parentElement!.clientWidth / camera.width; // in CSS pixels
    // The size in CSS pixels is whole and the rest a transform, which alone is exact.
    Object.assign(
      canvas.style,
      p.side === 1
        ? { width: "", height: "", transform: "", imageRendering: "" }
        : {
            width: `${p.columns}px`,
            height: `${p.rows}px`,
            transform: `translate(${p.left * pixel}px, ${p.top * pixel}px) scale(${p.side * pixel})`,
            imageRendering: "pixelated",
          },
    );
  }

  /** Has only pixels be drawn that are between edges; false: there are none. */
  private cut([left, top, right, bottom]: Edges): boolean {
    const { gl } = this;
    const { width, height } = this.canvas;
    const [x0, x1] = [Math.max(Math.floor(left + nearly), 0), Math.min(Math.ceil(right - nearly), width)];
    const [y0, y1] = [Math.max(Math.floor(top + nearly), 0), Math.min(Math.ceil(bottom - nearly), height)];
    if (x0 >= x1 || y0 >= y1) return false;
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(x0, height - y1, x1 - x0, y1 - y0);
    return true;
  }

  /** Draws a frame whose samples are pixels. */
  private drawNear(f: Frame, left: number, top: number, look: Look, edges: Edges | null): void {
    const { gl, near: p } = this;
    gl.clearColor(...look.paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const [right, bottom] = [left + f.w, top + f.h];
    // Samples may reach beyond the universe.
    if (!this.cut([left, top, Math.min(right, edges?.[2] ?? right), Math.min(bottom, edges?.[3] ?? bottom)])) return;
    p.use();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.cells[0]?.picture ?? null);
    gl.uniform1i(p.at("picture"), 0);
    gl.uniform2f(p.at("origin"), -left, this.canvas.height - top);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /** Draws the frame at any scale. */
  private resample(view: Rect, zoom: number, look: Look, universe: Rect | null): void {
    this.draw.use();
    this.shade(this.draw, view.x, view.y, zoom, look, universe);
  }

  /** Draws the frame by a program, from a point in the canvas' top left corner on. */
  private shade(p: Program, left: number, top: number, zoom: number, look: Look, universe: Rect | null): void {
    const { gl, frame: f } = this;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.cells[0]?.picture ?? null);
    gl.uniform1i(p.at("picture"), 0);
    const unit = f ? 2 ** f.scale : 1;
    const [x, y] = f ? [f.x, f.y] : [left, top];
    gl.uniform2f(p.at("size"), f?.w ?? 0, f?.h ?? 0);
    gl.uniform2f(p.at("origin"), (left - x) / unit, (top - y) / unit);
    gl.uniform1f(p.at("pace"), 1 / (zoom * unit));
    gl.uniform1f(p.at("height"), this.canvas.height);
    const far = 1e30;
    const edges: [number, number, number, number] = universe
      ? [(universe.x - x) / unit, (universe.y - y) / unit, (universe.x + universe.w - x) / unit, (universe.y + universe.h - y) / unit]
      : [-far, -far, far, far];
    gl.uniform4f(p.at("universe"), ...edges);
    gl.uniform3f(p.at("paper"), ...look.paper);
    gl.uniform3f(p.at("beyond"), ...look.beyond);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  private upload(f: Frame): void {
    const { gl } = this;
    const shape = `${f.words},${f.h}`;
    gl.activeTexture(gl.TEXTURE0);
    if (shape !== this.bitsShape) {
      gl.deleteTexture(this.bits);
      this.bits = this.texture(gl.R32UI, gl.NEAREST, f.words, f.h);
      this.bitsShape = shape;
    }
    gl.bindTexture(gl.TEXTURE_2D, this.bits);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, f.words, f.h, gl.RED_INTEGER, gl.UNSIGNED_INT, f.bits);
  }

  /** Makes the colours of values and ages, where they are not those made before. */
  private mix(look: Look, states: number): void {
    const wanted = JSON.stringify([look, states]);
    if (wanted === this.coloured) return;
    this.coloured = wanted;
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE2);
    this.palette ??= this.texture(gl.RGBA8, gl.NEAREST, 256, 256);
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 256, 256, gl.RGBA, gl.UNSIGNED_BYTE, palette(look, states));
  }

  /** A texture, bound to the active unit. */
  private texture(format: number, filter: number, w: number, h: number): WebGLTexture {
    const { gl } = this;
    const t = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, t);
    gl.texStorage2D(gl.TEXTURE_2D, 1, format, w, h);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    return t;
  }

  /** The target to which samples are written. If its size does not fit, it is replaced. */
  private target(i: number, w: number, h: number): Target {
    const { gl } = this;
    const held = this.cells[i];
    if (held && held.w === w && held.h === h) return held;
    if (held) {
      gl.deleteTexture(held.cells);
      gl.deleteTexture(held.picture);
      gl.deleteFramebuffer(held.framebuffer);
    }
    const framebuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.activeTexture(gl.TEXTURE0);
    const cells = this.texture(gl.RG8UI, gl.NEAREST, w, h);
    const picture = this.texture(gl.RGBA8, gl.LINEAR, w, h);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, cells, 0);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT1, gl.TEXTURE_2D, picture, 0);
    gl.drawBuffers([gl.COLOR_ATTACHMENT0, gl.COLOR_ATTACHMENT1]);
    return (this.cells[i] = { cells, picture, framebuffer, w, h });
  }
}

/** Left, top, right and bottom, in pixels of the canvas. */
type Edges = [number, number, number, number];

/** Where the canvas is, in pixels of the screen: its size in its own pixels, each of which has a side of so many. */
interface Placed {
  columns: number;
  rows: number;
  left: number;
  top: number;
  side: number;
}

const nearly = 1e-3; // of a pixel: what is so close to a whole one is one

interface Target {
  cells: WebGLTexture;
  picture: WebGLTexture;
  framebuffer: WebGLFramebuffer;
  w: number;
  h: number;
}

/** A fragment shader over the whole target, and where its uniforms are. */
class Program {
  private program: WebGLProgram;
  private places = new Map<string, WebGLUniformLocation | null>();

  constructor(
    private gl: WebGL2RenderingContext,
    fragment: string,
  ) {
    this.program = gl.createProgram();
    for (const [type, source] of [
      [gl.VERTEX_SHADER, fullScreen],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(type)!;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const logs = (gl.getAttachedShaders(this.program) ?? []).map((s) => gl.getShaderInfoLog(s) ?? "");
      throw new Error(`The graphics card refuses a shader: ${logs.join(" ")} ${gl.getProgramInfoLog(this.program) ?? ""}`);
    }
  }

  use(): void {
    this.gl.useProgram(this.program);
  }

  at(name: string): WebGLUniformLocation | null {
    if (!this.places.has(name)) this.places.set(name, this.gl.getUniformLocation(this.program, name));
    return this.places.get(name)!;
  }
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The best screen for a canvas. restored is told of the frame that was on display when the graphics card came back. */
export function screenOn(canvas: HTMLCanvasElement, restored: (f: Frame) => void): Screen {
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false, powerPreference: "low-power" });
  return gl ? new Renderer(canvas, gl, restored) : new Plain(canvas);
}
