import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadDaemon, loadPolicy } from '../../contract/load/index.ts';
import { logFormats } from '../../contract/logs/formats.ts';
import { logFormatNames } from '../../contract/logs/names.ts';
import { logPlaces } from '../../contract/logs/places.ts';
import { accessReader } from '../../logs/access/reader.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { configurationText, policyText } from './configuration.ts';
import { serverSettings } from './configured.ts';
import { containerLogs } from './container-logs.ts';
import { enforcedText, enforceFile } from './enforce.ts';
import { isContainerName, isPlainPath, type Observed, serviceOf, unitsIn } from './observe.ts';
import { logHints, sourcesFor, uncoveredPorts } from './sources.ts';

const nothing: Observed = { units: [], files: [], configured: [], containers: [], containerLogs: [], ports: [] };
const placesOf = (observed: Partial<Observed>) =>
  sourcesFor({ ...nothing, ...observed }).map(
    ({ format, unit, file, container }) => `${format} ${unit ?? file ?? container}`,
  );

describe('what runs on a host', () => {
  it('reads the lists of systemd', () => {
    const services = `ssh.service loaded active running OpenBSD Secure Shell server
postfix.service loaded active exited Postfix
postfix@-.service loaded active running Postfix (instance -)
`;
    assert.deepEqual(unitsIn(services, ['running']), ['ssh.service', 'postfix@-.service']);
    assert.deepEqual([serviceOf('ssh.socket', true), serviceOf('ssh.socket', false)], ['ssh@.service', 'ssh.service']);
  });

  it('finds a source for each server', () => {
    const units = ['cron.service', 'dovecot.service', 'postfix@-.service', 'ssh@.service', 'sshd.service'];
    assert.deepEqual(placesOf({ units }), [
      'sshd ssh@.service',
      'sshd sshd.service',
      'dovecot dovecot.service',
      'postfix postfix@-.service',
    ]);
    const files = ['/var/log/nginx/access.log', '/var/log/caddy/a.log', '/var/lib/forgejo/log/access.log'];
    assert.deepEqual(placesOf({ files }), [
      'nginx /var/log/nginx/access.log',
      'gitea /var/lib/forgejo/log/access.log',
      'wordpress /var/log/nginx/access.log',
      'vaultwarden /var/log/nginx/access.log',
      'vaultwarden /var/log/caddy/a.log',
      'access /var/log/caddy/a.log',
      'access /var/log/nginx/access.log',
    ]);
  });

  it('reads one of the two logs of a server', () => {
    const observed = { units: ['vsftpd.service'], files: ['/var/log/vsftpd.log'] };
    assert.deepEqual(placesOf(observed), ['vsftpd /var/log/vsftpd.log']);
    assert.deepEqual(placesOf({ units: observed.units }), ['vsftpd vsftpd.service']);
  });

  it('says how Caddy gets an access log', () => {
    const hints = (observed: Partial<Observed>) => {
      const all = { ...nothing, ...observed };
      return logHints(all, sourcesFor(all));
    };
    assert.match(hints({ units: ['caddy.service'] }).join(), /output file \/var\/log\/caddy\/access\.log/);
    assert.deepEqual(hints({ units: ['caddy.service'], files: ['/var/log/caddy/a.log'] }), []);
    assert.deepEqual(hints({ units: ['nginx.service'] }), []);
  });

  it('names the reachable ports without a source', () => {
    const observed = { ...nothing, units: ['ssh.service'], containers: ['my-caddy'], ports: [22, 80, 3306] };
    assert.deepEqual(uncoveredPorts(observed, sourcesFor(observed)), [80, 3306]);
  });

  it('skips names that could write other lines of the configuration', () => {
    for (const path of ['/var/log/caddy/a b.log', '/var/www/ü/data/nextcloud.log']) assert.ok(isPlainPath(path), path);
    for (const part of ['\n', '\r', '\u0085', '\u2028', '\u202e', '$HOME', '\u001b[2J'])
      assert.ok(!isPlainPath(`/var/log/caddy/${part}.log`), JSON.stringify(part));
    for (const name of ['caddy\rbans: {}', '"caddy', 'a b', '-caddy', '']) assert.ok(!isContainerName(name), name);
  });

  it('looks only for formats of the intake', () => {
    for (const { format } of logPlaces) assert.ok(format === 'access' || logFormatNames.includes(format), format);
  });
});

