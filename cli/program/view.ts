import type { ComponentType } from 'react';
import type { Paint } from './paint.ts';

/** Properties of a view. A view contains no work, timers or fetches. */
export interface ViewProps<P> {
  readonly progress: P | undefined;
  /** Styles text that a view does not style with Ink. */
  readonly paint: Paint;
}
export type View<P> = ComponentType<ViewProps<P>>;
