/** For tests that write the firewall. */
import { spawnSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';

const hasNft = spawnSync('nft', ['list', 'tables']).status === 0;
const isAlone = Object.keys(networkInterfaces()).join() === 'lo';

/** Why this machine cannot run tests that write the table. It belongs to the network namespace, which others may use. */
export const skip =
  !(hasNft && isAlone) && 'it needs nft, CAP_NET_ADMIN, and a network namespace with only a loopback (unshare -n)';
