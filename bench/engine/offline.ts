/** Measures how many requests a second the TypeScript engine evaluates on one core. */
import { Policy } from '../../contract/policy/schema.ts';
import { compile } from '../../engine/index.ts';
import { median } from '../measure/measure.ts';
import type { Row } from '../measure/row.ts';
import { measureUndisturbed } from '../measure/steal.ts';

const cleanTargets = [
  '/',
  '/index.html',
  '/assets/app.3f2a.css',
  '/api/v1/users/42',
  '/blog/2026/11/a-title-of-five-words',
];
const encodedTargets = ['/caf%C3%A9/menu', '/a%20b/c', '/files/report%2Bfinal.pdf'];
const hostileTargets = [
  '/.env',
  '/static/..%252f.env',
  '/.git/config',
  '/..;/manager/html',
  '/%c0%ae%c0%ae/etc/passwd',
];

/** Returns targets like those of real traffic: 85 % clean, 10 % encoded, 5 % hostile. */
function mixedTargets(count: number): string[] {
  const pick = (list: readonly string[], n: number) => list[n % list.length] ?? '/';
  return Array.from({ length: count }, (_, n) => {
    const kind = n % 20;
    if (kind === 0) return pick(hostileTargets, n / 20);
    if (kind < 3) return pick(encodedTargets, n);
    return `${pick(cleanTargets, n)}?page=${n}`;
  });
}

export async function benchOffline(): Promise<Row[]> {
  const guard = compile(Policy.parse({}));
  const stream = mixedTargets(100_000);
  const perSecond = () => {
    const start = process.hrtime.bigint();
    for (const target of stream) guard.evaluate({ method: 'GET', target, headers: [] });
    return (stream.length * 1e9) / Number(process.hrtime.bigint() - start);
  };
  perSecond();
  const rate = median([
    await measureUndisturbed(perSecond),
    await measureUndisturbed(perSecond),
    await measureUndisturbed(perSecond),
  ]);
  return [
    {
      name: 'offline evaluation',
      measured: `${Math.round(rate)} cases/s`,
      budget: '>= 100000 cases/s',
      holds: rate >= 100_000,
    },
  ];
}
