/** Programs that recordings need. */
import { type ChildProcess, spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import { connect } from 'node:net';

/** Runs a program to its end; what it says is thrown away, and its status too: refusals are recorded as well. */
export async function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: 'ignore' });
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve());
  });
}

export const start = (command: string, args: readonly string[]): ChildProcess =>
  spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });

/** Ends a program that was started, and waits for that. */
export async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  child.kill();
  await ended;
}

export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const tries = 100;
const pauseMs = 100;
const patienceMs = 15_000;

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** Waits until somebody listens on a port of the loopback. */
export async function listening(port: number): Promise<void> {
  for (let left = tries; left > 0; left -= 1) {
    if (await isOpen(port)) return;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`nobody listens on port ${port}`);
}

/** Sends each line when the server has sent what is awaited in front of it, and hangs up at the end. */
export async function say(port: number, lines: readonly (readonly [awaited: RegExp, line: string])[]): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  let next = 0;
  socket.setEncoding('latin1');
  socket.setTimeout(patienceMs, () => socket.destroy());
  socket.on('data', (text: string) => {
    heard += text;
    const step = lines[next];
    if (!step?.[0].test(heard)) return;
    heard = '';
    next += 1;
    if (step[1] === '') socket.end();
    else socket.write(`${step[1]}\r\n`);
  });
  await new Promise<void>((resolve) => socket.on('close', () => resolve()).on('error', () => resolve()));
}
