import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { momentAt, readScript, type Script } from "../script";

const plain = (): Script => ({ autostart: false, autofit: false, grid: false, path: [{ at: 0 }], pois: [], colours: {}, marks: [], pastes: [], ignored: [] });
const mark = { text: "", colour: undefined, alpha: 1, from: 0, to: Infinity };

/** A script as data: values that are not set are not there. */
const read = (text: string, more = "") => readScript(`#C [[ ${text} ]]`, more);

test("commands of a pattern's comments are read", () => {
  const script = readScript(`#N two gliders
#C [[ AUTOSTART GPS 12.5 STEP 4 ZOOM -4 ]] and words that are none: STOP 7
#C [[ X -3 y 1/4 THEME 2 STARS loop 120 STOP 100
#C LABEL 10 -4 8 "a glider\\nthat flies" LABEL 1 2 ]]
x = 3, y = 3, rule = B3/S23
bob$2bo$3o! [[ TRACK 1/4 -0.5 GRID AUTOFIT ]]`);
  assert.deepEqual(script, {
    ...plain(), autostart: true, grid: true, autofit: true, loop: 120, stop: 100, track: [0.25, -0.5],
    path: [{ at: 0, gps: 12.5, step: 4, zoom: 0.25, x: -3, y: 0.25, theme: "fire" }],
    marks: [{ ...mark, kind: "LABEL", points: [10, -4], zoom: 8, text: "a glider\nthat flies" }], ignored: ["STARS", "LABEL"],
  });
});

test("words that make no sense are listed and not applied", () => {
  for (const [text, ignored] of [
    ["GPS -1", "GPS"], ["GPS 61", "GPS"], ["STEP 0", "STEP"], ["STEP 51", "STEP"], ["STOP 1.5", "STOP"], ["LOOP x", "LOOP X"], ["ZOOM 0", "ZOOM"],
    ["X", "X"], ["TRACK 1", "TRACK"], ["TRACKLOOP 4 fast", "TRACKLOOP FAST"], ["LABEL 1 2 3 words", "LABEL WORDS"], ["NOSUCH 3", "NOSUCH"],
    ["THEME 99", "THEME 99"], ["COLOR ALIVE 1 2 256", "COLOR ALIVE"], ["COLOR SKY 1 2 3", "COLOR SKY"], ["ARROW 1 2 3 4", "ARROW"],
    ["POLYGON 0 0 1 1 8", "POLYGON"], ["LINEAR TIME", "LINEAR TIME"], ["PASTE nothing 1 2", "PASTE"], ["PASTET 1.5 PASTE 3o! 1 2", "PASTET PASTE"],
    ["PASTEMODE AND", "PASTEMODE AND"], ["T -1 X 5", "T"], ["POI STOP 20", "STOP"],
  ] as const) {
    const { ignored: got, pois, ...rest } = read(text);
    assert.deepEqual(got.join(" "), ignored, text);
    assert.deepEqual({ ...rest, pois: [], ignored: [] }, plain(), text);
  }
  assert.equal(read('LABEL 1 1 1 "x" '.repeat(500)).marks.length, 100);
});

test("the last command of a kind counts, and those of the page's author are the last and of the beginning", () => {
  const script = readScript("#C [[ GPS 5 ZOOM 8 T 9 ZOOM 3 ]]", "GPS 9 TRACKLOOP 4 1/4 1/4 ZOOM 5");
  assert.deepEqual(script, { ...plain(), path: [{ at: 0, gps: 9, zoom: 5 }, { at: 9, zoom: 3 }], loop: 4, track: [0.25, 0.25] });
});

test("marks, colours and pastes are read", () => {
  assert.deepEqual(
    read("COLOR ALIVE 255 0 16 COLOUR 3 #00FF00 COLOR ARROW 1 2 3 ARROWALPHA 0.5 ARROWT 5 9 ARROW 0 0 4 -4 8 POLYGON 0 0 5 0 0 5 -2 LINE 0 0 1 1 8"),
    {
      ...plain(), colours: { ALIVE: "#ff0010", 3: "#00ff00", ARROW: "#010203" },
      marks: [
        { ...mark, kind: "ARROW", points: [0, 0, 4, -4], zoom: 8, colour: "#010203", alpha: 0.5, from: 5, to: 9 },
        { ...mark, kind: "POLYGON", points: [0, 0, 5, 0, 0, 5], zoom: 0.5, alpha: 0.5, from: 5, to: 9 },
        { ...mark, kind: "LINE", points: [0, 0, 1, 1], zoom: 8, alpha: 0.5, from: 5, to: 9 },
      ],
    },
  );
  assert.deepEqual(read("PASTET 10 20 PASTEMODE XOR PASTE bo$2bo$3o! 5 -5").pastes, [
    { at: 10, rle: "bo$2bo$3o!", x: 5, y: -5, mode: "xor" },
    { at: 20, rle: "bo$2bo$3o!", x: 5, y: -5, mode: "xor" },
  ]);
});

test("the view goes from waypoint to waypoint, smoothly or at an even pace", () => {
  const s = read("ZOOM 4 GPS 5 T 100 X 40 ZOOM 16 ANGLE 90 THEME 2 GPS 20 LINEAR X");
  const at = (time: number) => momentAt(s, time, 3);
  assert.deepEqual(at(0), { at: 0, x: 0, y: 0, zoom: 4, angle: 0, theme: "", gps: 5 });
  assert.equal(at(25).x, 10); // a quarter of the way
  assert.equal(at(25).angle, 90 * (3 / 16 - 2 / 64)); // 3t² - 2t³
  assert.ok(Math.abs(at(50).zoom - 8) < 1e-9); // the mean of 4 and 16 as people see it
  assert.equal(at(99).theme, "");
  assert.equal(at(99).gps, 5);
  for (const time of [100, 1000]) {
    const { x, zoom, angle, theme, gps } = at(time);
    assert.deepEqual([x, zoom, angle, theme, gps], [40, 16, 90, "fire", 20]);
  }
  assert.equal(momentAt(read("T 10 X 5"), 20, 3).zoom, 3, "a script without a zoom shows all of the pattern");
  assert.equal(momentAt(read("TRACK 1/4 0"), 40, 3).x, 10);
});

// testdata/lifeviewer-waypoints.rle was written for this project: a glider that begins at zoom 12, and moves about later.
test("a pattern with waypoints is followed", () => {
  const script = readScript(readFileSync("page/test/testdata/lifeviewer-waypoints.rle", "utf8"));
  assert.deepEqual(script, {
    ...plain(), path: [{ at: 0, zoom: 12, theme: "ocean" }, { at: 100, x: 5, y: 5, zoom: 0.25 }], pois: [{ at: NaN, x: 5, y: 5, zoom: 20 }, { at: NaN, x: 0, y: 0 }],
  });
});
