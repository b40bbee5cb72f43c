/** What happened since the last message to a target: counts, and the first of each kind. Its size is bounded. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { NoticeFields } from '../../contract/daemon/notify.ts';
import { printable } from '../../platform/escape.ts';
import type { Ban } from '../bans/ban.ts';

export class Notice {
  #bans = 0;
  readonly #firstBans: string[] = [];
  readonly #problems = new Map<string, boolean>();
  /** Problems that have no room. */
  #moreProblems = 0;

  addBan({ ip, reason }: Ban): void {
    this.#bans++;
    if (this.#firstBans.length < daemonBounds.noticeItems) this.#firstBans.push(`${ip} (${printable(reason)})`);
  }

  /** `isOver`: the problem is over. */
  addProblem(problem: string, isOver: boolean): void {
    if (this.#problems.size < daemonBounds.noticeItems || this.#problems.has(problem))
      this.#problems.set(problem, isOver);
    else this.#moreProblems++;
  }

  /** This notice with what happened after it. */
  followedBy(later: Notice): Notice {
    const both = new Notice();
    both.#bans = this.#bans + later.#bans;
    both.#firstBans.push(...[...this.#firstBans, ...later.#firstBans].slice(0, daemonBounds.noticeItems));
    for (const [problem, isOver] of [...this.#problems, ...later.#problems]) both.addProblem(problem, isOver);
    both.#moreProblems += this.#moreProblems + later.#moreProblems;
    return both;
  }

  get isEmpty(): boolean {
    return this.#bans === 0 && this.#problems.size === 0;
  }

  fields(host: string, id: string): NoticeFields {
    const more = this.#bans - this.#firstBans.length;
    const bans = [...this.#firstBans, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
    const problems = [...this.#problems].map(([text, isOver]) => `${isOver ? 'over' : 'problem'}: ${printable(text)}`);
    if (this.#moreProblems > 0) problems.push(`and ${this.#moreProblems} more changes of problems`);
    const banned = `${this.#bans} banned: ${bans}`;
    const text = [...(this.#bans > 0 ? [banned] : []), ...problems].join('\n').slice(0, daemonBounds.noticeCharacters);
    return { title: `tcp-guard on ${host}`, text, count: `${this.#bans}`, host, id };
  }
}
