/** The result of `verify`. */
export interface Verification {
  /** The number of records that were read, without damaged ones. */
  readonly records: number;
  /** The number of lines of their journals and transcripts. */
  readonly lines: number;
  /** Everything that is damaged or missing, including records that were set aside before. */
  readonly damaged: readonly DamagedRecord[];
}

/** A record whose stored data differs from what was written. It is set aside and not served. */
export interface DamagedRecord {
  /** The id of the record; absent when it cannot be read. */
  readonly id?: string;
  /** A sentence that describes the damage. */
  readonly reason: string;
  /** The place where a person finds the record: a folder, or a table of a database. */
  readonly where: string;
}

/** One step of a repair, in sentences for people. */
export interface RepairStep {
  /** The damage, and where it is. */
  readonly finding: string;
  /** The effect of the step, and the data that it loses. */
  readonly action: string;
  readonly apply: () => Promise<void>;
}
