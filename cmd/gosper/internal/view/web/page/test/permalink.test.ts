import assert from "node:assert/strict";
import { test } from "node:test";
import { longestCells, pack, readPermalink, unpack, writePermalink, type Permalink } from "../permalink";

test("what is written is read", () => {
  const links: Permalink[] = [
    { rule: "B3/S23:T1024,1024", density: 0.5, seed: "18446744073709551615", generation: "500", at: [512, 512.25, 4] },
    { pattern: "gosper-gun", generation: "300" },
    { rule: "B3/S23:T64,64", density: 0.3, seed: "7", start: "gauss~length=8,flip=0.01" },
    { rule: "B3/S23:T64,64", seed: "7", start: "pattern~flip=0.01", rle: "bo$2bo$3o!" },
    { rule: "R2,C2,S2-5,B3-4,NM", seed: "7", size: [256, 100], density: 0 },
    { rule: "B2e3-k/S2&3#%é \"", at: [-1e12, 3, 0.001] },
    { rle: "q1AwVTAAAA-_", at: [0, 0, 16] },
    { rule: "3D4,5/5:T64,48,32", density: 0.2, seed: "7", view: [-30, 25.5, 1.25], colour: "age", slice: "z19", box: "0..63,0..30,0..31" },
    { rle: "#C 100 % #\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!", rule: "B36/S23", generation: "40" },
  ];
  for (const link of links) {
    const read = readPermalink(writePermalink(link))!;
    for (const [name, value] of Object.entries(link)) assert.deepEqual(read[name as keyof Permalink], value, name);
  }
});

test("what is no link is none", () => {
  for (const hash of ["", "#", "#token=abc", "#seed=-1", "#seed=1e5", "#density=2", "#size=5", "#at=1,2", "#at=1,2,0", "#at=a,b,c"]) assert.equal(readPermalink(hash), null, hash);
  assert.equal(readPermalink("#rule=%zz")?.rule, "%zz");
});

test("an older name of cells is read", () => {
  assert.equal(readPermalink("#cells=q1AwVTAAAA&at=0,0,16")?.rle, "q1AwVTAAAA");
});

test("cells come back, packed or as people write them", async () => {
  const rle = "x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!";
  const text = async (packed: string, rule?: string) => new TextDecoder().decode(await unpack(packed, rule));
  const packed = await pack(rle);
  assert.match(packed, /^[\w-]*$/);
  assert.equal(await text(packed), rle);
  assert.equal(await text(rle), rle);
  assert.equal(await text("3o!", "B36/S23"), "#r B36/S23\n3o!");
  await assert.rejects(unpack("AAAA"));
});

test("noise is too long for a link", async () => {
  let noise = "";
  for (let i = 0, v = 1; i < 40_000; i++) noise += (v = (v * 48271) % 2147483647).toString(36);
  assert.ok((await pack(noise)).length > longestCells);
});