describe('a container in a file of Docker', () => {
  it('is a source if its log has such lines', async () => {
    const folder = scratchFolder('guard-setup-');
    const json =
      '{"level":"info","logger":"http.log.access","msg":"handled request","request":{"remote_ip":"192.0.2.1","method":"GET","host":"a","uri":"/","headers":{}},"status":200}';
    const ssh = 'Failed password for root from 192.0.2.1 port 1 ssh2';
    const lines = { 'web-caddy-1': json, 'other-caddy-1': 'starting', sshd: ssh, db: json, 'sshd;x': ssh };
    for (const [name, line] of Object.entries(lines)) {
      const record = JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: '2026-11-29T12:00:00Z' });
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, `${name}-json.log`), `${record}\n`.repeat(name === 'sshd' ? 2000 : 1));
      writeFileSync(join(folder, name, 'config.v2.json'), JSON.stringify({ Name: `/${name}` }));
    }
    mkdirSync(join(folder, 'unfinished'));
    const logs = (await containerLogs(folder)).filter(({ name }) => isContainerName(name));
    const sources = sourcesFor({ ...nothing, containers: ['web-caddy-1'], containerLogs: logs });
    assert.deepEqual(
      sources
        .map(({ container, isDockerFile = false, unless }) => [container, isDockerFile, unless === undefined])
        .sort(),
      [
        ['other-caddy-1', false, false],
        ['sshd', true, true],
        ['web-caddy-1', true, true],
      ],
    );
    assert.deepEqual(await containerLogs(join(folder, 'absent')), []);
  });
});

describe('the logs of a server', () => {
  it('are found in its configuration', () => {
    const [nginx, apache, caddy, postgres] = serverSettings.map(
      ({ logs }) =>
        (text: string, path = '/etc/x/x.conf') =>
          logs(text, path).map(({ format, file }) => `${format} ${file}`),
    );
    assert.deepEqual(
      nginx?.(
        '  access_log /srv/a.log; # x y\n\taccess_log "/srv/b c.log" json buffer=4k; # access_log /no;\n  # access_log /no;\n',
      ),
      ['nginx /srv/a.log', 'access /srv/a.log', 'access /srv/b c.log'],
    );
    assert.deepEqual(
      apache?.(
        `errorlog \${APACHE_LOG_DIR}/e.log\n CustomLog "logs/a_log" combined\n#CustomLog /no x\nCustomLog "|/bin/x y" x`,
      ),
      ['apache /var/log/apache2/e.log', 'access /etc/httpd/logs/a_log', 'access '],
    );
    assert.deepEqual(caddy?.('log {\n\toutput file /srv/c.log {\n\t\tmode 0644\n'), ['access /srv/c.log']);
    const settings = "log_destination = 'stderr,jsonlog' # both\n#log_directory = 'no'\nlog_directory = 'pg'\n";
    assert.deepEqual(postgres?.(`data_directory = '/srv/pg'\t\t# x\n${settings}`), ['postgresql /srv/pg/pg/*.json']);
    assert.deepEqual(postgres?.("log_destination='jsonlog'", '/d/postgresql.conf'), ['postgresql /d/log/*.json']);
    assert.deepEqual(postgres?.("#log_destination = 'jsonlog'"), []);
  });

  it('are read once, also when several settings name them', () => {
    const file = '/var/log/nginx/access.log';
    const configured = [
      { title: '', format: 'nginx', file },
      { title: '', format: 'nginx', file: '/srv/a.log' },
      { title: '', format: 'nginx', file: '/srv/a.log' },
    ];
    assert.deepEqual(placesOf({ files: [file], configured }), [
      `nginx ${file}`,
      `wordpress ${file}`,
      `vaultwarden ${file}`,
      `access ${file}`,
      'nginx /srv/a.log',
    ]);
  });
});

describe('the sources of a host', () => {
  it('finds the servers of self-hosters', () => {
    const units = ['mosquitto', 'jellyfin', 'keycloak', 'mongod', 'openvpn-server@home', 'openvpn@home', 'pvedaemon'];
    const files = ['/var/log/gitlab/gitlab-rails/application_json.log', '/var/log/prosody/prosody.log'];
    const observed = { units: units.map((unit) => `${unit}.service`), files };
    assert.deepEqual(placesOf(observed), [
      'proxmox pvedaemon.service',
      `gitlab ${files[0]}`,
      'jellyfin jellyfin.service',
      'keycloak keycloak.service',
      'mongodb mongod.service',
      'mosquitto mosquitto.service',
      `prosody ${files[1]}`,
      'openvpn openvpn-server@home.service',
      'openvpn openvpn@home.service',
    ]);
    const comments = sourcesFor({ ...nothing, ...observed }).filter(({ unless }) => unless !== undefined);
    assert.deepEqual(
      comments.map(({ format }) => format),
      ['jellyfin', 'keycloak'],
      'in their text logs a client can write lines of JSON',
    );
    const login = logFormats.find(({ name }) => name === 'immich')?.lines[0]?.matches ?? [];
    const containerLogs = [{ name: 'immich_server', lines: login }];
    const [immich] = sourcesFor({ ...nothing, containerLogs });
    assert.deepEqual([immich?.format, immich?.unless], ['immich', 'if its log is in JSON']);
  });
});

