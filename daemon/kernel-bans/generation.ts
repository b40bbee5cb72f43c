/**
 * Asks the kernel for the generation of the rules of nftables, a number that changes with each transaction of any program
 * (NFT_MSG_GETGEN, linux/netfilter/nf_tables.h). It takes some microseconds; listing the rules with nft takes milliseconds.
 */
import { choosePlane } from '../plane/choice.ts';
import { closeOnExec, family, netfilter, nonBlocking, raw } from '../process/libc/abi.ts';
import type { Libc } from '../process/libc/libc.ts';
import { openLibc } from '../process/libc/open.ts';

/** Returns undefined where the kernel was not asked, or did not answer. */
export type Generation = () => number | undefined;

/** `struct nlmsghdr` and `struct nfgenmsg`, in words. Their request has no attributes. */
const requestBytes = 20;
const [isRequest, getGeneration, newGeneration] = [0x1_0000, 0x0a10, 0x0a0f];
/** The header of the attribute NFTA_GEN_ID, four bytes long, and the place of its value. */
const [generationId, idOffset] = [0x1_0008, 24];

export function generationOf(libc: Libc): Generation {
  const message = libc.allocate(256);
  const { words, view } = message;
  return () => {
    const fd = libc.socket(family.netlink, raw | nonBlocking | closeOnExec, netfilter);
    if (fd < 0) return undefined;
    try {
      words.set([requestBytes, isRequest | getGeneration, 0, 0, 0]);
      if (libc.write(fd, message, 0, requestBytes) < 0 || libc.read(fd, message) < idOffset + 4) return undefined;
      const [, type = 0, , , , attribute] = words;
      return (type & 0xffff) === newGeneration && attribute === generationId ? view.getUint32(idOffset) : undefined;
    } finally {
      libc.close(fd);
    }
  };
}

/** Calls C on the releases of Node that the Linux plane was tested with, whatever relays: listing takes a share of a core. */
export function openGeneration(): Generation {
  const opened = choosePlane('auto').name === 'linux' ? openLibc() : { missing: '' };
  return 'libc' in opened ? generationOf(opened.libc) : () => undefined;
}
