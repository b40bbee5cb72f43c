import { plain } from '../answer.ts';
import type { Route } from '../call.ts';

export const ping: Route<'ping'> = () => plain('pong\n');
