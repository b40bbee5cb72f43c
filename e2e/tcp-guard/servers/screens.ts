import { type RealServer, right, wrong } from './server.ts';

const firstDisplay = 100; // displays of users have lower numbers

/** TightVNC. VNC compares only the first eight characters of passwords. */
export const vnc: RealServer = {
  name: 'TightVNC with vncsnapshot',
  protocol: 'vnc',
  hidesPassword: true,
  programs: ['/usr/bin/Xtightvnc', '/usr/bin/tightvncpasswd', '/usr/bin/vncsnapshot'],
  serve: ({ folder, port, run }) => {
    for (const password of [right, wrong])
      run('sh', '-c', 'echo "$1" | tightvncpasswd -f > "$2"', 'sh', password, `${folder}/${password}`);
    const screen = [`:${firstDisplay + port}`, '-geometry', '64x64', '-depth', '24', '-nolisten', 'tcp'];
    const args = [...screen, '-localhost', '-rfbport', `${port}`, '-rfbauth', `${folder}/${right}`];
    return { program: '/usr/bin/Xtightvnc', args };
  },
  login: (port, password, { folder }) => ({
    program: '/usr/bin/vncsnapshot',
    args: [
      '-encodings',
      'raw',
      '-allowblank',
      '-passwd',
      `${folder}/${password}`,
      `127.0.0.1::${port}`,
      `${folder}/x.jpg`,
    ],
  }),
};
