/** Reloads the configuration of the running daemon. A refused one changes nothing. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Loaded, Problem, RefusedFile } from '../../contract/load/problem.ts';
import { problemAt } from '../admission/policies.ts';
import type { ReloadOutcome } from '../api/daemon-control.ts';
import { log } from '../process/log.ts';
import { createInTurn } from '../time/in-turn.ts';
import type { ConfigInForce } from './apply-config.ts';
import { changedKeys, changedPolicies, keysThatNeedRestart } from './changed-keys.ts';
import { problemClause, problemText, withPosition } from './problem-text.ts';

interface ReloadsOptions {
  readonly read: () => Loaded<Daemon>;
  /** The configuration at start. Some keys are read only then. */
  readonly startConfig: Daemon;
  readonly inForce: ConfigInForce;
  /** Called after a configuration was applied. */
  readonly configure: () => Promise<void>;
  /** The problems of the daemon. */
  readonly problems: () => readonly string[];
  readonly fault: (message: string) => void;
}

const refusedBy = (...problems: readonly Problem[]): RefusedFile => ({ ok: false, name: '', problems, omitted: 0 });

export class Reloads {
  /** Runs a change of what is in force when the reloads and changes before it have ended. */
  readonly inTurn = createInTurn();
  readonly #options: ReloadsOptions;
  #isClosing = false;
  #refusal: string | undefined;
  #waitsForRestart: readonly string[] = [];

  constructor(options: ReloadsOptions) {
    this.#options = options;
  }

  problems(): readonly string[] {
    const keys = this.#waitsForRestart;
    return [
      ...(this.#refusal === undefined ? [] : [this.#refusal]),
      ...(keys.length > 0 ? [`restart tcp-guard to apply ${keys.join(', ')}`] : []),
    ];
  }

  /** Refuses further reloads. Resolves when the current one has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.inTurn(async () => {});
  }

  /** Reloads run one after the other. `requester`: who asked for it, for the log. */
  request(requester: string): Promise<ReloadOutcome> {
    return this.inTurn(() => this.#reload(requester));
  }

  async #reload(requester: string): Promise<ReloadOutcome> {
    // A reload now would open the listeners that `close` has closed.
    if (this.#isClosing) return this.#refuse(requester, refusedBy(problemAt('', 'tcp-guard is ending')));
    const { inForce, startConfig } = this.#options;
    const [before, textsBefore] = [inForce.config, inForce.texts];
    const loaded = this.#readAgain();
    const applied = loaded.ok ? await inForce.apply(loaded.value) : loaded;
    if (!applied.ok) {
      const problems = applied.problems.map((problem) => withPosition(loaded, problem));
      return this.#refuse(requester, { ...refusedBy(...problems), ...(!loaded.ok && loaded), name: loaded.name });
    }
    const { config, texts } = inForce;
    await this.#options.configure();
    const changed = [...changedKeys(before, config), ...changedPolicies(before, config, textsBefore, texts)];
    this.#refusal = undefined;
    this.#waitsForRestart = keysThatNeedRestart(changedKeys(startConfig, config));
    log.info(
      `reload requested by ${requester}: ${changed.length > 0 ? `changed ${changed.join(', ')}` : 'nothing changed'}`,
    );
    const problems = this.#options.problems();
    for (const problem of problems) log.warning(`problem: ${problem}`);
    return { ok: true, changed, restart: this.#waitsForRestart, problems };
  }

  #readAgain(): Loaded<Daemon> {
    try {
      return this.#options.read();
    } catch (error) {
      return refusedBy(problemAt('', (error as Error).message));
    }
  }

  #refuse(requester: string, { name, problems, omitted }: RefusedFile): ReloadOutcome {
    const refusal = 'the new configuration was refused and the previous one stays in force';
    const [first] = problems;
    const further = problems.length - 1 + omitted;
    this.#refusal = `${refusal}: ${first ? problemClause(first) : ''}${further > 0 ? ` (and ${further} more)` : ''}`;
    const texts = problems.map((problem) => problemText(name, problem));
    const more = omitted > 0 ? [`${omitted} more problems`] : [];
    this.#options.fault([`reload requested by ${requester}: ${refusal}`, ...texts, ...more].join('\n'));
    return { ok: false, problems };
  }
}
