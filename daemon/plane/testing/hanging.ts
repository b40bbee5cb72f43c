/** For tests: an upstream that does not respond. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';

export async function hangingPort(t: TestContext): Promise<number> {
  const code =
    "const s = require('net').createServer().listen({port:0,host:'127.0.0.1',backlog:1},()=>console.log(s.address().port))";
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  const port = Number(line);
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(fillers.slice(0, 2).map((socket) => once(socket, 'connect')));
  t.after(() => {
    for (const socket of fillers) socket.destroy();
    child.kill('SIGKILL');
  });
  return port;
}
