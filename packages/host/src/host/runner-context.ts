import type { Answer } from '../instance/event.ts';
import type { LiveInstance } from '../instance/live-instance.ts';
import type { StepResult } from '../instance/step-result.ts';
import type { RunnerServices } from './runner-services.ts';

/** The kind of a step. Consecutive messages in the queue are run together, and so are consecutive answers of calls. */
export type StepKind = 'message' | 'answer' | 'other';

/** Decides one step of an instance. */
export type DecideStep = (instance: LiveInstance) => Promise<StepResult>;

/** The interface of a runner for its parts. */
export interface RunnerContext {
  readonly instance: LiveInstance;
  readonly services: RunnerServices;
  /** False after the runner was dropped: then no part may start anything or report a result. */
  readonly isRunning: () => boolean;
  /** Queues a step. */
  readonly step: (decide: DecideStep, kind?: StepKind) => Promise<Answer>;
  /** Runs work between two steps, when the instance in memory equals the stored one. */
  readonly betweenSteps: <Value>(work: () => Promise<Value>) => Promise<Value>;
  /** Breaks the runner: the instance is loaded from the store again. */
  readonly breakOff: (error: unknown) => void;
  /** Notes that a journal line was stored between two steps. Returns how many there are now. */
  readonly noteJournalLine: () => number;
  /** A part has finished its work. */
  readonly onRest: () => void;
}
