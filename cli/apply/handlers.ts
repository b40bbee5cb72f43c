/** Finds the guard handlers in a Caddy configuration. */
import { isFields } from '../../contract/schema/problem.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type Step = string | number;

export interface Handler {
  /** Path below `/config`. */
  readonly path: readonly Step[];
  readonly server: string;
  /** Index in the `routes` of the server. Undefined outside of them, such as in error routes. */
  readonly route: number | undefined;
  /** Each `@id` of the handler and of the objects around it, outermost first. */
  readonly ids: readonly string[];
  readonly value: Fields;
}

/** Selects guard handlers. An absent criterion matches every handler. */
export interface Choice {
  readonly server?: string;
  readonly route?: number;
  readonly id?: string;
  /** The path of one handler, as `pathText` writes it. */
  readonly handler?: string;
}

const serversPath = ['apps', 'http', 'servers'] as const;

export const pathText = (path: readonly Step[]): string =>
  `/config${path.map((step) => `/${encodeURIComponent(step)}`).join('')}`;

export function valueAt(value: unknown, path: readonly Step[]): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<Step, unknown> | undefined)?.[step], value);
}

function* walkHandlers(
  value: unknown,
  path: readonly Step[],
  ids: readonly string[],
): Generator<Pick<Handler, 'path' | 'ids' | 'value'>> {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) yield* walkHandlers(one, [...path, index], ids);
  } else if (isFields(value)) {
    const own = typeof value['@id'] === 'string' ? [...ids, value['@id']] : ids;
    if (value.handler === 'guard') yield { path, ids: own, value };
    else for (const [key, one] of Object.entries(value)) yield* walkHandlers(one, [...path, key], own);
  }
}

/** Returns all guard handlers, including those in subroutes and error routes. */
export function guardHandlers(config: unknown): Handler[] {
  const found = Object.keys((valueAt(config, serversPath) as object | undefined) ?? {});
  return found.flatMap((server) => {
    const start = [...serversPath, server];
    return [...walkHandlers(valueAt(config, start), start, [])].map((one) => {
      const [kind, route] = one.path.slice(start.length);
      return { ...one, server, route: kind === 'routes' && typeof route === 'number' ? route : undefined };
    });
  });
}

export function matchingHandlers(handlers: readonly Handler[], { server, route, id, handler }: Choice): Handler[] {
  return handlers.filter(
    (one) =>
      (server === undefined || one.server === server) &&
      (route === undefined || one.route === route) &&
      (id === undefined || one.ids.includes(id)) &&
      (handler === undefined || pathText(one.path) === handler),
  );
}
