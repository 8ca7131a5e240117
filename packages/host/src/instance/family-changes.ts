import type { Json } from '@dramaturg/compiler';
import type { AgentEnding } from '@dramaturg/compiler/machine';
import type { DurableMachine, MachineActor } from '../xstate/machine-actor.ts';
import { childChanges } from './children.ts';
import type { DefinitionCall } from './instance-calls.ts';
import type { FlowRun } from './flow-run.ts';
import { optionalText } from './read.ts';
import type { InstanceState } from './state.ts';
import type { WorkingState } from './working-state.ts';

export interface FamilyOptions {
  readonly working: WorkingState;
  /** The open calls that children answer, by their letters. */
  readonly calls: ReadonlyMap<string, DefinitionCall>;
  readonly lifecycle: Pick<MachineActor, 'context' | 'status' | 'output'>;
  readonly lifecycleMachine: DurableMachine;
  readonly flowRun: FlowRun | undefined;
}

/** Starts and abandons children, and reports to the parent how the instance has ended: by letters in the outbox. */
export function familyChanges(options: FamilyOptions): Pick<InstanceState, 'children' | 'ending'> {
  const { working, calls, flowRun } = options;
  const { id, state, ended, outbox } = working;
  const { children = {}, parent, ending: known } = state;
  const turn = flowRun?.state.turn?.id ?? null;
  const changes = childChanges(id, children, calls, turn, ended);
  for (const letter of changes.obsolete) outbox.settle(letter);
  for (const [letter, body] of changes.letters) outbox.add(letter, body);
  const ending = known ?? (parent && ended ? endingOf(options) : undefined);
  if (ending && !known)
    outbox.add('ended', { kind: 'ended', parent: parent!.instance, call: parent!.call });
  return { children: changes.children, ...(ending ? { ending } : {}) };
}

/** The ending of the instance, as the answer to the call of its parent. */
function endingOf({ working, lifecycle, lifecycleMachine, flowRun }: FamilyOptions): AgentEnding {
  const { id, status, budgetExceeded, spending } = working;
  const used = spending.usage;
  const usage = used ? { usage: used } : {};
  if (budgetExceeded !== undefined)
    return { error: 'States.BudgetExceeded', cause: budgetExceeded, ...usage };
  const { failure_reason: failed, cancel_reason: cancelled, end_reason } = lifecycle.context;
  const because = optionalText(failed);
  const details = because === '' ? '.' : `: ${because}. ${optionalText(cancelled)}`;
  const cause = `"${id}" ended in ${status}${details}`.trim();
  const reason = typeof end_reason === 'string' ? end_reason : undefined;
  const ending = flowRun ? flowRun.ending(reason) : lifecycleEnding(lifecycle, lifecycleMachine);
  return { ...(ending ?? { error: 'States.TaskFailed', cause }), ...usage };
}

/** The ending of an instance without a flow. */
function lifecycleEnding(
  { status, output }: FamilyOptions['lifecycle'],
  { agent }: DurableMachine,
): AgentEnding | undefined {
  return status === 'done' ? agent?.ending(output as Json) : undefined;
}
