/** What the relays lead to: web servers, the server of iperf3, an echo, and Redis. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listens } from '../process.ts';
import type { Place } from './peers.ts';
import { loadProcessor, pinned } from './programs.ts';

const echo =
  'require("node:net").createServer((socket) => socket.on("error", () => {}).pipe(socket)).listen(Number(process.argv[2]), process.argv[1], 4096)';

/** The path of a large file. */
export const largePath = '/large';
const largeBytes = 2 ** 26;

const nginxConfig = ({ folder, network, upstreams }: Place): string => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 8192; }
http {
  access_log off;
  sendfile on;
  keepalive_requests 1000000000;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  ssl_certificate ${folder}/certificate.pem;
  ssl_certificate_key ${folder}/key.pem;
  server {
    listen ${network.upstream}:${upstreams.web} backlog=4096;
    listen ${network.upstream}:${upstreams.tls} ssl backlog=4096;
    location / { return 204; }
    location = ${largePath} { root ${folder}; }
  }
}
`;

function writeFiles(folder: string): void {
  const large = openSync(join(folder, largePath), 'w');
  ftruncateSync(large, largeBytes);
  closeSync(large);
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=upstream'];
  execFileSync('openssl', ['req', ...made, ...files], { stdio: 'ignore' });
}

export async function startUpstreams(place: Place): Promise<ChildProcess[]> {
  const { network, folder, upstreams } = place;
  writeFiles(folder);
  const file = join(folder, 'upstream.conf');
  writeFileSync(file, nginxConfig(place));
  const started: [number, ...string[]][] = [
    [upstreams.web, '/usr/sbin/nginx', '-e', 'stderr', '-p', folder, '-c', file],
    // Nothing reads its output while a client runs, and it waits for that.
    [upstreams.bulk, 'iperf3', '-s', '-B', network.upstream, '-p', String(upstreams.bulk), '--logfile', '/dev/null'],
    [upstreams.idle, process.execPath, '-e', echo, network.upstream, String(upstreams.idle)],
    [upstreams.redis, 'redis-server', '--bind', network.upstream, '--port', String(upstreams.redis), '--save', ''],
  ];
  return Promise.all(
    started.map(async ([port, ...command]) => {
      const child = pinned(loadProcessor, ...command);
      child.stdout?.resume();
      // A connection would be a test for the server of iperf3. Its client tries until the server listens.
      if (port !== upstreams.bulk) await listens(port, child, network.upstream);
      return child;
    }),
  );
}
