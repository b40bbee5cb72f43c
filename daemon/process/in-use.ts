/** Describes why the daemon cannot listen. */
import { ownerOf, portInUse } from '../../platform/port-owner.ts';

/** Names the process that uses the port, if it can be found. Errors other than a port in use keep their message. */
export function listenFailure(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'EADDRINUSE') return message;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const owner = ownerOf(port);
  const find = owner === undefined ? ` (find it as root: ss -ltnp sport = :${port})` : '';
  return `${portInUse(port, address, owner)} (${code}): stop it${find}, or choose another port`;
}
