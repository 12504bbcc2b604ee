// Zip archives, and the rule files in them.

import { through } from "./permalink";

/** A file of an archive. */
export interface Member {
  name: string; // with its folders
  data: Uint8Array<ArrayBuffer>;
}

const most = 2 ** 26; // bytes of an archive's files, altogether

/**
 * The files of a zip archive, without what the archiver of macOS adds. Throws if it is none, or too large.
 *
 * Format: APPNOTE.TXT 6.3.10, 4.3.7, 4.3.12, 4.3.16.
 */
export async function unzip(archive: Uint8Array<ArrayBuffer>): Promise<Member[]> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const long = (at: number) => view.getUint32(at, true);
  const short = (at: number) => view.getUint16(at, true);
  let end = archive.length - 22;
  while (long(end) !== 0x06054b50) end--;
  const members: Member[] = [];
  let total = 0;
  for (let at = long(end + 16), n = short(end + 10); n > 0; n--) {
    if (long(at) !== 0x02014b50 || (total += long(at + 24)) > most) throw new Error();
    const name = new TextDecoder().decode(archive.subarray(at + 46, at + 46 + short(at + 28)));
    const local = long(at + 42);
    const from = local + 30 + short(local + 26) + short(local + 28);
    const data = archive.slice(from, from + long(at + 20));
    const method = short(at + 10);
    if (method !== 0 && method !== 8) throw new Error();
    if (!/^__MACOSX\/|\/$/.test(name)) members.push({ name, data: method ? await through(data, new DecompressionStream("deflate-raw")) : data });
    at += 46 + short(at + 28) + short(at + 30) + short(at + 32);
  }
  return members;
}

/** The text of a rule file as one of Golly's .rule files; empty if it is none. Tables and trees that are files of their own have their names outside. */
export function ruleText(path: string, data: Uint8Array): string {
  const [, name, suffix] = /([^/]*)\.(rule|table|tree)$/.exec(path) ?? [];
  if (!suffix) return "";
  const text = new TextDecoder().decode(data);
  return suffix === "rule" ? text : `@RULE ${name}\n@${suffix.toUpperCase()}\n${text}`;
}
