/** A clause that says what the command is doing. */
export type Progress = string;

export type Report = (note: Progress) => void;

export type Steps<R> = AsyncGenerator<Progress, R, void>;
