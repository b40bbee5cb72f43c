/** Runs a sandbox: acquire, start, use, remove. Its states are in state.ts. */
import { CleanupError } from '../../../platform/errors.ts';
import type { ProbeProgress } from '../../probes/progress.ts';
import type { ProbeReport } from '../../probes/report.ts';
import type { Context } from '../../program/context.ts';
import { grouped } from '../../program/counted.ts';
import { plannedRecipe } from '../image/image.ts';
import { dryRun } from '../plan/dry-run.ts';
import type { Plan } from '../plan/plan.ts';
import { acquire } from './acquire.ts';
import { errorAfterRemoval, launch, type Sandbox, stopOrFail } from './lifecycle.ts';
import type { SandboxLine } from './output.ts';
import { postReaper } from './reaper.ts';
import { type SandboxResult, type Served, urlOf } from './result.ts';
import {
  accepts,
  advanceState,
  initialSession,
  type RunStage,
  type SessionEvent,
  type SessionState,
  type Stage,
} from './state.ts';
import type { Running, Work } from './work.ts';

/** An event, and the state after it. */
export interface Update {
  readonly event: SessionEvent;
  readonly state: SessionState;
}

/** Side effects before the first container, which tests replace. */
export interface Effects {
  readonly acquire: typeof acquire;
  readonly postReaper: typeof postReaper;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

export class Session<P extends Plan, T> {
  readonly #work: Work<P, T>;
  readonly #context: Context;
  readonly #effects: Effects;
  readonly #listeners = new Set<(update: Update) => void>();
  #state = initialSession;
  #log: Sandbox['log'] = () => [];

  constructor(work: Work<P, T>, context: Context, effects: Effects = { acquire, postReaper }) {
    this.#work = work;
    this.#context = context;
    this.#effects = effects;
  }

  /** Returns a function that removes the listener. */
  subscribe(listener: (update: Update) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The latest lines of the proxy, oldest first. They can contain text of an attacker. */
  log(): readonly string[] {
    return this.#log();
  }

  /**
   * Runs the sandbox to its end, or leaves it running for `detach`.
   * @throws CleanupError when items of the session are left in the container runtime. After another error none is left
   */
  run(): Promise<SandboxResult> {
    return this.#withFinalEvent(() => this.#start());
  }

  /** Returns the plan as text. Needs no container runtime and compiles nothing. */
  describe(): Promise<SandboxResult> {
    const { image, plan, target } = this.#work;
    return this.#withFinalEvent(async () => {
      const recipe = await plannedRecipe(image);
      // The printed commands detach, like `docker run -d`.
      const script = await dryRun(plan(recipe, true, 'detach'), recipe);
      return { action: 'dry_run', target: target.name, script };
    });
  }

  #emit(event: SessionEvent): void {
    this.#state = advanceState(this.#state, event);
    for (const listener of this.#listeners) listener({ event, state: this.#state });
  }

  /** Ignores an event that arrives after its phase. */
  #report(event: SessionEvent): void {
    if (accepts(this.#state, event)) this.#emit(event);
  }

  readonly #onBuildLine = (line: string): void => this.#report({ kind: 'build', line });

  readonly #onLine = (line: SandboxLine, text: string): void => {
    this.#work.onLine(line, text);
    if (this.#work.action !== 'follow') return;
    if (line.type === 'guard_block_summary') this.#report({ kind: 'suppressed', count: line.count });
    else if (line.type === 'guard_block' || line.type === 'guard_detect' || line.type === 'security_event')
      this.#report({ kind: 'security', event: line });
  };

  readonly #stage: RunStage = async (name, work, detail) => {
    const { now, signal } = this.#context;
    const start = now();
    const isEnding = signal.aborted;
    const update = (state: Stage['state'], text = ''): void =>
      this.#emit({ kind: 'stage', stage: { name, state, milliseconds: now() - start, detail: text } });
    update('running');
    try {
      const result = await work();
      update('done', detail(result));
      return result;
    } catch (error) {
      update(signal.aborted && !isEnding ? 'interrupted' : 'failed');
      throw error;
    }
  };

