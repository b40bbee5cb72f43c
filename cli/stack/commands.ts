import type { Command as Parser } from 'commander';
import { readable } from '../../platform/escape.ts';
import { portFrom } from '../input/port.ts';
import { command } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import { type DownResult, down } from './down.ts';
import type { ServiceName } from './services.ts';
import { folderOf, type RequestedPorts } from './settings.ts';
import { type ExportResult, exportStack } from './stack.ts';
import { type StatusResult, status } from './status.ts';
import { downText, exportText, keptNote, statusText, upText } from './text.ts';
import { type UpResult, up } from './up.ts';

interface Folder {
  readonly dir?: string;
}

interface PortOptions {
  readonly port?: string;
  readonly lokiPort?: string;
}

const withFolder = (parser: Parser): Parser =>
  parser.option('--dir <folder>', 'folder of the stack (default: ~/.guard/observability)');

const withPorts = (parser: Parser): Parser =>
  parser
    .option('--port <port>', 'port of Grafana (default: 3000, or the one used before)')
    .option('--loki-port <port>', 'port of Loki (default: 3100, or the one used before)')
    .option('--force', 'overwrite files of the stack that you changed');

const requestedPortsOf = ({ port, lokiPort }: PortOptions): RequestedPorts => ({
  ...(port !== undefined && { grafana: portFrom('--port', port) }),
  ...(lokiPort !== undefined && { loki: portFrom('--loki-port', lokiPort) }),
});

const progressLines = (progress: string) => ({ stderr: readable(progress) });

interface UpOptions extends Folder, PortOptions {
  readonly open: boolean;
  readonly force?: boolean;
  readonly without?: ServiceName;
}

export const upCommand = command<UpOptions, UpResult, string>({
  description:
    'Writes the files of the stack to its folder, starts Grafana, Loki and the OpenTelemetry Collector with the compose ' +
    'tool of this machine, and waits until they respond. They listen on 127.0.0.1 only. Event files in the folder `logs` ' +
    'of the stack are read; GUARD_LOGS in its file .env names another folder. A second `up` repairs what is missing.',
  examples: [
    { line: 'guardcli dashboard up --port 4000', note: 'start it, and open Grafana on port 4000' },
    { line: 'guardcli dashboard up --without grafana', note: 'only Loki and the collector, for the terminal' },
  ],
  configure: (parser) =>
    withFolder(withPorts(parser))
      .option('--no-open', 'do not open the browser')
      .addOption(parser.createOption('--without <service>', 'do not start this service').choices(['grafana'])),
  run: (options, context: Context) =>
    up(
      {
        dir: folderOf(options.dir, context),
        requestedPorts: requestedPortsOf(options),
        force: options.force === true,
        without: options.without === undefined ? [] : [options.without],
        open: options.open,
      },
      context,
    ),
  lines: progressLines,
  text: upText,
  notes: keptNote,
});

export const downCommand = command<Folder & { readonly volumes?: boolean }, DownResult, string>({
  description:
    'Removes the containers and the network of the stack. What Loki and Grafana have stored stays in named volumes, and ' +
    'the files stay in the folder of the stack.',
  examples: [
    { line: 'guardcli dashboard down', note: 'stop it; the next `up` shows the same events' },
    { line: 'guardcli dashboard down --volumes', note: 'also remove the stored events' },
  ],
  configure: (parser) => withFolder(parser).option('--volumes', 'also remove the volumes, with all stored events'),
  run: ({ dir, volumes = false }, context) => down({ dir: folderOf(dir, context), volumes }, context),
  lines: progressLines,
  text: downText,
});

export const statusCommand = command<Folder & { readonly showPassword?: boolean }, StatusResult>({
  description:
    'Shows whether each service of the stack responds, and its URL. The exit status is 1 unless all of them do.',
  examples: [
    { line: 'guardcli dashboard status --show-password', note: 'also the password of Grafana, and how to push' },
  ],
  configure: (parser) =>
    withFolder(parser).option(
      '--show-password',
      'show the password of the user admin of Grafana, the push URL of Loki, and the token for OTLP',
    ),
  run: ({ dir, showPassword = false }, context) => status({ dir: folderOf(dir, context), showPassword }, context),
  text: statusText,
  exitCode: ({ isHealthy }) => (isHealthy ? 0 : 1),
});

interface ExportOptions extends PortOptions {
  readonly dir?: string;
  readonly force?: boolean;
}

export const exportCommand = command<ExportOptions, ExportResult>({
  description:
    'Writes the compose file, the configurations and the dashboards, for another machine or for a stack of your own. ' +
    'Nothing is started. Also contains rules for CrowdSec and an example for Prometheus.',
  examples: [{ line: 'guardcli dashboard export /srv/observability', note: 'then `docker compose up --detach` there' }],
  configure: (parser) => withPorts(parser).argument('[dir]', 'folder (default: ./observability)'),
  run: async ({ dir = 'observability', force = false, ...ports }, context) =>
    exportStack({ dir: folderOf(dir, context), requestedPorts: requestedPortsOf(ports), force }, context),
  text: exportText,
  notes: keptNote,
});
