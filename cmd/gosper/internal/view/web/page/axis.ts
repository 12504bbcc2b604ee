// Axes: where a value stands between the ends of an axis, and back.

/** An axis from a value to a larger one. Shares go from 0 to 1. */
export interface Axis {
  share(value: number): number;
  at(share: number): number;
}

export function linear(first: number, last: number): Axis {
  const width = last - first || 1;
  return { share: (value) => (value - first) / width, at: (share) => first + share * width };
}

/** A logarithmic axis that begins at its first value. The distance 0 has no logarithm, so the first unit takes as much as a doubling. */
export function logarithmic(first: number, last: number, unit: number): Axis {
  const whole = Math.log1p((last - first) / unit) || 1;
  return {
    share: (value) => Math.log1p((value - first) / unit) / whole,
    at: (share) => first + unit * Math.expm1(share * whole),
  };
}

/** The powers of ten on a logarithmic axis, above its unit. */
export function decades(first: number, last: number, unit: number): number[] {
  const all: number[] = [];
  for (let d = 10 * unit; d < last - first; d *= 10) all.push(first + d);
  return all;
}
