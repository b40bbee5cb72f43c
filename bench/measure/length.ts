/**
 * The length of measurements. A run of all benchmarks is brief: it prints every row with its floor, from fewer rounds. A
 * row that misses its floor is measured again by the name of its benchmark, with all rounds.
 */
let isBrief = false;

export function measureBriefly(): void {
  isBrief = true;
}

/** Returns a number of rounds, seconds or milliseconds. @param brief that of a run of all benchmarks */
export const byLength = (whole: number, brief: number): number => (isBrief ? brief : whole);
