import type { Change } from '../store/contract.ts';
import type { Answer, HostEvent } from './event.ts';

/** What a step changes in the record of its instance. */
export type StepChange = Required<Omit<Change, 'id' | 'expectedRevision' | 'parts'>>;

/** What an instance has decided in one step. None of it is done yet: it is stored first (H2). */
export interface StepResult {
  /** Undefined when nothing has changed, as after a refusal. */
  readonly change?: StepChange;
  readonly events: readonly HostEvent[];
  readonly answer: Answer;
}
