/**
 * The open connections of one client that each worker may admit without the coordinator. All workers together have half
 * of each limit: until a client uses it, no process needs to know the client's connections in the other workers.
 */
import type { Rules, ServiceRules } from '../../admission/rules.ts';

const sharedPart = 1 / 2;

/** The share of one worker in a limit. The limit 0 is none. */
export const shareOf = (limit: number, workers: number): number =>
  limit === 0 ? Number.POSITIVE_INFINITY : Math.floor((limit * sharedPart) / workers);

/** Whether the coordinator decides on each connection of a service: it counts them, or a worker has no share of a limit. */
export const isAlwaysRequested = ({ config }: ServiceRules, { config: { global } }: Rules, workers: number): boolean =>
  config.rate_limit !== undefined ||
  shareOf(global.max_connections_per_ip, workers) === 0 ||
  shareOf(config.max_connections_per_ip, workers) === 0;
