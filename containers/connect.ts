import { existsSync, readFileSync } from 'node:fs';
import { ExternalError } from '../platform/errors.ts';
import { runtimeBounds } from './bounds.ts';
import type { Containers } from './containers.ts';
import { addressText } from './endpoint.ts';
import { type Endpoint, type Files, locate, searchedPlaces } from './locate.ts';

type Environment = Readonly<Record<string, string | undefined>>;
export type Open = (endpoint: Endpoint, signal: AbortSignal) => Promise<Containers>;

export const diskFiles: Files = {
  exists: existsSync,
  read: (path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
};

const installHint =
  'install Docker or Podman and start it, or set DOCKER_HOST (Debian: apt-get install docker.io; npm run demo does it in a clone)';

function absentError(tried: readonly string[], hint: string): ExternalError {
  return new ExternalError('no container runtime responds', {
    code: 'no_runtime',
    hint,
    failed: { tool: 'container runtime', output: tried.join('\n') },
  });
}

function reasonText({ address, origin }: Endpoint, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const text = addressText(address);
  return `${text}${origin === text || text.endsWith(origin) ? '' : ` (${origin})`}: ${message || code}`;
}

/**
 * Returns the first container runtime that responds.
 * @param signal ends the search. Absent: only the time limit of each endpoint does
 * @throws ExternalError that lists the tried endpoints
 */
export async function connect(env: Environment, files: Files, open: Open, signal?: AbortSignal): Promise<Containers> {
  const located = locate(env, files);
  if (!located.ok) throw absentError([located.message], 'correct it, or unset it');
  const tried: string[] = [];
  for (const endpoint of located.endpoints) {
    try {
      const late = AbortSignal.timeout(runtimeBounds.firstMs);
      return await open(endpoint, signal ? AbortSignal.any([signal, late]) : late);
    } catch (error) {
      tried.push(reasonText(endpoint, error));
    }
  }
  if (tried.length > 0)
    throw absentError(tried, 'start it, check that you may use it (group docker), or set DOCKER_HOST');
  throw absentError(
    searchedPlaces(env).map((place) => `${place}: not found`),
    installHint,
  );
}