  async #withFinalEvent(work: () => Promise<SandboxResult>): Promise<SandboxResult> {
    const { signal } = this.#context;
    try {
      const result = await work();
      if (signal.aborted) this.#emit({ kind: 'interrupted' });
      this.#emit({ kind: 'stopped', result });
      return result;
    } catch (error) {
      if (signal.aborted) this.#emit({ kind: 'interrupted' });
      this.#emit({ kind: 'failed' });
      throw error;
    }
  }

  async #start(): Promise<SandboxResult> {
    const { image, action, ports, createProbes } = this.#work;
    const observer = { stage: this.#stage, onBuildLine: this.#onBuildLine };
    const requirements = { image, action, ports: ports() };
    const { containers, recipe, ipv6 } = await this.#effects.acquire(requirements, observer, this.#context);
    const plan = this.#work.plan(recipe, ipv6, action);
    this.#context.signal.throwIfAborted();
    return this.#withReaper(plan.session, async () => {
      const sandbox = await this.#stage(
        'start',
        () => launch(plan, containers, this.#onLine, this.#context.signal, createProbes),
        ({ readyMs }) => `ready ${readyMs} ms after ${this.#work.target.title} was started`,
      );
      this.#log = sandbox.log;
      return this.#use({ plan, sandbox });
    });
  }

  /** After a failed removal the reaper stays, and tries again when this program ends. */
  async #withReaper(session: string, work: () => Promise<SandboxResult>): Promise<SandboxResult> {
    const reaper = this.#effects.postReaper(session, this.#context.env);
    let hasLeftovers = false;
    try {
      return await work();
    } catch (error) {
      hasLeftovers = error instanceof CleanupError;
      throw error;
    } finally {
      if (!hasLeftovers) reaper.dismiss();
    }
  }

  async #use(running: Running<P, T>): Promise<SandboxResult> {
    const { action } = this.#work;
    if (action === 'detach') return this.#detach(running);
    return this.#removeAfter(running.sandbox, () => (action === 'test' ? this.#test(running) : this.#follow(running)));
  }

  #serve(running: Running<P, T>): Served {
    const { target, port, notes } = this.#work;
    const served = { target: target.name, url: urlOf(port), notes: notes(running) };
    this.#emit({ kind: 'ready', ...served });
    return served;
  }

  #detach(running: Running<P, T>): SandboxResult {
    const served = this.#serve(running);
    running.sandbox.release();
    return { ...served, action: 'detached', container: running.plan.sandbox.spec.name };
  }

  async #test(running: Running<P, T>): Promise<SandboxResult> {
    const served = this.#serve(running);
    const onProgress = (progress: ProbeProgress): void => this.#report({ kind: 'probes', progress });
    const { env, now, signal } = this.#context;
    const ended = new AbortController();
    const context = { env, now, signal: AbortSignal.any([signal, ended.signal]) };
    const send = () =>
      Promise.race([this.#work.test(running, onProgress, context), running.sandbox.died]).finally(() => ended.abort());
    const passed = ({ counts }: ProbeReport): string =>
      `${grouped(counts.passed)} passed, ${grouped(counts.failed)} failed`;
    return { ...served, action: 'tested', report: await this.#stage('probes', send, passed) };
  }

  async #follow(running: Running<P, T>): Promise<SandboxResult> {
    const served = this.#serve(running);
    this.#emit({ kind: 'following', url: served.url });
    await Promise.race([untilAborted(this.#context.signal), running.sandbox.died]);
    return { ...served, action: 'stopped', events: this.#state.eventCount };
  }

  /** Uses the sandbox, then removes it, also after a failure. */
  async #removeAfter({ stop }: Sandbox, use: () => Promise<SandboxResult>): Promise<SandboxResult> {
    const remove = (): Promise<void> =>
      this.#stage(
        'remove',
        () => stopOrFail(stop),
        () => '',
      );
    const result = await use().catch(async (error: unknown) => {
      throw await errorAfterRemoval(remove, error);
    });
    await remove();
    return result;
  }
}
