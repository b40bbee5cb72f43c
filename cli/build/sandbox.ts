/** The sandbox of Traefik with the guard compiled in. Traefik then reads only the manifest of the plugin. */
import type { SandboxProxy } from '../sandbox/plan/proxy.ts';
import { traefik } from '../sandbox/targets/traefik.ts';
import { compiledTraefik, compiledTraefikPath } from './cached.ts';

export const compiledSandbox: SandboxProxy = {
  ...traefik,
  artefacts: ['runner'],
  program: { name: 'traefik', path: compiledTraefikPath, build: compiledTraefik },
  sources: ['module/.traefik.yml'],
};
