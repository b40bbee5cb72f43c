/** What must be compiled before an image can be built. Images hold no compiler: their Dockerfiles only copy these. */

export interface Artefact {
  /** The folder of the main package below the package root; it has a go.mod of its own. */
  readonly source: string;
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
