import { InputError, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import {
  type AgentEnding,
  nestingExceeded,
  nestingMax,
  permissionsExceeded,
} from '@dramaturg/compiler/machine';
import type { LoadedDefinition } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import type { ChildRequest, InstanceState, ParentRef } from './state.ts';
import type { LoadedDefinitions } from './surroundings.ts';

const policies = ['time_zone', 'quiet_hours', 'calendar', 'words'];

/** The policies about the contact: its own, and those of the caller where it has none. `language` is that of the flow. */
export function policiesOf({
  lifecycle: { context },
  definitions: { lifecycle, flow },
}: {
  readonly lifecycle: { readonly context: Readonly<Record<string, unknown>> };
  readonly definitions: LoadedDefinitions;
}): JsonObject {
  const own = Object.entries(lifecycle.chart.meta ?? {}).filter(([name]) =>
    policies.includes(name),
  );
  const language = flow?.chart.meta?.['language'];
  return {
    ...(context['caller'] as JsonObject | undefined),
    ...Object.fromEntries(own),
    ...(language !== undefined && { language }),
  };
}

/** What is known of the contact, from the context of one lifecycle for the input of another. */
export function contactInput(context: object): JsonObject {
  const known = Object.entries(context).filter(
    ([name]) => name === 'time_zone' || name === 'caller',
  );
  return Object.fromEntries(known);
}

/** The reference to the parent that the child of a call keeps. */
export function parentRefOf(
  { id, state }: { readonly id: string; readonly state: Pick<InstanceState, 'parent'> },
  call: string,
  { remainingBudget, tools }: ChildRequest,
): ParentRef {
  const ancestors = [id, ...(state.parent?.ancestors ?? [])];
  return {
    instance: id,
    call,
    ancestors,
    ...(remainingBudget && { remainingBudget }),
    ...(tools && { tools }),
  };
}

/** The outcome of a call whose child must not be started: it is nested too deep, or cannot keep a promise of the call. */
export function endingOfRefused(
  name: string,
  { ancestors, tools }: ParentRef,
): AgentEnding | undefined {
  return ancestors.length > nestingMax ? nestingExceeded(name) : permissionsExceeded(name, tools);
}

/** The birth of a definition's instance as the child of a call. */
export function childStart(
  { machine, lifecycle }: Pick<LoadedDefinition, 'machine' | 'lifecycle'>,
  parent: {
    /** The input of the parent's call. */
    readonly input: Json;
    readonly inputOfParent: JsonObject;
    /** The contact in its canonical form. */
    readonly contact: string | undefined;
    readonly address: string | null;
    /** See `LiveInstance.passedOn`. */
    readonly lifecycleInput: JsonObject;
  },
): {
  readonly contact?: string;
  readonly address: string | null;
  readonly input: JsonObject;
  readonly lifecycleInput: JsonObject;
} {
  const { input, inputOfParent, contact, address, lifecycleInput } = parent;
  const own = machine.agent?.input(input, inputOfParent);
  return {
    // An instance without a flow sends nothing to a contact, and must not occupy the contact's queue.
    ...(lifecycle && contact !== undefined ? { contact, address } : { address: null }),
    input: own ?? (isRecord(input) ? input : { input }),
    lifecycleInput,
  };
}

/** The outcome of a call whose child cannot be started; undefined when a retry may succeed. */
export function endingOfStart(
  error: unknown,
): Extract<AgentEnding, { readonly error: string }> | undefined {
  if (error instanceof InputError) return { error: 'States.ValidationError', cause: error.message };
  if (!(error instanceof HostError && permanent.includes(error.code))) return undefined;
  return { error: 'States.TaskFailed', cause: error.message };
}

/** Errors that the parent's request has caused, so a retry would fail too. */
const permanent: readonly string[] = ['host/bad-request', 'host/exists', 'host/unknown-definition'];
