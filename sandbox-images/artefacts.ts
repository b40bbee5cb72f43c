/** What must be compiled before an image can be built. Images hold no compiler: their Dockerfiles only copy these. */

export interface Artefact {
  /** The folder of the main package below the package root; it has a go.mod of its own. */
  readonly source: string;
  /** Main package of a module that `source`/go.mod requires; absent: the folder's own. */
  readonly main?: string;
  /** Every folder whose Go sources go into it, below the package root. */
  readonly inputs: readonly string[];
  /** Go build tags. */
  readonly tags: readonly string[];
  /** What is pinned, as `source`/go.mod must name it: module path to version. */
  readonly pins: Readonly<Record<string, string>>;
}

export const artefacts = {
  /** Caddy with its standard modules and the guard. */
  caddy: {
    source: 'sandbox-images/caddy',
    inputs: ['sandbox-images/caddy', 'module'],
    tags: [],
    pins: { 'github.com/caddyserver/caddy/v2': 'v2.11.9' },
  },
  /** Traefik as published; the guard is loaded into it as a local plugin, from its sources. */
  traefik: {
    source: 'sandbox-images/traefik',
    main: 'github.com/traefik/traefik/v3/cmd/traefik',
    inputs: ['sandbox-images/traefik'],
    tags: [],
    pins: { 'github.com/traefik/traefik/v3': 'v3.7.10' },
  },
  /** The first process of every sandbox container, with the echo upstream. */
  runner: {
    source: 'sandbox-images/runner',
    inputs: ['sandbox-images/runner'],
    tags: [],
    pins: {},
  },
} as const satisfies Record<string, Artefact>;

export type ArtefactName = keyof typeof artefacts;

/** Below this version Go cannot even read our go.mod files; the builder then uses a container instead. */
export const oldestGo = '1.21';
