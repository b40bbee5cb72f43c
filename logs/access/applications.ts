/** Recognizes applications that people host themselves by their requests in a log, for which policies have profiles. */
import { applications } from '../../contract/policy/applications.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { hostPattern } from '../../contract/schema/fields.ts';
import { isSuccess, type LoggedRequest } from './request.ts';

/** An application of a log, as `applications` of a policy names it. */
export interface FoundApplication {
  readonly name: string;
  readonly product: string;
  /** Null when the log records no host. */
  readonly host: string | null;
  /** Absent at the base path that the profile assumes. */
  readonly basePath?: string;
}

interface Mark {
  /** Start of the target, with the base path. */
  readonly start: string;
  /** Index of the application in the table. */
  readonly application: number;
  readonly basePath: string;
  readonly bit: number;
}

interface Marks {
  /** By the first segment of the target. */
  readonly bySegment: ReadonlyMap<string, readonly Mark[]>;
  /** For each application, the bits of the marks that no other one has. */
  readonly own: readonly number[];
}

const segmentOf = (target: string): string => target.slice(1, Math.max(1, target.indexOf('/', 1)));

function marksOf(): Marks {
  const uses = Map.groupBy(
    applications.flatMap(({ marks }) => marks),
    (mark) => mark,
  );
  const all = applications.flatMap(({ marks, basePaths }, application) =>
    basePaths.flatMap((basePath) =>
      marks.map((mark, index) => ({
        start: basePath.replace(/\/$/, '') + mark,
        application,
        basePath,
        bit: 1 << index,
      })),
    ),
  );
  return {
    bySegment: Map.groupBy(all, ({ start }) => segmentOf(start)),
    own: applications.map(({ marks }) =>
      marks.reduce((bits, mark, index) => (uses.get(mark)?.length === 1 ? bits | (1 << index) : bits), 0),
    ),
  };
}

/** Hosts and base paths with a request that an application may have. */
const mostMarks = 2000;
const longestHost = 253; // RFC 1035 2.3.4, as text

let table: Marks | undefined;

const hasTwo = (bits: number): boolean => (bits & (bits - 1)) !== 0;

/** Returns the entry of `applications` in a policy. */
export const entryOf = ({ name, host, basePath }: FoundApplication) => ({
  name,
  ...(host !== null && { hosts: [host] }),
  ...(basePath !== undefined && { basePath }),
});

export class ApplicationMarks {
  /** The marks that were seen, by host, application and base path. */
  readonly #seen = new Map<string, { readonly found: FoundApplication; readonly application: number; bits: number }>();

  /** Requests that failed do not count: a scanner asks for the pages of many applications. */
  add({ target, host, status }: LoggedRequest): void {
    if (!isSuccess(status)) return;
    table ??= marksOf();
    for (const { start, application, basePath, bit } of table.bySegment.get(segmentOf(target)) ?? [])
      if (target.startsWith(start)) this.#see(host ?? null, application, basePath, bit);
  }

  /** A host that is not a host name was chosen by a client, and takes no place in the table. */
  #see(host: string | null, application: number, basePath: string, bit: number): void {
    if (host !== null && (host.length > longestHost || !hostPattern.test(host))) return;
    const key = `${application} ${basePath} ${host ?? ''}`;
    const known = this.#seen.get(key);
    if (known) known.bits |= bit;
    else if (this.#seen.size < mostMarks) {
      const row = applications[application] as (typeof applications)[number];
      const place = basePath === row.basePaths[0] ? {} : { basePath };
      // A copy, because a part of a line would keep the whole chunk of the log in memory.
      const own = host === null ? null : Buffer.from(host, 'latin1').toString('latin1');
      const found = { name: row.name, product: row.product, host: own, ...place };
      this.#seen.set(`${application} ${basePath} ${own ?? ''}`, { found, application, bits: bit });
    }
  }

  /** Returns the applications with two marks in the log, of which one belongs to no other application. */
  without({ applications: known }: Pick<Policy, 'applications'>): FoundApplication[] {
    return [...this.#seen.values()]
      .filter(({ bits, application }) => hasTwo(bits) && (bits & (table?.own[application] ?? 0)) !== 0)
      .map(({ found }) => found)
      .filter(({ name }) => !known.some((one) => one.name === name));
  }
}
