/** Refuses texts that a provider of Traefik would replace. */
import { UsageError } from '../../platform/errors.ts';

interface Replaced {
  /** Start of the texts that the provider replaces. */
  readonly start: string;
  /** Clause that completes the error `<path> begins with`. */
  readonly why: string;
  readonly hint: string;
  /** Paths of keys where the user may want the replacement. */
  readonly except?: readonly string[];
}

/**
 * The file provider joins a list of texts to one text, with U+2551 before each entry, and splits it again. Entries of
 * the guard's lists are ASCII, so they never contain U+2551.
 */
const fileReplacement: Replaced = {
  start: '\u2551',
  why: "U+2551, which separates lists inside Traefik's file provider",
  hint: 'put another character before it, or use proxya-labels',
};

/** Traefik replaces `urn:k8s:secret:<name>:<key>` by a secret. In a response body, visitors would see the secret. */
const kubernetesReplacement: Replaced = {
  start: 'urn:k8s:secret:',
  why: '"urn:k8s:secret:", which Traefik replaces by an entry of a Secret',
  hint: 'put another character before it',
  except: ['secret', 'response.captcha.secretKey'],
};

function refuseTexts(value: unknown, replaced: Replaced, path: string): void {
  if (typeof value === 'string' && value.startsWith(replaced.start) && !replaced.except?.includes(path))
    throw new UsageError(`${path} begins with ${replaced.why}`, { code: 'not_expressible', hint: replaced.hint });
  if (typeof value === 'object' && value !== null)
    for (const [key, entry] of Object.entries(value))
      refuseTexts(entry, replaced, path === '' ? key : `${path}.${key}`);
}

const checkerOf =
  (replaced: Replaced) =>
  <T>(fields: T): T => {
    refuseTexts(fields, replaced, '');
    return fields;
  };

/** @throws UsageError for a text that the file provider would change */
export const checkedForFile = checkerOf(fileReplacement);
/** @throws UsageError for a text that the providers for Kubernetes would change */
export const checkedForKubernetes = checkerOf(kubernetesReplacement);
