/** Minecraft of minecraft-protocol. Install it with `npm install --no-save minecraft-protocol`. */
import { type RealServer, user } from './server.ts';

export const library = 'minecraft-protocol';
export const version = '1.20.4';

/** A program that admits one player. Node.js searches the library from the working folder. */
const source = `
import library from '${library}';
library.createServer({
  host: '127.0.0.1',
  port: Number(process.argv[1]),
  version: '${version}',
  'online-mode': false,
  motd: 'hello',
  maxPlayers: 2,
  keepAlive: false,
  beforeLogin: (player) => {
    if (player.username !== '${user}') player.end('You are not on the list');
  },
});
`;

export const minecraft: RealServer = {
  name: 'minecraft-protocol',
  needs: { [`node_modules/${library}`]: `${library} of npm` },
  protocols: ['minecraft'],
  serve: ({ ports }) => ({
    program: process.execPath,
    args: ['--input-type=module', '-e', source, `${ports.minecraft}`],
  }),
};
