/** One step of a repair, in sentences for people. */
export interface RepairStep {
  /** The damage, and where it is. */
  readonly finding: string;
  /** The effect of the step, and the data that it loses. */
  readonly action: string;
  readonly apply: () => Promise<void>;
}
