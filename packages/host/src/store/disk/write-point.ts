/**
 * Called at each named point between two steps that change what is on the device. A harness ends the process in it, to
 * see what a crash there leaves. What it throws counts as the failure of the step that follows: an `Error` with the
 * code `ENOSPC` is a full disk. A point is named after the file and the step: `log.write`, `log.flush`, `record.rename`;
 * in SQLite, whose own steps are its own, after the step of a transaction: `group.begin`, `group.commit`.
 */
export type AtWritePoint = (point: string) => void;
