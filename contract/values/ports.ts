/** A range of ports, such as `40000-40099`. */
export interface Ports {
  readonly first: number;
  readonly last: number;
}

const form = /^([1-9]\d{0,4})-([1-9]\d{0,4})$/;
const largestPort = 65_535;

export function parsePorts(text: string): Ports | undefined {
  const [, first, last] = form.exec(text)?.map(Number) ?? [];
  if (first === undefined || last === undefined || first > last || last > largestPort) return undefined;
  return { first, last };
}
