import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { extname } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { nonBlocking } from './abi.ts';
import { EventLoop } from './event-loop.ts';
import { libc, skip } from './testing/libc.ts';

/** An empty pipe, and a function that writes a byte into it. */
function openPipe(): { readonly fd: number; readonly fill: () => void; readonly close: () => void } {
  const block = libc.allocate(8);
  assert.equal(libc.pipe(block, nonBlocking), 0);
  const [output, input] = [...block.words] as [number, number];
  return {
    fd: output,
    fill: () => assert.equal(libc.write(input, block, 0, 1), 1),
    close: () => void [libc.close(output), libc.close(input)],
  };
}

/** Waits until the pipe is readable, as a data plane does. Returns how often it resumed. */
function untilReadable(fd: number): Promise<number> {
  const loop = EventLoop.of(libc);
  const block = libc.allocate(8);
  let resumed = 0;
  return new Promise((resolve) => {
    const look = (): void => {
      resumed += 1;
      if (libc.read(fd, block) > 0) resolve(resumed);
      else loop.wait(fd, next);
    };
    const next = (): void => void setImmediate(look);
    loop.wait(fd, next);
  });
}

test('what Node waits for goes on while a descriptor has nothing to read', { skip }, async (t) => {
  const pipe = openPipe();
  t.after(pipe.close);
  const readable = untilReadable(pipe.fd);
  await sleep(1);
  assert.match(await readFile(import.meta.filename, 'utf8'), /EventLoop/);
  const server = createServer((socket) => socket.end('x')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  const [data] = await once(connect(port, '127.0.0.1'), 'data');
  assert.equal(String(data), 'x');
  server.close();
  const signal = once(process, 'SIGWINCH');
  process.kill(process.pid, 'SIGWINCH');
  await signal;
  pipe.fill();
  await readable;
});

test('a silent descriptor costs a few passes of the loop for each event of Node', { skip }, async (t) => {
  const pipe = openPipe();
  t.after(pipe.close);
  const readable = untilReadable(pipe.fd);
  const timers = 20;
  for (let timer = 0; timer < timers; timer += 1) await sleep(5);
  pipe.fill();
  assert((await readable) < timers * 10);
});

test('waits for several descriptors at once', { skip }, async (t) => {
  const pipes = Array.from({ length: 5 }, openPipe);
  t.after(() => {
    for (const pipe of pipes) pipe.close();
  });
  const readable = pipes.map((pipe) => untilReadable(pipe.fd));
  for (const [index, pipe] of pipes.entries()) {
    pipe.fill();
    await readable[index];
  }
});

/** `.ts` for the sources, `.js` when compiled. */
const extension = extname(import.meta.filename);

/** Runs a module that waits for a pipe. The timeout is below 30 s: after 30 s, tasks of V8 wake an idle process. */
function run(rest: string): ReturnType<typeof spawnSync> {
  const source = `
    import { EventLoop } from ${JSON.stringify(import.meta.resolve(`./event-loop${extension}`))};
    import { openLibc } from ${JSON.stringify(import.meta.resolve(`./open${extension}`))};
    const { libc } = openLibc();
    const block = libc.allocate(8);
    libc.pipe(block, 0);
    const [fd] = block.words;
    const loop = EventLoop.of(libc);
    ${rest}`;
  const options = { input: source, encoding: 'utf8', timeout: 25_000 } as const;
  return spawnSync(process.execPath, ['--input-type=module', '-'], options);
}

test('a process ends when nothing waits, and not before', { skip }, () => {
  const left = run(`
    setTimeout(() => {
      loop.wait(fd, () => console.log('resumed'));
      loop.leave(fd);
    }, 50);`);
  assert.deepEqual([left.status, left.stdout, left.stderr], [0, '', '']);
  const waited = run(`
    const wait = () => loop.wait(fd, () => setImmediate(wait));
    wait();
    const end = () => {
      console.log('timer');
      loop.leave(fd);
    };
    setTimeout(end, 50).unref();`);
  assert.deepEqual([waited.status, waited.stdout, waited.stderr], [0, 'timer\n', '']);
});

test('a process that exits while it waits ends cleanly', { skip }, () => {
  const ended = run(`
    const wait = () => loop.wait(fd, () => setImmediate(wait));
    wait();
    setTimeout(() => process.exit(3), 50);`);
  assert.deepEqual([ended.status, ended.stderr], [3, '']);
});
