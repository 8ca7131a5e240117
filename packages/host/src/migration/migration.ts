/** Maps the names in an instance's state to another version of its definition. Names that it does not have stay the same. */
export type MigrationMap = {
  /** New names of states and tasks, by their old ones. */
  readonly states?: Readonly<Record<string, string>>;
  /** New names of data, by their old ones; null drops the data. */
  readonly data?: Readonly<Record<string, string | null>>;
  /**
   * The rule for open calls, questions and timers of a state whose request has changed: they continue unchanged (`keep`), or the
   * instance is not migrated (`block`). `keep` when left out.
   */
  readonly calls?: 'keep' | 'block';
};

/**
 * `compatible`: the states that the instance is in, and the data that it has, mean the same in both versions. `migratable`: it
 * can continue with the new version, but something changes or is lost. `blocked`: it cannot continue with the new version.
 */
export type Verdict = 'compatible' | 'migratable' | 'blocked';

/** The effects of a migration on an instance, in sentences for people. */
export interface Assessment {
  readonly verdict: Verdict;
  /** Why it is not compatible, or why it is blocked. */
  readonly because: readonly string[];
  /** The data that the instance would lose. */
  readonly losses: readonly string[];
}

/** An instance keeps the versions that it has run, so their number is limited. */
export const versionsMax = 100;
