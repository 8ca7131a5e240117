import { type Chart, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { chartsOf, type NodeMeta } from '@dramaturg/compiler/chart';
import type {
  AgentRole,
  Behaviour,
  ContextMigration,
  FailedItems,
  Identity,
  ItemDescription,
  ItemView,
  RestingState,
  RunFailure,
  Standing,
  StateVisit,
} from '@dramaturg/compiler/machine';
import { compileProgram } from '../compile-program.ts';
import {
  type Progress,
  progressOf,
  retriesOf,
  visitOf,
  type WorkflowContext,
  type WorkVisit,
} from '../context.ts';
import type { WorkflowInput, WorkflowOutput } from '../events.ts';
import { kinds } from '../kinds.ts';
import { composed } from './part.ts';
import { compileProgramsWith } from './program.ts';
import { reasons } from './reasons.ts';
import { sharedSpendingBehaviour } from './spending.ts';
import { retryBehaviour, stateBehaviour } from './state.ts';
import { type SharedByItems, workflowBehaviour } from './workflow.ts';
import { mapRunNames } from '../flow/run.ts';
import type { ItemOutput } from '../flow/result-writer.ts';
import type { MapVisit } from '../kinds/map/program.ts';
import { completionOf, type Task, type TaskVisit } from '../kinds/task/definition.ts';
import { stateId } from '../names.ts';
import { redactedData } from './audit.ts';

/** Describes the items of Maps for people. */

/** The items of the Maps that failed because of an item, or could not write their results. */
function failedItems(context: WorkflowContext): FailedItems[] {
  return Object.entries(context).flatMap(([machine, value]) => {
    if (!isRecord(value) || !isRecord(value['visit'])) return [];
    const progress = value as unknown as Progress;
    const { map, mapRun, ended, writing } = visitOf<MapVisit>(progress);
    const results = (ended ?? writing?.ended)?.results;
    if (!progress.failure || !map || !results) return [];
    const { execution, place } = context;
    const items = results.map((output, index): ItemView => {
      const item = map.inputs[index]!;
      if (output === null) return { index, item, status: 'waiting' };
      const isSucceeded = (output as unknown as ItemOutput).status === 'succeeded';
      return { index, item, status: isSucceeded ? 'succeeded' : 'failed', output };
    });
    const shared = { execution, ...(mapRun && { mapRun }) } as unknown as JsonObject;
    return [{ at: { node: stateId({ machine }, progress.state), place }, shared, items }];
  });
}

function describeItem(
  { index, item, output: told }: ItemView,
  shared: JsonObject,
  root: NodeMeta,
): ItemDescription {
  const { execution, mapRun } = shared as unknown as SharedByItems;
  const child = mapRun && mapRunNames(execution, mapRun).child(index);
  const { input } = redactedData(root, { input: item });
  const outcome = told as unknown as (ItemOutput & { readonly at?: RunFailure['at'] }) | undefined;
  const { startedAt, stoppedAt } = outcome ?? {};
  return {
    ...(child && { id: child.Id, name: child.Name }),
    input: input!,
    ...(outcome?.status === 'succeeded' && redactedData(root, { output: outcome.output })),
    ...(outcome?.status === 'failed' && {
      failure: {
        error: outcome.error ?? null,
        cause: outcome.cause ?? null,
        ...(outcome.at && { at: outcome.at }),
      },
    }),
    ...(startedAt !== undefined && { startedAt }),
    ...(stoppedAt !== undefined && { stoppedAt }),
  };
}

/** Reports on a run: how it failed, and what its states wait for and since when. */
const standing: Standing<WorkflowContext> = {
  failure: failureOfRun,
  visit: visitOfState,
  input: ({ input = {} }, root) => redactedData(root, { input })['input']!,
  output: (ended, root) => {
    const { status, output } = ended as unknown as WorkflowOutput & { readonly output?: Json };
    return status === 'succeeded' ? redactedData(root, { output: output! })['output'] : undefined;
  },
  failedItems,
  item: describeItem,
};

function failureOfRun(context: WorkflowContext, machine: string): RunFailure | undefined {
  const { failure, timedOut, state } = progressOf(context, machine);
  if (timedOut) {
    const at = { node: stateId({ machine }, state), place: context.place };
    return { error: 'States.Timeout', cause: null, ...(state !== '' && { at }) };
  }
  if (!failure) return undefined;
  const { error, cause, at } = failure;
  return { error, cause, ...(at && { at }) };
}

function visitOfState(context: WorkflowContext, { nodes, meta, timers }: RestingState): StateVisit {
  const machine = nodes.findLast((id) => isProgress(context[id]));
  if (machine === undefined) return {};
  const progress = progressOf(context, machine);
  const visit = visitOf<TaskVisit & WorkVisit>(progress);
  const dueAt = (...names: string[]) =>
    timers.filter(({ id }) => names.some((name) => id.endsWith(`:${name}`))).map(({ at }) => at);
  const [timeoutAt] = dueAt('timeout', 'duration').toSorted((one, other) => one - other);
  const [heartbeatAt] = dueAt('heartbeat');
  // The timeout of the machine as a whole.
  if (nodes.length === 1) return { ...(timeoutAt !== undefined && { timeoutAt }) };
  if (progress.failure) {
    const { error, cause } = progress.failure;
    return { since: progress.enteredAt, retry: { attempt: retriesOf(visit), error, cause } };
  }
  const { token, tokenSince = progress.enteredAt } = visit;
  const { state } = (meta.get(nodes.at(-1)!) ?? {}) as { readonly state?: JsonObject };
  const isCompletedOutside = completionOf((state ?? {}) as unknown as Task) !== 'answer';
  return {
    since: token === undefined ? progress.enteredAt : tokenSince,
    ...(token !== undefined && (isCompletedOutside ? { token } : { heartbeatToken: token })),
    ...(timeoutAt !== undefined && { timeoutAt }),
    ...(heartbeatAt !== undefined && { heartbeatAt }),
  };
}

function isProgress(value: unknown): value is Progress {
  return isRecord(value) && typeof (value as { steps?: Json }).steps === 'number';
}

/** The id of a run is that of its execution, which the machines of its items share. */
const identity: Identity<WorkflowContext | SharedByItems> = {
  of: ({ execution }) => execution.id,
  renamed: (value, id) => ({ ...value, execution: { ...value.execution, id } }),
};

/** A workflow as an agent of another definition: its data is the input of the call, and its failure fails the call. */
const agentRole: AgentRole = {
  input: (input, caller) => {
    const { context } = caller as WorkflowInput;
    // The requestor of a run is also the requestor of the runs within it.
    const requestor = isRecord(context?.Execution) ? context.Execution['Requestor'] : undefined;
    return {
      input,
      ...(typeof requestor === 'string' && { context: { Execution: { Requestor: requestor } } }),
    };
  },
  ending: (output) => {
    const ended = output as unknown as WorkflowOutput;
    return ended.status === 'succeeded'
      ? { result: ended.output }
      : { error: ended.error ?? 'States.TaskFailed', cause: ended.cause ?? '' };
  },
};

/** Renames states in the progress of each machine. Names in the data of a workflow are the author's own, and stay. */
const migration: ContextMigration<WorkflowContext> = {
  renamed: (context, { states }) =>
    Object.fromEntries(
      Object.entries(context).map(([name, value]) => {
        const state = isRecord(value) ? value['state'] : undefined;
        const isRenamed = typeof state === 'string' && Object.hasOwn(states, state);
        return [name, isRenamed ? { ...(value as object), state: states[state] } : value];
      }),
    ) as WorkflowContext,
  fitted: (context, { from, to }) => {
    const machines = machinesIn(to);
    const gone = [...machinesIn(from)].filter(
      (machine) => !machines.has(machine) && Object.hasOwn(context, machine),
    );
    return {
      context,
      ...(gone.length > 0 && {
        blocks: ['It has begun branches that the new version does not have.'],
      }),
    };
  },
  asks: ({ state, language }) =>
    isRecord(state)
      ? [Object.entries(state).filter(([field]) => !exits.has(field)), language ?? null]
      : null,
};

/** Fields about what follows a call: they do not change its question. */
const exits = new Set(['Next', 'End', 'Catch', 'Retry', 'Choices', 'Default', 'Comment', 'Assign']);

const known = new WeakMap<Chart, ReadonlySet<string>>();

/** The names of the machines that keep their progress in the context of a workflow. */
function machinesIn(chart: Chart): ReadonlySet<string> {
  const found = known.get(chart);
  if (found) return found;
  const machines = new Set<string>();
  const pending: unknown[] = [...chartsOf(chart)];
  for (const part of pending) {
    if (typeof part !== 'object' || part === null) continue;
    const { params } = part as { readonly params?: unknown };
    const machine = isRecord(params) ? params['machine'] : undefined;
    if (typeof machine === 'string') machines.add(machine);
    // Data of the author has no references.
    for (const [key, inner] of Object.entries(part))
      if (key !== 'meta' && key !== 'params') pending.push(inner);
  }
  known.set(chart, machines);
  return machines;
}

compileProgramsWith(compileProgram);

/** The code behind the names in the charts of workflows. */
export const behaviour = {
  identity,
  agent: agentRole,
  migration,
  standing,
  reasons,
  ...composed(
    workflowBehaviour,
    stateBehaviour,
    retryBehaviour,
    sharedSpendingBehaviour,
    ...Object.values(kinds).map((kind) => kind.behaviour),
  ),
} satisfies Behaviour;
