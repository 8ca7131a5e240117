import type { Json } from '@dramaturg/compiler';
import type { Change, Timer } from '../store/contract.ts';
import type { Answer, HostEvent, TranscriptLine } from './event.ts';
import type { InstanceState } from './state.ts';

/** The lines that a step adds to the record of its instance. */
export interface StepLines {
  readonly journal: readonly Json[];
  readonly transcript: readonly TranscriptLine[];
}

/** The changes of steps to the record of their instance. */
export type StepChange = Required<
  Omit<Change, 'id' | 'expectedRevision' | 'snapshot' | 'parts'>
> & { readonly state: InstanceState };

/** The changes of all steps since the last write, without their lines. */
export type StateChange = Omit<StepChange, keyof StepLines>;

/** Steps that were stored in one write. */
export interface StoredSteps {
  readonly events: readonly HostEvent[];
  /** All timers that the instance has now. */
  readonly timers: readonly Timer[];
}

/** The decisions of an instance in one step. They are stored before they have any effect (H2). */
export interface StepResult {
  /** Undefined when nothing has changed, as after a refusal. */
  readonly lines?: StepLines;
  readonly events: readonly HostEvent[];
  readonly answer: Answer;
}
