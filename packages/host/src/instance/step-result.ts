import type { Change } from '../store/contract.ts';
import type { Answer, HostEvent } from './event.ts';

/** What an instance has decided in one step. None of it is done yet: it is stored first (H2). */
export interface StepResult {
  /** Undefined when nothing has changed, as after a refusal. */
  readonly change?: Omit<Change, 'id' | 'expectedRevision' | 'handled'>;
  readonly events: readonly HostEvent[];
  readonly answer: Answer;
}