describe('the configuration of a host', () => {
  it('is valid with every source, and has containers as comments', () => {
    const files = ['/var/log/caddy/a "b" {c} #d.log', '/var/log/nginx/access.log'];
    const sources = sourcesFor({ ...nothing, units: ['ssh.service'], files, containers: ['proxy-caddy-1', 'db'] });
    const text = configurationText({ sources, sshClients: ['198.51.100.7'] });
    const loaded = loadDaemon(Buffer.from(text), 'tcp-guard.yaml', {});
    assert.ok(loaded.ok, JSON.stringify(loaded));
    assert.deepEqual([loaded.value.bans.mode, loaded.value.bans.scope], ['detect', 'host']);
    assert.deepEqual(
      loaded.value.intake.map(({ file, unit }) => unit ?? file),
      ['ssh.service', files[1], files[0], files[1]],
    );
    assert.match(text, /^ {2}# - \{container: "proxy-caddy-1", format: access, policy: /m);
    assert.match(text, /^ {2}# Connected by SSH when this file was written: 198\.51\.100\.7$/m);
  });

  it('is valid without any source, and so is the policy', () => {
    for (const containers of [[], ['caddy']]) {
      const text = configurationText({ sources: sourcesFor({ ...nothing, containers }), sshClients: [] });
      assert.ok(loadDaemon(Buffer.from(text), 'tcp-guard.yaml', {}).ok, text);
    }
    const policy = loadPolicy(Buffer.from(policyText), 'guard.json');
    assert.ok(policy.ok);
    const find = accessReader({ policy: policy.value, statuses: new Set() });
    const line = (request: string) => `198.51.100.7 - - [29/Nov/2026:17:08:19 +0000] "${request}" 404 12 "-" "-"`;
    for (const request of ['HEAD /.env HTTP/1.1', 'POST /.git/config HTTP/1.1', 'GET /?f=../../etc/passwd HTTP/1.1'])
      assert.equal(find(line(request))?.kind, 'blocked', request);
    assert.equal(find(line('POST /login HTTP/1.1')), undefined);
  });
});

describe('enforce', () => {
  it('changes the mode of bans, and nothing else', () => {
    for (const [text, expected] of [
      [
        'bans:\n  # detect\n  mode: detect # until May\n  scope: host\n',
        'bans:\n  # detect\n  mode: enforce # until May\n  scope: host\n',
      ],
      [
        'services: {a: {mode: detect}}\nbans: {scope: host, "mode": "detect"}',
        'services: {a: {mode: detect}}\nbans: {scope: host, "mode": "enforce"}',
      ],
      ["\ufeff# x\r\nbans:\r\n  mode: 'detect'\r\n", "\ufeff# x\r\nbans:\r\n  mode: 'enforce'\r\n"],
      ['bans: &a {mode: !!str detect}', 'bans: &a {mode: !!str enforce}'],
    ] as const)
      assert.equal(enforcedText(text), expected);
    for (const text of ['', 'bans: {scope: host}', 'bans: {mode: enforce}', 'mode: detect'])
      assert.equal(enforcedText(text), undefined, text);
  });

  it('keeps the mode of the file and a link to it', () => {
    const folder = scratchFolder('guard-setup-');
    const [path, link] = [join(folder, 'a.yaml'), join(folder, 'b.yaml')];
    writeFileSync(path, '# mine\nbans: {mode: detect}\n');
    chmodSync(path, 0o640);
    symlinkSync(path, link);
    assert.equal(enforceFile(link), undefined);
    assert.equal(readFileSync(path, 'utf8'), '# mine\nbans: {mode: enforce}\n');
    assert.equal(statSync(path).mode & 0o777, 0o640);
    assert.match(enforceFile(link) ?? '', /^write mode: enforce/);
    assert.match(enforceFile(join(folder, 'absent')) ?? '', /no such file/);
  });
});
