/** Requests that resemble what a profile lets through, and that it must not let through. */
import type { GuardRequest } from '../../engine/index.ts';

export interface NearMiss {
  readonly description: string;
  readonly request: Pick<GuardRequest, 'target'> & Partial<GuardRequest>;
}

const upwards = '../'.repeat(12);

/**
 * Returns the near misses of a target that a profile lets through below a base path. A request for `/.env` stays blocked
 * by any of them; one for another place or host has the verdict that it has without the profile.
 * @param target below the base path
 */
export function nearMissesOf(
  target: string,
  basePath: string,
  host: string,
): { climbs: NearMiss[]; elsewhere: NearMiss[] } {
  const base = basePath.replace(/\/$/, '');
  const folder = target.replace(/[?].*$/, '').replace(/[^/]*$/, '');
  const climb = (description: string, step: string): NearMiss => ({
    description,
    request: { target: `${base}${folder}${upwards.replaceAll('../', step)}.env`, host },
  });
  const get = (description: string, request: Partial<GuardRequest>): NearMiss => ({
    description,
    request: { target: `${base}${target}`, host, ...request },
  });
  return {
    climbs: [
      climb('steps up to a file at the root', '../'),
      climb('encoded steps up', '%2e%2e/'),
      climb('steps up with a path parameter', '..;/'),
      climb('steps up with encoded backslashes', '..%5c'),
      get('another file in X-Original-URL', { headers: [['X-Original-URL', '/.env']] }),
      get('the file in the query of another page', { target: `/about?file=${base}${folder}.env` }),
    ],
    elsewhere: [
      get('the same path on another host', { host: 'other.test' }),
      { description: 'the same path without a host', request: { target: `${base}${target}` } },
      get('the same path below another folder', { target: `/else/where${base}${target}` }),
      get('the same path behind the script of another folder', { target: `/else/index.php${base}${target}` }),
    ],
  };
}
