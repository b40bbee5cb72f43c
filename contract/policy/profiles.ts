/** The form of a profile: what a self-hosted application serves that built-in rules block. */
import * as z from 'zod/mini';

const sentencePart = z.string().check(z.regex(/^[^\n]{1,200}$/));

/** A path below the host, without escapes, such as `/remote.php/dav/files/`. */
const UrlPath = z.string().check(z.regex(/^\/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*$/));

/** A target without escapes, with its query. */
const Target = z.string().check(z.regex(/^\/[\x21-\x7e]*$/));

const Passage = z.strictObject({
  /** Pattern after the base path, without `^`. It begins with a slash and names the folder that the application owns. */
  path: z.string().check(z.regex(/^\/[\x21-\x7e]{1,400}$/)),
  /** Ids of rules. `files`: every rule about names of files, for paths below which users keep any file. */
  rules: z.union([z.literal('files'), z.array(z.string()).check(z.minLength(1))]),
  /** What the application serves there. */
  why: sentencePart,
  /** The file of the sources or the page of the documentation that shows it. */
  source: sentencePart,
  /** Targets below the base path `/` that only the profile lets through. */
  examples: z.array(Target).check(z.minLength(1)),
});

export const Profile = z.strictObject({
  name: z.string().check(z.regex(/^[a-z][a-z0-9-]{1,31}$/)),
  product: sentencePart,
  /** The place that serves the application, with its usual port, for the page about its proxy. */
  upstream: z.string().check(z.regex(/^[a-z0-9.-]+:[0-9]+$/)),
  /** Usual base paths. The first one is the default. */
  basePaths: z.array(UrlPath).check(z.minLength(1)),
  /** What shows the default base path and the routes. */
  source: sentencePart,
  /**
   * Starts of targets below the base path, by which the application is recognized in a log: by two of them, of which one
   * is a mark of no other application.
   */
  marks: z.array(Target).check(z.minLength(1)),
  passages: z.array(Passage),
});
export type Profile = z.output<typeof Profile>;
