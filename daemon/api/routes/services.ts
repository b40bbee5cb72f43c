import { json } from '../answer.ts';
import type { Route } from '../call.ts';

export const services: Route<'services'> = ({ control }) => json(control.services());
