/** A benign client, which measures the time until an answer. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { repeatDuring } from '../../measure/measure.ts';

const visitIntervalMs = 50;
const answerWithinMs = 5000;

export interface Visits {
  readonly count: number;
  readonly failed: number;
  /** Milliseconds: median, 99th percentile and maximum. */
  readonly middle: number;
  readonly slow: number;
  readonly slowest: number;
}

function visit(port: number): Promise<number | undefined> {
  const start = performance.now();
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const done = (isAnswered: boolean) => {
      socket.destroy();
      resolve(isAnswered ? performance.now() - start : undefined);
    };
    socket.setTimeout(answerWithinMs, () => done(false));
    socket.on('error', () => done(false)).on('close', () => done(false));
    socket.on('data', () => done(true)).write('x'.repeat(64));
  });
}

function summarize(answers: readonly (number | undefined)[]): Visits {
  const times = answers.filter((time) => time !== undefined).sort((a, b) => a - b);
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
  return {
    count: answers.length,
    failed: answers.length - times.length,
    middle: at(0.5),
    slow: at(0.99),
    slowest: at(1),
  };
}

export async function visitsDuring<Done>(port: number, work: Promise<Done>): Promise<readonly [Visits, Done]> {
  const answers: (number | undefined)[] = [];
  const done = await repeatDuring(work, async () => {
    answers.push(await visit(port));
    await sleep(visitIntervalMs);
  });
  return [summarize(answers), done];
}
