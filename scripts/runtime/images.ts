/** Images in the container runtime of the set-up: checks for one, pulls one, or imports a root file system. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Endpoint } from '../../cli/sandbox/locate.ts';
import { ask, type EngineRequest } from './connection.ts';

type Create = Pick<EngineRequest, 'body' | 'signal'>;

function nameAndTag(reference: string): [string, string] {
  const colon = reference.lastIndexOf(':');
  return [reference.slice(0, colon), reference.slice(colon + 1)];
}

export async function hasImage(runtime: Endpoint, reference: string, signal: AbortSignal): Promise<boolean> {
  const path = `/images/${encodeURIComponent(reference)}/json`;
  return ask(runtime, { method: 'GET', path, signal }).then(
    (response) => Boolean(response.resume()),
    () => false,
  );
}

/** The container runtime responds with 200 before it knows the outcome, so each line may contain the error. */
async function create(
  runtime: Endpoint,
  query: Record<string, string>,
  options: Create,
  onLine: () => void,
): Promise<void> {
  const path = `/images/create?${new URLSearchParams(query)}`;
  const response = await ask(runtime, { method: 'POST', path, ...options });
  for await (const line of createInterface({ input: response })) {
    const { error } = JSON.parse(line);
    if (typeof error === 'string') throw new Error(error);
    onLine();
  }
}

/** Pulls the image. Gives up when the registry has not responded within `patienceMs`. */
export async function pull(
  runtime: Endpoint,
  reference: string,
  signal: AbortSignal,
  patienceMs: number,
): Promise<void> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error('the image registry does not respond')), patienceMs);
  const [fromImage, tag] = nameAndTag(reference);
  const both = AbortSignal.any([signal, silence.signal]);
  await create(runtime, { fromImage, tag }, { signal: both }, () => clearTimeout(timer)).finally(() =>
    clearTimeout(timer),
  );
}

/** Creates an image of one layer from a tar of a root file system. */
export async function importImage(
  runtime: Endpoint,
  reference: string,
  tar: string,
  signal: AbortSignal,
): Promise<void> {
  const [repo, tag] = nameAndTag(reference);
  await create(runtime, { fromSrc: '-', repo, tag }, { signal, body: createReadStream(tar) }, () => undefined);
}
