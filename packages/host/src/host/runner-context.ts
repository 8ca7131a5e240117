import type { Answer } from '../instance/event.ts';
import type { LiveInstance } from '../instance/live-instance.ts';
import type { StepResult } from '../instance/step-result.ts';
import type { RunnerServices } from './runner-services.ts';

/** What a step is about. Messages that are queued one after another are run together, and so are answers of calls. */
export type StepKind = 'message' | 'answer' | 'other';

/** Decides one step of an instance. */
export type DecideStep = (instance: LiveInstance) => Promise<StepResult>;

/** What the parts of a runner may use of it. */
export interface RunnerContext {
  readonly instance: LiveInstance;
  readonly services: RunnerServices;
  /** False after the runner was dropped: then no part may start anything or report a result. */
  readonly isRunning: () => boolean;
  /** Queues a step. */
  readonly step: (decide: DecideStep, kind?: StepKind) => Promise<Answer>;
  /** Runs work between two steps, when the instance in memory equals the stored one. */
  readonly betweenSteps: <Value>(work: () => Promise<Value>) => Promise<Value>;
  /** Gives the instance up: it is loaded from the store again. */
  readonly breakOff: (error: unknown) => void;
  /** A line of the journal was stored between two steps. Returns how many there are now. */
  readonly noteJournalLine: () => number;
  /** A part has finished its work. */
  readonly onRest: () => void;
}
