/** One step of a repair, in sentences for people. */
export interface RepairStep {
  /** What is wrong, and where. */
  readonly finding: string;
  /** What the step does, and what is lost by it. */
  readonly action: string;
  readonly apply: () => Promise<void>;
}
