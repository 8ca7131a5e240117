import type { PortInput, PortOutput } from '@dramaturg/compiler';
import type { Action, Effects, Guard } from '@dramaturg/compiler/format';
import { accountName } from '@dramaturg/compiler/machine';
import { type Progress, progressOf, visitOf, withVisit, type WorkflowContext } from '../context.ts';
import type { SharedBudget } from '../definition/budget.ts';
import {
  type BudgetVisit,
  countedBelow,
  type SharedCosts,
  type Spending,
  withMarks,
} from '../flow/budget.ts';
import { callKey } from './call-key.ts';
import { failureOf } from './failure.ts';
import type { BehaviourPart } from './part.ts';
import { budgetOf } from './program.ts';
import type { MachineParams, WorkflowScope } from './state-at-work.ts';

/*
 * A budget that several runs share is counted by the port `countSpending`: before each call, after each state that has
 * spent something, and at the end of the workflow. The context owns the cost that is not counted yet
 * (`spent.uncounted`). The visit owns the cost that the port is counting (`counting`), so that no other branch counts it again.
 * A nested definition counts its own cost, so the call says which part of the cost an account has already.
 */

export interface CountParams extends MachineParams {
  /** Id of the node with the workflow's budget. */
  readonly root: string;
}

type CountAction<Event = unknown> = Action<WorkflowContext, Event, CountParams>;

const hasUncounted: Guard<WorkflowContext, unknown, MachineParams> = ({ context }) =>
  (context.spent?.uncounted ?? 0) > 0;

/** Takes all cost that is not counted yet. */
const beginCount: CountAction = ({ context }, { machine }) => {
  const spent = withMarks(context.spent, {});
  const { uncounted = 0, counts = 0, countedBelow: below, ...rest } = spent;
  return changed(
    machine,
    withVisit<BudgetVisit>(progressOf(context, machine), {
      counting: uncounted,
      ...(below && { countingBelow: below }),
    }),
    { ...rest, uncounted: 0, counts: counts + 1 },
  );
};

const spendingCall = (
  scope: WorkflowScope,
  { machine, root }: CountParams,
): PortInput<'countSpending'> => {
  const { context } = scope;
  const { counting = 0, countingBelow: below = {} } = visitOf<BudgetVisit>(
    progressOf(context, machine),
  );
  const accounts = accountsOf(budgetOf(scope, root)!.Shared!);
  return {
    key: callKey(context, machine, `spending/${context.spent?.counts ?? 0}`),
    cost: counting,
    accounts: accounts.map((account) => {
      const counted = below[accountName(account)];
      return counted === undefined ? account : { ...account, counted };
    }),
  };
};

function accountsOf({ Workflow: workflow, Windows: windows, Pool: pool }: SharedBudget) {
  return [
    ...windows.map(({ within }) => ({ workflow, within })),
    ...(pool === undefined ? [] : [{ pool }]),
  ];
}

export interface Counted {
  readonly output: PortOutput<'countSpending'>;
}

const takeSpending: CountAction<Counted> = (scope, { machine, root }) => {
  const { context, event } = scope;
  const { accounts } = event.output;
  const { Windows: windows, Pool: pool } = budgetOf(scope, root)!.Shared!;
  const { cost = 0, limit = Infinity } = accounts[windows.length] ?? {};
  const shared: SharedCosts = {
    windows: windows.map((_, index) => accounts[index]?.cost ?? Infinity),
    ...(pool !== undefined && { pool: { cost, limit } }),
  };
  const progress = withVisit<BudgetVisit>(progressOf(context, machine), {
    counting: undefined,
    countingBelow: undefined,
  });
  return changed(machine, progress, { ...withMarks(context.spent, {}), shared });
};

/** Keeps the cost, to be counted later. */
const keepUncounted: CountAction = ({ context }, { machine }) => {
  const { progress, spent } = restored(context, machine);
  return changed(machine, progress, spent);
};

/** A limit that cannot be counted could not be enforced, so the state fails. */
const countFailed: CountAction<{ error: unknown }> = ({ context, event }, { machine }) => {
  const { progress, spent } = restored(context, machine);
  const { error, cause } = failureOf(event.error);
  const failure = { error: 'States.BudgetNotCounted', cause: cause ?? error };
  return changed(machine, { ...progress, failure }, spent);
};

function restored(context: WorkflowContext, machine: string) {
  const progress = progressOf(context, machine);
  const { counting = 0, countingBelow: below } = visitOf<BudgetVisit>(progress);
  const spent = withMarks(context.spent, {});
  return {
    progress: withVisit<BudgetVisit>(progress, { counting: undefined, countingBelow: undefined }),
    spent: {
      ...spent,
      uncounted: (spent.uncounted ?? 0) + counting,
      ...countedBelow(spent, below),
    },
  };
}

function changed(machine: string, progress: Progress, spent: Spending): Effects<WorkflowContext> {
  return { context: { [machine]: progress, spent } };
}

export const sharedSpendingBehaviour = {
  guards: { hasUncounted },
  actions: { beginCount, takeSpending, keepUncounted, countFailed },
  inputs: { spendingCall },
} satisfies BehaviourPart;
