/**
 * Listening sockets of systemd (sd_listen_fds(3)), in which connections wait while the daemon restarts.
 * `FileDescriptorName` of the socket unit is the name of the service.
 */

const firstDescriptor = 3;

/**
 * Returns the descriptors by the name of their service. Removes the variables, so that child processes do not use the
 * sockets.
 * @throws Error when a socket has no name, or two have the same name
 */
export function inheritedSockets(env: NodeJS.ProcessEnv): Map<string, number> {
  const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' } = env;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name];
  const sockets = new Map<string, number>();
  if (LISTEN_PID !== String(process.pid)) return sockets;
  const names = LISTEN_FDNAMES.split(':');
  for (let index = 0; index < Number(LISTEN_FDS); index++) {
    const name = names[index] ?? '';
    if (name === '' || sockets.has(name))
      throw new Error(
        `socket ${index + 1} of ${LISTEN_FDS} from systemd has ${name === '' ? 'no name' : `the name ${name}, as another`}: ` +
          'write one socket unit for each service, with its name as FileDescriptorName',
      );
    sockets.set(name, firstDescriptor + index);
  }
  return sockets;
}
