import type { DecisionSummary, UsageTotal } from '@dramaturg/host';
import type { OpenTask } from '../testing/open-tasks.ts';
import type { GivenDecision, GivenTask } from '../testing/test-file.ts';

/** A waiting task, with a token that a person has. */
export interface HeldTask extends OpenTask {
  /** The resource that was called with the token. */
  readonly resource: string;
  /** Whether other tasks wait, too. */
  readonly isOneOfSeveral: boolean;
}

/** Decides for a person in a workflow. */
export interface Decider {
  /** @param isOneOfSeveral whether several questions are open */
  readonly decide: (
    question: DecisionSummary,
    isOneOfSeveral: boolean,
  ) => Promise<GivenDecision> | GivenDecision;
  /** The ending of a task; undefined when the person does nothing for now. */
  readonly finish: (task: HeldTask) => Promise<GivenTask | undefined> | GivenTask | undefined;
  /** The usage of a model. */
  readonly used?: UsageTotal;
}

/** Names a task in a step: the state, and the items if other tasks wait, too. */
export function nameOfTask({
  state,
  items,
  isOneOfSeveral,
}: HeldTask): Pick<GivenTask, 'state' | 'item'> {
  return { state, ...(isOneOfSeveral && items.length > 0 ? { item: [...items] } : {}) };
}
