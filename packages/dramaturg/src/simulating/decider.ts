import type { DecisionSummary, UsageTotal } from '@dramaturg/host';
import type { OpenTask } from '../testing/open-tasks.ts';
import type { GivenDecision, GivenTask } from '../testing/test-file.ts';

/** A task whose token a person has. */
export interface HeldTask extends OpenTask {
  /** What was called with the token. */
  readonly resource: string;
  /** Other tasks wait, too. */
  readonly isOneOfSeveral: boolean;
}

/** Decides for a person beside a workflow. */
export interface Decider {
  /** @param isOneOfSeveral several questions are open */
  readonly decide: (
    question: DecisionSummary,
    isOneOfSeveral: boolean,
  ) => Promise<GivenDecision> | GivenDecision;
  /** What becomes of a task; undefined when the person does nothing for now. */
  readonly finish: (task: HeldTask) => Promise<GivenTask | undefined> | GivenTask | undefined;
  /** What a model has used. */
  readonly used?: UsageTotal;
}

/** Names a task in a step, as far as that is needed. */
export function nameOfTask({
  state,
  items,
  isOneOfSeveral,
}: HeldTask): Pick<GivenTask, 'state' | 'item'> {
  return { state, ...(isOneOfSeveral && items.length > 0 ? { item: [...items] } : {}) };
}
