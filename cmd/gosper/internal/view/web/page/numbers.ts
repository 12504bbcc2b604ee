// Numbers as people read them.

/** 1234567 → 1,234,567 with thin spaces in place of commas. */
export function grouped(n: string | number | bigint): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

/** The generation that people mean by "1000", "1 000 000", "1e6" or, from the present one on, "+50"; null: by anything else. */
export function generationOf(text: string, now: string): string | null {
  const [, plus, digits, zeros] = /^(\+?)(\d+)(?:e(\d\d?))?$/i.exec(text.replace(/[\s,']/g, "")) ?? [];
  if (digits === undefined) return null;
  const n = BigInt(digits) * 10n ** BigInt(zeros ?? 0);
  const all = plus ? BigInt(now) + n : n;
  return all < 2n ** 63n ? String(all) : null;
}

const prefixes = ["", "k", "M", "G", "T", "P", "E"];

/** Three digits and a prefix: 2.45 G. */
export function short(n: number): string {
  if (!isFinite(n)) return "–";
  let i = 0;
  while (n >= 999.5 && i < prefixes.length - 1) {
    n /= 1000;
    i++;
  }
  const digits = i === 0 && Number.isInteger(n) ? 0 : n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2;
  return n.toFixed(digits) + (prefixes[i] ? "\u2009" + prefixes[i] : "");
}

/** 150 seconds → 3 min. */
export function lasting(seconds: number): string {
  const units = ["s", "min", "h", "days"];
  const sizes = [60, 60, 24];
  let i = 0;
  while (i < sizes.length && seconds > 1.5 * sizes[i]!) seconds /= sizes[i++]!;
  return Math.ceil(seconds) + "\u2009" + units[i];
}

/** 1,048,576 bytes → 1.0 MiB. */
export function bytes(n: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) {
    n /= 1024;
    i++;
  }
  return (i === 0 ? String(n) : n.toFixed(1)) + "\u2009" + units[i];
}
