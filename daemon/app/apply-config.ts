/**
 * Applies a configuration. The steps that can fail run first. When one of them fails, the previous configuration is in
 * force again.
 */
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Problem } from '../../contract/load/index.ts';
import { overlaps, parseListen } from '../../contract/values/endpoint.ts';
import type { Guard } from '../../engine/index.ts';
import { type PolicyTexts, policyReader, problemAt, readPolicies } from '../admission/policies.ts';
import { compileRules, type Rules } from '../admission/rules.ts';
import type { Geo } from '../geo/index.ts';
import type { Acceptor } from '../listen/acceptor.ts';
import { ListenError } from '../listen/listeners.ts';
import { ownAddresses } from '../process/limits.ts';

export interface Applier {
  readonly geo: Geo;
  readonly acceptor: Pick<Acceptor, 'prepare' | 'change' | 'adopt' | 'ceiling'>;
  /** The address of the API in force. It stays in use while the services begin to listen. */
  readonly apiListen: string | undefined;
  /** The folder of relative paths in the configuration. */
  readonly folder: string;
}

export type ApplyOutcome =
  | {
      readonly ok: true;
      readonly rules: Rules;
      readonly texts: PolicyTexts;
      readonly guards: ReadonlyMap<string, Guard>;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const refusedOutcome = (...problems: readonly Problem[]): ApplyOutcome => ({ ok: false, problems });

function listenProblem(error: unknown, apiListen: string | undefined): Problem {
  if (!(error instanceof ListenError)) throw error;
  const { wanted, message } = error;
  const api = parseListen(apiListen ?? '');
  const problem = problemAt(`services.${wanted.name}.listen`, message);
  if (!api || !overlaps(api, wanted.endpoint)) return problem;
  return {
    ...problem,
    hint: 'the API listens there until it has moved: reload once without the service, then with it',
  };
}

export async function applyConfig(
  config: Daemon,
  { geo, acceptor, apiListen, folder }: Applier,
): Promise<ApplyOutcome> {
  const { guards, texts, problems } = await readPolicies(config, policyReader(folder));
  if (problems.length > 0) return refusedOutcome(...problems);
  const database = await geo.prepare(config.global.geoip_db).catch((error: Error) => error);
  if (database instanceof Error) return refusedOutcome(problemAt('global.geoip_db', database.message));
  const rules = compileRules(config, { ownAddresses: ownAddresses(), connectionCeiling: acceptor.ceiling(), guards });
  const refusals = await acceptor.prepare(config, texts);
  if (refusals.length > 0) return refusedOutcome(...refusals);
  database.begin(); // before any service listens: the first connection may need the country
  try {
    await acceptor.change(rules);
  } catch (error) {
    database.revert();
    return refusedOutcome(listenProblem(error, apiListen));
  }
  await acceptor.adopt();
  database.complete();
  return { ok: true, rules, texts, guards };
}

/** A configuration whose `never_ban` also has the addresses that are exempt for a time. */
const withExemptions = (config: Daemon, allowed: readonly string[]): Daemon => ({
  ...config,
  global: { ...config.global, never_ban: [...config.global.never_ban, ...allowed] },
});

/** The configuration in force. */
export class ConfigInForce {
  readonly #applier: Omit<Applier, 'apiListen'>;
  readonly #allowed: () => readonly string[];
  #written: Daemon | undefined;
  #applied: (ApplyOutcome & { readonly ok: true }) | undefined;

  /** `allowed`: the addresses and networks that are exempt for now. */
  constructor(applier: Omit<Applier, 'apiListen'>, allowed: () => readonly string[]) {
    this.#applier = applier;
    this.#allowed = allowed;
  }

  async apply(written: Daemon): Promise<ApplyOutcome> {
    const config = withExemptions(written, this.#allowed());
    const applied = await applyConfig(config, { ...this.#applier, apiListen: this.rules?.config.api.listen });
    if (applied.ok) [this.#written, this.#applied] = [written, applied];
    return applied;
  }

  /** Puts the exemptions of now into force, with the policies that are in force. */
  async applyExemptions(): Promise<void> {
    if (!this.#applied || !this.#written) return;
    const { acceptor } = this.#applier;
    const { guards, texts } = this.#applied;
    const config = withExemptions(this.#written, this.#allowed());
    const rules = compileRules(config, { ownAddresses: ownAddresses(), connectionCeiling: acceptor.ceiling(), guards });
    const [refusal] = await acceptor.prepare(config, texts);
    if (refusal) throw new Error(refusal.message);
    await acceptor.change(rules);
    await acceptor.adopt();
    this.#applied = { ...this.#applied, rules };
  }

  /** The configuration as it was written, without exemptions. @throws TypeError as `config` does */
  get written(): Daemon {
    return this.#written ?? this.config;
  }

  /** Undefined before the first configuration is applied. */
  get rules(): Rules | undefined {
    return this.#applied?.rules;
  }

  get texts(): PolicyTexts {
    return this.#applied?.texts ?? {};
  }

  /** @throws TypeError before the first configuration is applied */
  get config(): Daemon {
    if (!this.#applied) throw new TypeError('no configuration is in force yet');
    return this.#applied.rules.config;
  }
}
