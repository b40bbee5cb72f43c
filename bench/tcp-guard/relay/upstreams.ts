import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntilListening } from '../../measure/process.ts';
import { host, type Place } from './ports.ts';
import { loadProcessor, startPinned } from './programs.ts';

const echoProgram =
  'require("node:net").createServer((socket) => socket.on("error", () => {}).pipe(socket)).listen(Number(process.argv[2]), process.argv[1], 4096)';

const nginxConfig = ({ folder, upstreams }: Place): string => `
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
    listen ${host}:${upstreams.web} backlog=4096;
    location / { return 204; }
  }
}
`;

export async function startUpstreams(place: Place): Promise<ChildProcess[]> {
  const { folder, upstreams } = place;
  const file = join(folder, 'upstream.conf');
  writeFileSync(file, nginxConfig(place));
  const started: [number, ...string[]][] = [
    [upstreams.web, '/usr/sbin/nginx', '-e', 'stderr', '-p', folder, '-c', file],
    // A full pipe would block the server, and nothing reads it while a synchronous client runs.
    [upstreams.bulk, 'iperf3', '-s', '-B', host, '-p', String(upstreams.bulk), '--logfile', '/dev/null'],
    [upstreams.idle, process.execPath, '-e', echoProgram, host, String(upstreams.idle)],
  ];
  return Promise.all(
    started.map(async ([port, ...command]) => {
      const child = startPinned(loadProcessor, ...command);
      child.stdout?.resume();
      // Does not connect to iperf3, which treats a connection as a test.
      if (port !== upstreams.bulk) await waitUntilListening(port, child);
      return child;
    }),
  );
}
