/** Parts of the cost without the thing that grows: the smallest growth that counts, and the error of one cost. */
const [noiseShare, errorShare] = [0.2, 0.05];

/**
 * The exponent with which a cost grows between the two largest sizes: 1 is linear, 2 quadratic. `costs` begins with the
 * cost without the thing, which is subtracted. Undefined when the cost hardly grows.
 */
export function exponentOf(
  [none = Number.NaN, ...costs]: readonly number[],
  sizes: readonly number[],
): number | undefined {
  const [smaller = Number.NaN, larger = Number.NaN] = costs.slice(-2);
  const [fewer = Number.NaN, more = Number.NaN] = sizes.slice(-2);
  if (larger - Math.max(smaller, none) <= noiseShare * none) return undefined;
  const base = Math.max(smaller - none, 0) + errorShare * none;
  return Math.log((larger - none) / base) / Math.log(more / fewer);
}
