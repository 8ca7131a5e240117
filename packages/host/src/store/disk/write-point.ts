/**
 * Called at each named point between two steps that change the device. A test kills the process there to see the effect of a
 * crash. An error thrown here counts as a failure of the next step: one with the code `ENOSPC` is a full disk. A point is named
 * after the file and the step, such as `journal.write`, `journal.flush`, `record.rename`; in SQLite after the step of a
 * transaction, such as `group.begin`, `group.commit`.
 */
export type AtWritePoint = (point: string) => void;
