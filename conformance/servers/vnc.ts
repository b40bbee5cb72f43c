/** VNC of TightVNC and of TigerVNC. VNC compares only the first eight characters of passwords. */
import { type RealServer, right, type ServerEnvironment, wrong } from './server.ts';

const firstDisplay = 100; // displays of users have lower numbers
const screenOf = ({ ports }: ServerEnvironment) => [`:${firstDisplay + ports.vnc}`, '-geometry', '64x64'];

/** Writes a file for each password, with its name. */
function writePasswords({ folder, run }: ServerEnvironment, program: string): void {
  for (const password of [right, wrong])
    run('sh', '-c', 'echo "$1" | "$3" -f > "$2"', 'sh', password, `${folder}/${password}`, program);
}

/** Returns arguments of vncsnapshot. */
export const snapshotArguments = (port: number, password: string, { folder }: ServerEnvironment): string[] => [
  ...['-encodings', 'raw', '-allowblank', '-passwd', `${folder}/${password}`, `127.0.0.1::${port}`, `${folder}/x.jpg`],
];

export const tightvnc: RealServer = {
  name: 'TightVNC',
  needs: {
    '/usr/bin/Xtightvnc': 'tightvncserver',
    '/usr/bin/tightvncpasswd': 'tightvncpasswd',
    '/usr/bin/vncsnapshot': 'vncsnapshot',
  },
  protocols: ['vnc'],
  serve: (environment) => {
    const { folder, ports } = environment;
    writePasswords(environment, 'tightvncpasswd');
    const screen = [...screenOf(environment), '-depth', '24', '-nolisten', 'tcp', '-localhost'];
    return {
      program: '/usr/bin/Xtightvnc',
      args: [...screen, '-rfbport', `${ports.vnc}`, '-rfbauth', `${folder}/${right}`],
    };
  },
  logins: {
    vnc: {
      hidesPassword: true,
      command: (port, password, environment) => ({
        program: '/usr/bin/vncsnapshot',
        args: snapshotArguments(port, password, environment),
      }),
    },
  },
};

export const tigervnc: RealServer = {
  name: 'TigerVNC',
  needs: { '/usr/bin/Xvnc': 'tigervnc-standalone-server', '/usr/bin/tigervncpasswd': 'tigervnc-tools' },
  protocols: ['vnc'],
  serve: (environment) => {
    const { folder, ports } = environment;
    writePasswords(environment, 'tigervncpasswd');
    const screen = [...screenOf(environment), '-desktop', 'screen', '-SecurityTypes', 'VncAuth,TLSVnc'];
    const network = ['-rfbport', `${ports.vnc}`, '-interface', '127.0.0.1', '-rfbauth', `${folder}/${right}`];
    return { program: '/usr/bin/Xvnc', args: [...screen, ...network] };
  },
};

export const display = ':71';

/** An invisible X11 display for clients that need one. */
export const screen: RealServer = {
  name: 'the X11 display',
  needs: { '/usr/bin/Xvnc': 'tigervnc-standalone-server' },
  protocols: ['vnc'],
  serve: ({ ports }) => {
    const network = ['-rfbport', `${ports.vnc}`, '-SecurityTypes', 'None', '-localhost'];
    return { program: '/usr/bin/Xvnc', args: [display, ...network, '-geometry', '320x240', '-desktop', 'x'] };
  },
};
