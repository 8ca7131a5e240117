import {
  type EventObject,
  isRecord,
  type Json,
  type JsonObject,
  PortError,
  type PortName,
} from '@dramaturg/compiler';
import { HostError } from '../errors.ts';
import type { CallUse } from '../limits/index.ts';
import type { Thrown } from '../recording/failure.ts';
import { reasonOf } from './read.ts';
import type { Birth } from './state.ts';
import type { Step } from './step-world.ts';

/**
 * What a step of an instance took. Steps are functions, so that with what the steps before took, all that an instance has
 * come to follows from it. Spec: docs/host.md#the-journal
 */
export type Taken =
  | { readonly type: 'instance.started'; readonly birth: Birth }
  | { readonly type: 'event.taken'; readonly event: EventObject }
  | {
      readonly type: 'call.answered';
      readonly call: string;
      readonly output: Json;
      /** What it has used up, if that counts. */
      readonly use?: CallUse;
    }
  | {
      readonly type: 'call.failed';
      readonly call: string;
      readonly error: Thrown;
      readonly use?: CallUse;
    }
  /** The channel has taken a message by hand. */
  | { readonly type: 'message.taken'; readonly letter: string }
  | { readonly type: 'message.refused'; readonly letter: string; readonly because: string };

/** The line of the journal with which a step begins; what it has come to follows. */
export function stepLine({ at, drawn }: Step, taken: Taken): Json {
  return {
    at,
    source: 'step',
    event: taken as unknown as JsonObject,
    ...(drawn.length > 0 ? { drawn: [...drawn] } : {}),
  };
}

/** What a step took, from its line; undefined when the line is no step's. */
export function takenIn(line: Json): { readonly step: Step; readonly taken: Taken } | undefined {
  if (!isRecord(line) || line['source'] !== 'step') return undefined;
  const { at, event, drawn = [] } = line;
  return {
    step: { at: Number(at), drawn: drawn as (number | string)[] },
    taken: event as unknown as Taken,
  };
}

/** What ports throw, and whatever else a call may end with, as a port's error. */
export function portErrorOf(error: unknown, port: PortName): PortError {
  if (error instanceof PortError) return error;
  return new PortError('port/failed', port, reasonOf(error), { cause: error });
}

/** A journal that was written before steps were. */
export function withoutSteps(id: string): HostError {
  return new HostError(
    'host/bad-request',
    `The journal of ${JSON.stringify(id)} does not say what its steps took: an earlier release has written it.`,
  );
}
