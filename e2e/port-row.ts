/** Ports in a row, as the services of a sandbox of tcp-guard have them. */
import { checkPorts } from '../cli/sandbox/ports.ts';

/** More than any sandbox of a test takes. */
const length = 32;

/** The first of `count` ports that were free a moment ago, below those that the kernel hands out. */
export async function freeRow(): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const row = Array.from({ length }, (_, index) => first + index);
    const isFree = await checkPorts(row).then(
      () => true,
      () => false,
    );
    if (isFree) return first;
  }
}
