/** How the state of an instance is read by another version of its definition. What it does not name keeps its name. */
export type MigrationMap = {
  /** New names of states and tasks, by their old ones. */
  readonly states?: Readonly<Record<string, string>>;
  /** New names of data, by their old ones; null drops the data. */
  readonly data?: Readonly<Record<string, string | null>>;
  /**
   * What becomes of open calls, questions and timers of a state that asks otherwise now: they go on as they were made (`keep`), or the
   * instance is not migrated (`block`). `keep` when left out.
   */
  readonly calls?: 'keep' | 'block';
};

/**
 * `compatible`: the states that the instance is in, and the data that it has, mean the same in both versions. `migratable`: it can go on
 * with the new version, and something of it changes or is lost. `blocked`: it cannot go on with the new version.
 */
export type Verdict = 'compatible' | 'migratable' | 'blocked';

/** What a migration would do to an instance. Sentences for people. */
export interface Assessment {
  readonly verdict: Verdict;
  /** Why it is not compatible, or why it is blocked. */
  readonly because: readonly string[];
  /** What the instance would lose. */
  readonly losses: readonly string[];
}

/** An instance keeps the versions that it has run, so their number is limited. */
export const versionsMax = 100;
