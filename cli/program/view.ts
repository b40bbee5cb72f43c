/** The interface of a live view. */
import type { ComponentType } from 'react';
import type { Paint } from './paint.ts';

/**
 * Props of a live view: the latest progress. A view contains no work, timers or fetches; the result is printed below
 * it.
 */
export interface ViewProps<P> {
  readonly progress: P | undefined;
  /** Styles text that a view does not style with Ink. */
  readonly paint: Paint;
}
export type View<P> = ComponentType<ViewProps<P>>;
