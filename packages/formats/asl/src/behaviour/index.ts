import { type Chart, isRecord } from '@dramaturg/compiler';
import { chartsOf } from '@dramaturg/compiler/chart';
import type { AgentRole, Behaviour, ContextMigration, Identity } from '@dramaturg/compiler/machine';
import { compileProgram } from '../compile-program.ts';
import type { WorkflowContext } from '../context.ts';
import type { WorkflowInput, WorkflowOutput } from '../events.ts';
import { kinds } from '../kinds.ts';
import { composed } from './part.ts';
import { compileProgramsWith } from './program.ts';
import { reasons } from './reasons.ts';
import { sharedSpendingBehaviour } from './spending.ts';
import { standing } from './standing.ts';
import { retryBehaviour, stateBehaviour } from './state.ts';
import { type SharedByItems, workflowBehaviour } from './workflow.ts';

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
