import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { ruleText, unzip } from "../archive";

/** A zip archive; names that end with ! are stored as they are. */
function zip(files: [string, string][], comment = ""): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [marked, text] of files) {
    const stored = marked.endsWith("!");
    const name = Buffer.from(marked.replace(/!$/, ""));
    const plain = Buffer.from(text);
    const data = stored ? plain : deflateRawSync(plain);
    const local = Buffer.alloc(30 + name.length + 5); // with an extra field
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    local.writeUInt16LE(5, 28);
    name.copy(local, 30);
    const entry = Buffer.alloc(46 + name.length + 3 + 2);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(stored ? 0 : 8, 10);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt32LE(plain.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(3, 30);
    entry.writeUInt16LE(2, 32);
    entry.writeUInt32LE(at, 42);
    name.copy(entry, 46);
    parts.push(local, data);
    central.push(entry);
    at += local.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...parts, ...central, end, Buffer.from(comment)]));
}

const texts = async (archive: Uint8Array<ArrayBuffer>) => (await unzip(archive)).map((m) => [m.name, new TextDecoder().decode(m.data)]);

test("an archive's files are as they were packed", async () => {
  const long = "o$".repeat(100_000);
  const files: [string, string][] = [["a/glider.rle", "bo$2bo$3o!"], ["stored.txt!", "as it is"], ["empty", ""], ["a/", ""], ["__MACOSX/a/._glider.rle", "x"], ["long.rle", long]];
  const want = [["a/glider.rle", "bo$2bo$3o!"], ["stored.txt", "as it is"], ["empty", ""], ["long.rle", long]];
  assert.deepEqual(await texts(zip(files)), want);
  assert.deepEqual(await texts(zip(files, "a comment after the end")), want);
  assert.deepEqual(await texts(new Uint8Array([0, 0, 0, ...zip(files)]).subarray(3)), want);
  assert.deepEqual(await texts(zip([])), []);
});

test("what is no archive is refused, and what is damaged", async () => {
  await assert.rejects(unzip(new Uint8Array(0)));
  await assert.rejects(unzip(new TextEncoder().encode("PK\x03\x04 and nothing else that belongs to an archive")));
  const good = zip([["glider.rle", "bo$2bo$3o!".repeat(9)]]);
  for (const length of [10, good.length - 23, good.length - 1]) await assert.rejects(unzip(good.slice(0, length)), String(length));
  const huge = good.slice();
  new DataView(huge.buffer).setUint32(huge.length - 22 - 61 + 24, 2 ** 27, true);
  await assert.rejects(unzip(huge));
});

test("rule files say what they are called", () => {
  const text = (path: string, content: string) => ruleText(path, new TextEncoder().encode(content));
  assert.equal(text("rules/Mine.rule", "@RULE Mine\n@TABLE\n"), "@RULE Mine\n@TABLE\n");
  assert.equal(text("rules/Mine.table", "n_states:2\n"), "@RULE Mine\n@TABLE\nn_states:2\n");
  assert.equal(text("Other.tree", "num_states=2\n"), "@RULE Other\n@TREE\nnum_states=2\n");
  assert.equal(text("notes.txt", "@RULE no"), "");
});
