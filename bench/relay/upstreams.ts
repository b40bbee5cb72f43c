/** What the relays lead to: a web server, the server of iperf3, and an echo. */
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listens } from '../process.ts';
import { loadProcessor, type Ports, pinned } from './peers.ts';

const echo =
  'require("node:net").createServer((socket) => socket.on("error", () => {}).pipe(socket)).listen(Number(process.argv[1]), "127.0.0.1", 4096)';

const nginxConfig = (folder: string, port: number): string => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 8192; }
http {
  access_log off;
  keepalive_requests 1000000000;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / { return 204; }
  }
}
`;

export async function startUpstreams(folder: string, ports: Ports): Promise<ChildProcess[]> {
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, nginxConfig(folder, ports.web));
  const started: [number, ChildProcess][] = [
    [ports.web, pinned(loadProcessor, '/usr/sbin/nginx', '-e', 'stderr', '-p', folder, '-c', file)],
    [ports.bulk, pinned(loadProcessor, 'iperf3', '-s', '-B', '127.0.0.1', '-p', String(ports.bulk))],
    [ports.idle, pinned(loadProcessor, process.execPath, '-e', echo, String(ports.idle))],
  ];
  for (const [port, child] of started) {
    child.stdout?.resume();
    if (port !== ports.bulk) await listens(port, child);
  }
  return started.map(([, child]) => child);
}
