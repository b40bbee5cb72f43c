/**
 * Bounds of the container runtime. `Ms`: milliseconds in which it must respond. Calls take less than a second on an idle
 * machine.
 */
export const runtimeBounds = {
  /** The first response. A remote container runtime over SSH takes seconds. */
  firstMs: 10_000,
  /** Lists and inspections. They wait for the locks of other operations, such as the removal of a large image. */
  queryMs: 30_000,
  /** Creating a container or a network writes to the disk, and changes the firewall. */
  createMs: 30_000,
  /** Attaching and starting, on a slow disk. */
  startMs: 60_000,
  /** Docker waits 10 s for the end of a killed process, and then deletes files. */
  removeMs: 60_000,
  /** A build downloads packages over a slow connection, and may compile. */
  buildMs: 30 * 60_000,
  /** From the end of the outputs to the second `wait`. The exit status usually arrives within milliseconds. */
  statusMs: 3000,
  /** The second `wait`. Docker first removes the network of the container, which takes seconds on a slow disk. */
  secondWaitMs: 60_000,
  /** Printed part of an error message. */
  messageCharacters: 4096,
} as const;
