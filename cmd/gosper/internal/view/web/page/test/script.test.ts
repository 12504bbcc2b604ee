import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readScript } from "../script";

test("commands of a pattern's comments are read", () => {
  const script = readScript(`#N two gliders
#C [[ AUTOSTART GPS 12.5 STEP 4 ZOOM -4 ]] and words that are none: STOP 7
#C [[ X -3 y 1/4 THEME 3 STARS loop 120 STOP 100
#C LABEL 10 -4 8 "a glider\\nthat flies" LABEL 1 2 ]]
x = 3, y = 3, rule = B3/S23
bob$2bo$3o! [[ TRACK 1/4 -0.5 GRID ]]`);
  assert.deepEqual(script, {
    autostart: true, grid: true, gps: 12.5, step: 4, zoom: 0.25, x: -3, y: 0.25, loop: 120, stop: 100, track: [0.25, -0.5],
    labels: [{ x: 10, y: -4, zoom: 8, text: "a glider\nthat flies" }], ignored: [],
  });
});

test("the last command of a kind counts, and those of the page's author are the last", () => {
  const script = readScript("#C [[ GPS 5 ZOOM 8 ]]", "GPS 9 TRACKLOOP 4 1/4 1/4");
  assert.equal(script.gps, 9);
  assert.equal(script.zoom, 8);
  assert.equal(script.loop, 4);
  assert.deepEqual(script.track, [0.25, 0.25]);
});

test("commands without sense are passed over", () => {
  const script = readScript(`#C [[ GPS -1 STEP 0 STOP 1.5 LOOP x ZOOM 0 X Y 1 TRACK 1 LABEL 1 2 3 words NOSUCH 3 ]] [[AUTOSTART]]`);
  assert.deepEqual(JSON.parse(JSON.stringify(script)), { autostart: false, grid: false, y: 1, labels: [], ignored: [] });
  assert.equal(readScript("[[ " + 'LABEL 1 1 1 "x" '.repeat(500) + "]]").labels.length, 100);
});

test("what follows waypoints and points of interest is not half applied", () => {
  const script = readScript("#C [[ ZOOM 12 THEME 6 ]]\n#C [[ T 100 X 5 Y 5 ZOOM 0.25 GPS 3 ]]\n#C [[ POI X 5 Y 5 ZOOM 20 ]]\n#C [[ POI X 0 Y 0 AUTOSTART ]]\n");
  assert.deepEqual(script, { autostart: true, grid: false, zoom: 12, labels: [], ignored: ["T", "POI"] });
  assert.equal(readScript("#C [[ T 10 ZOOM 3 ]]", "ZOOM 5").zoom, 5, "the page's author speaks of the beginning");
  assert.deepEqual(readScript("#C [[ TRACKLOOP 4 fast ]]"), { autostart: false, grid: false, labels: [], ignored: [] });
});

// How LifeViewer reads them: its parser, js/parser.js at github.com/rowett/lifeviewer. T and POI begin a waypoint, which the words about the camera
// and the speed belong to. STOP and LOOP set those of the beginning, unless the waypoint is a POI. There is one TRACK of a script.
test("words after waypoints that LifeViewer takes for the whole script are taken for it", () => {
  const plain = { autostart: false, grid: false, labels: [] };
  assert.deepEqual(readScript("[[ T 10 ZOOM 3 STOP 20 LOOP 30 TRACK 1/2 0 ]]"), { ...plain, stop: 20, loop: 30, track: [0.5, 0], ignored: ["T"] });
  assert.deepEqual(readScript("[[ POI X 3 STOP 20 LOOP 30 TRACK 1/2 0 ]]"), { ...plain, track: [0.5, 0], ignored: ["POI"] });
  assert.deepEqual(readScript("[[ POI X 3 STOP 20 ]] [[ T 5 STOP 7 X 4 ]]"), { ...plain, stop: 7, ignored: ["POI", "T"] });
  assert.deepEqual(readScript("[[ LOOP 9 ]] [[ POI STEP 3 TRACKLOOP 4 1 0 ]]"), { ...plain, loop: 4, track: [1, 0], ignored: ["POI"] });
});

// testdata/lifeviewer-waypoints.rle was written for this project: a glider that begins at zoom 12, and moves about later.
test("a pattern with waypoints begins where its script begins", () => {
  const script = readScript(readFileSync("page/test/testdata/lifeviewer-waypoints.rle", "utf8"));
  assert.deepEqual(script, { autostart: false, grid: false, zoom: 12, labels: [], ignored: ["T", "POI"] });
});
