/** The guard handlers in a configuration of Caddy. */
import { isFields } from '../../contract/schema/problem.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type Step = string | number;

export interface Handler {
  /** Where it stands below `/config`. */
  readonly path: readonly Step[];
  /** Its server, by the name that the configuration has for it. */
  readonly server: string;
  /** Number of its route in the server. */
  readonly route: number | undefined;
  /** The `@id` of the handler or of anything around it. */
  readonly ids: readonly string[];
  /** The handler as it stands, `handler` and `@id` included. */
  readonly value: Fields;
}

/** What narrows the choice; absent: any. */
export interface Choice {
  readonly server?: string;
  readonly route?: number;
  readonly id?: string;
}

const servers = ['apps', 'http', 'servers'] as const;

export const pathText = (path: readonly Step[]): string =>
  `/config${path.map((step) => `/${encodeURIComponent(step)}`).join('')}`;

/** What stands at a path of a value. */
export function valueAt(value: unknown, path: readonly Step[]): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<Step, unknown> | undefined)?.[step], value);
}

function* walk(
  value: unknown,
  path: readonly Step[],
  ids: readonly string[],
): Generator<Pick<Handler, 'path' | 'ids' | 'value'>> {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) yield* walk(one, [...path, index], ids);
  } else if (isFields(value)) {
    const own = typeof value['@id'] === 'string' ? [...ids, value['@id']] : ids;
    if (value.handler === 'guard') yield { path, ids: own, value };
    else for (const [key, one] of Object.entries(value)) yield* walk(one, [...path, key], own);
  }
}

/** All of them, in the order of the configuration; also those inside of subroutes and of the routes of errors. */
export function guardHandlers(config: unknown): Handler[] {
  const found = Object.keys((valueAt(config, servers) as object | undefined) ?? {});
  return found.flatMap((server) => {
    const start = [...servers, server];
    return [...walk(valueAt(config, start), start, [])].map((one) => {
      const [kind, route] = one.path.slice(start.length);
      return { ...one, server, route: kind === 'routes' && typeof route === 'number' ? route : undefined };
    });
  });
}

export function chosen(handlers: readonly Handler[], { server, route, id }: Choice): Handler[] {
  return handlers.filter(
    (one) =>
      (server === undefined || one.server === server) &&
      (route === undefined || one.route === route) &&
      (id === undefined || one.ids.includes(id)),
  );
}
