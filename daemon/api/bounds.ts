/** Bounds of the API. Tests use lower ones than contract/daemon/bounds.ts. */
import type { daemonBounds } from '../../contract/daemon/bounds.ts';

type Bounds = typeof daemonBounds;
type Widened<Value> = Value extends number ? number : { readonly [Key in keyof Value]: number };

export type ApiBounds = {
  readonly [Name in keyof Bounds as Name extends `api${string}` ? Name : never]: Widened<Bounds[Name]>;
};
