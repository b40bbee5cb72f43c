/** Progress of `guardcli dashboard up` and `down`. */

/** A clause that says what the command is doing. */
export type Progress = string;

/** Called when the work of the command changes. */
export type Report = (note: Progress) => void;

export type Steps<R> = AsyncGenerator<Progress, R, void>;
