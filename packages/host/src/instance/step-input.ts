import {
  type EventObject,
  isRecord,
  type Json,
  type JsonObject,
  PortError,
  type PortName,
} from '@dramaturg/compiler';
import { badRequest, type HostError } from '../errors.ts';
import type { CallUsage } from '../limits/index.ts';
import type { RecordedError } from '../recording/recorded-error.ts';
import type { MigrationMap } from '../migration/migration.ts';
import type { DefinitionVersion } from '../store/contract.ts';
import type { DeliveryReport } from './delivery-reports.ts';
import { reasonOf } from './read.ts';
import type { Birth } from './state.ts';
import type { Step } from './step-world.ts';

/**
 * The input of a step. Steps are functions: the inputs of all steps so far determine the instance.
 * Spec: docs/host.md#the-journal
 */
export type StepInput =
  | { readonly type: 'instance.started'; readonly birth: Birth }
  | { readonly type: 'event.taken'; readonly event: EventObject }
  | {
      readonly type: 'call.answered';
      readonly call: string;
      readonly output: Json;
      /** The consumption of the call, if it counts. */
      readonly use?: CallUsage;
    }
  | {
      readonly type: 'call.failed';
      readonly call: string;
      readonly error: RecordedError;
      readonly use?: CallUsage;
    }
  /** A failed call is retried, because its time has come. */
  | { readonly type: 'call.repeated'; readonly call: string }
  /** A call that was aborted has consumed something. Its outcome is ignored. */
  | {
      readonly type: 'use.counted';
      readonly port: PortName;
      readonly key: string;
      readonly use: CallUsage;
    }
  /** The flow starts more of its items without an input, or gets a refusal. */
  | { readonly type: 'items.continued'; readonly refusal?: string }
  /** A provider has reported about a message. */
  | { readonly type: 'delivery.reported'; readonly report: Omit<DeliveryReport, 'instance'> }
  /** The flow continues with another version of its definition. */
  | {
      readonly type: 'definition.migrated';
      readonly to: DefinitionVersion;
      readonly map: MigrationMap;
    }
  /** The migration of the step before is undone. */
  | { readonly type: 'migration.undone' }
  /** The channel has accepted a message by hand. */
  | { readonly type: 'message.taken'; readonly letter: string }
  | { readonly type: 'message.refused'; readonly letter: string; readonly because: string };

/** The first journal line of a step. The lines of its events follow. */
export function stepLine({ at, drawn }: Step, input: StepInput): Json {
  return {
    at,
    source: 'step',
    event: input as unknown as JsonObject,
    ...(drawn.length > 0 ? { drawn: [...drawn] } : {}),
  };
}

/** Reads the first journal line of a step; undefined for all other lines. */
export function stepInputIn(
  line: Json,
): { readonly step: Step; readonly input: StepInput } | undefined {
  if (!isRecord(line) || line['source'] !== 'step') return undefined;
  const { at, event, drawn = [] } = line;
  return {
    step: { at: Number(at), drawn: drawn as (number | string)[] },
    input: event as unknown as StepInput,
  };
}

/** Wraps an error of a call in a `PortError`, unless it is one. */
export function portErrorOf(error: unknown, port: PortName): PortError {
  if (error instanceof PortError) return error;
  return new PortError('port/failed', port, reasonOf(error), { cause: error });
}

/** The error for a journal of an earlier release, which did not record steps. */
export function withoutSteps(id: string): HostError {
  return badRequest(
    `The journal of ${JSON.stringify(id)} does not have the inputs of its steps: an earlier release wrote it.`,
  );
}
