import assert from "node:assert/strict";
import { test } from "node:test";
import { decades, linear, logarithmic } from "../axis";
import { found } from "../combo";
import { densities } from "../look";
import { generationOf } from "../numbers";
import { pictureOf, rle, runsOf, type Runs } from "../picture";

test("axes go from end to end, and back", () => {
  for (const axis of [linear(10, 1010), logarithmic(10, 1010, 1), logarithmic(10, 1010, 1e-6)]) {
    assert.equal(axis.share(10), 0);
    assert.ok(Math.abs(axis.share(1010) - 1) < 1e-12);
    for (const share of [0, 0.1, 0.5, 0.99, 1]) assert.ok(Math.abs(axis.share(axis.at(share)) - share) < 1e-9);
  }
  assert.ok(Math.abs(logarithmic(0, 1e6, 1).share(1e3) - 0.5) < 0.001, "half of the decades in half of the width");
  assert.equal(linear(5, 5).share(5), 0);
  assert.equal(logarithmic(5, 5, 1).share(5), 0);
  assert.deepEqual(decades(100, 5100, 1), [110, 200, 1100]);
});

test("generations are read as people write them", () => {
  const cases = [["1000", "1000"], ["1 000\u2009000", "1000000"], ["12,345", "12345"], ["1e6", "1000000"], ["25E2", "2500"], ["+50", "57"], ["+1e2", "107"], ["9e18", "9000000000000000000"]];
  for (const [text, want] of cases) assert.equal(generationOf(text!, "7"), want, text);
  for (const text of ["", "x", "-1", "1.5", "1e", "1e19", "1e99", "9223372036854775808", "++1"]) assert.equal(generationOf(text, "7"), null, text);
});

test("a library is searched by all words, and beginnings come first", () => {
  const of = {
    all: () => ["Simkin glider gun", "glider", "gun of period 24", "lightweight spaceship"],
    name: (s: string) => s,
    words: (s: string) => (s === "glider" ? "glider spaceship c/4" : s),
  };
  assert.deepEqual(found(of, "gun"), ["gun of period 24", "Simkin glider gun"]);
  assert.deepEqual(found(of, "  GLIDER  gun"), ["Simkin glider gun"]);
  assert.deepEqual(found(of, "spaceship"), ["glider", "lightweight spaceship"]);
  assert.deepEqual(found(of, "period 3"), []);
  assert.equal(found(of, " ").length, 4);
});

/** The live cells of runs, sorted. */
function cellsOf(runs: Runs | null): string[] {
  const cells: string[] = [];
  runs?.((x, y, n, state) => {
    for (let i = 0; i < n; i++) cells.push(`${x + i},${y}:${state}`);
  });
  return cells.sort();
}

test("texts of patterns have the cells of their format", () => {
  const glider = ["0,2:1", "1,0:1", "1,2:1", "2,1:1", "2,2:1"];
  for (const [name, text] of [
    ["glider.rle", "#N Glider\n#C x = 3\nx = 3, y = 3, rule = B3/S23\nbo$2bo$\n3o!\no$o"],
    ["glider.RLE", "bob$2bo$3o"],
    ["glider.cells", "!Name: Glider\n!\n.O.\n..O\nOOO\n"],
    ["glider.lif", "#Life 1.05\n#D x\n#P 0 0\n.*\n#P 0 1\n..*\n***"],
    ["glider.life", "#Life 1.06\n1 0\n2 1\n0 2\n1 2\n2 2\n"],
  ] as const)
    assert.deepEqual(cellsOf(runsOf(text, name)), glider, name);
  assert.deepEqual(cellsOf(rle("A.2BX$$pA2yO!")), ["0,0:1", "0,2:25", "1,2:255", "2,0:2", "2,2:255", "3,0:2", "4,0:24"]);
  assert.deepEqual(cellsOf(rle("3\no2\n$o!")), ["0,0:1", "0,2:1", "1,0:1", "2,0:1"], "a line may end in a number");
  assert.deepEqual(cellsOf(rle("#Life 1.05\n")), []);
  assert.deepEqual(cellsOf(runsOf("#Life 1.05\n#P -2 -1\n*", "x.lif")), ["-2,-1:1"]);
  assert.equal(runsOf("[M2] (golly)", "x.mc"), null);
});

test("a picture has the whole pattern in its middle, as large as fits", () => {
  const glider = pictureOf(rle("bo$2bo$3o!"), 27)!; // three pixels a cell, as a span of nine cells fits
  assert.equal(glider.states, 2);
  for (let y = 0; y < 27; y++)
    for (let x = 0; x < 27; x++) {
      const [column, row] = [Math.floor((x - 9) / 3), Math.floor((y - 9) / 3)];
      const live = [".O.", "..O", "OOO"][row]?.[column] === "O";
      assert.equal(glider.samples[27 * y + x], live ? 1 : 0, `${x}, ${y}`);
    }
  assert.equal(pictureOf(rle("5b$!"), 27), null);
  assert.equal(pictureOf(rle("ABC!"), 27)!.states, 4);
});

test("a picture of a pattern larger than itself counts cells", () => {
  const full = pictureOf(rle("100o$".repeat(98)), 10)!;
  assert.equal(full.states, densities);
  assert.ok(full.samples.slice(44, 46).every((d) => d === 15));
  assert.equal(full.samples[0], 4, "a corner has 6 by 5 live cells of 11 by 11");
  const far = pictureOf(rle("o999999999bo!"), 88)!;
  assert.deepEqual([...far.samples].filter(Boolean), [1, 1], "a lone cell is seen");
  const line = pictureOf(rle("1000000000o!"), 88)!;
  assert.equal([...line.samples].filter(Boolean).length, 88);
});
