import type { Effects, EventObject, PortInput } from '@dramaturg/compiler';
import type { Progress, VisitUsage, WorkflowContext } from '../context.ts';
import {
  alertsDue,
  type Left,
  leftOf,
  passedLimit,
  shareOf,
  type Spending,
  spendingAfter,
  standingOf,
  unlimited,
  withMarks,
} from '../flow/budget.ts';
import { sumOf, type Used } from '../flow/usage.ts';
import { type StateAtWork, visitOf } from './state-at-work.ts';

/**
 * Counts what calls have used, then goes on, unless a budget is passed. What a port has counted is told where the port is
 * called; what an agent says itself is told here.
 */
export function spending(
  state: StateAtWork,
  progress: Progress,
  calls: readonly (Used | undefined)[],
  then: (spent: Progress) => Effects<WorkflowContext>,
): Effects<WorkflowContext> {
  const known = calls.filter((used) => used !== undefined);
  if (known.length === 0) return then(progress);
  const { budget } = state;
  const spent = budget && spendingOf(state, known);
  const after = withUsage(progress, known);
  const failure = excess(state, after, spent);
  const effects = failure ? state.effects({ ...after, failure }) : then(after);
  const told = toldBy(state, known);
  const emit = effects.emit && effects.emit.length > 0 ? [...told, ...effects.emit] : told;
  if (!spent) return { ...effects, emit };
  const alerts = budget.Alerts.length > 0 ? untold(state, spent) : [];
  return {
    ...effects,
    context: { ...effects.context, spent: marked(spent, alerts) },
    emit:
      alerts.length > 0
        ? [...told, ...alertEvents(state, spent, alerts), ...(effects.emit ?? [])]
        : emit,
  };
}

function spendingOf(state: StateAtWork, calls: readonly Used[]): Spending | undefined {
  const { name, program, context } = state;
  const category = 'Budget' in program.state ? program.state.Budget?.Category : undefined;
  let { spent } = context;
  for (const used of calls) spent = spendingAfter(spent, used, name, category);
  return spent;
}

function withUsage(progress: Progress, calls: readonly Used[]): Progress {
  const { visit } = progress;
  const usage = sumOf(progress.usage ? [progress.usage, ...calls] : calls)!;
  return visit
    ? { ...progress, usage, visit: { ...visit, used: visitUsage(visit.used, calls) } }
    : { ...progress, usage };
}

function toldBy(state: StateAtWork, calls: readonly Used[]): EventObject[] {
  return calls.flatMap(({ isToldElsewhere, tokens, cost, ...parts }) =>
    isToldElsewhere
      ? []
      : [{ type: 'usage.recorded', ...state.where(), tokens, cost, ...partsOf(tokens, parts) }],
  );
}

/** What of the tokens was asked and what answered, when the agent has told them apart. */
function partsOf(
  tokens: number,
  { inputTokens, outputTokens }: Pick<VisitUsage, 'inputTokens' | 'outputTokens'>,
) {
  if (inputTokens + outputTokens === 0) return {};
  const input = Math.min(inputTokens, tokens);
  return { inputTokens: input, outputTokens: tokens - input };
}

function visitUsage(before: VisitUsage | undefined, calls: readonly Used[]): VisitUsage {
  let { tokens, cost, inputTokens, outputTokens } = before ?? unused;
  for (const used of calls) {
    tokens += used.tokens;
    cost += used.cost;
    inputTokens += used.inputTokens;
    outputTokens += used.outputTokens;
  }
  return { tokens, cost, inputTokens, outputTokens };
}

const unused: VisitUsage = { tokens: 0, cost: 0, inputTokens: 0, outputTokens: 0 };

/**
 * What the call that comes may use, of the state's budget and of the workflow's: whoever runs a definition for it ends that
 * in time. A workflow that goes on when its budget is used up leaves as much as there is.
 */
export function leftFor(state: StateAtWork): Partial<Left> | undefined {
  const { budget, context, progress, program } = state;
  let left = unlimited;
  if (budget && (budget.OnExceed === 'Fail' || budget.OnExceed === 'PauseAndNotify')) {
    const standing = standingOf(context.before, context.spent);
    left = leftOf(left, budget, standing, standing.marks.grants);
  }
  const own = 'Budget' in program.state ? program.state.Budget : undefined;
  if (own) left = leftOf(left, own, visitOf(progress).used ?? unused);
  const { tokens, cost } = left;
  if (tokens < Infinity) return cost < Infinity ? left : { tokens };
  return cost < Infinity ? { cost } : undefined;
}

/** What a call is told of the budget when its agent is settled: what is left, and what it is to do with. */
export function meansFor(state: StateAtWork): Means {
  const left = leftFor(state);
  const { model, quality } = visitOf(state.progress).instead ?? {};
  return {
    ...(left && { left }),
    ...(model !== undefined && { model }),
    ...(quality !== undefined && { quality }),
  };
}

type Means = Pick<PortInput<'runAgent'>, 'left' | 'model' | 'quality'>;

/** The state has passed its own budget, or the workflow one that it must not pass. */
function excess(state: StateAtWork, { enteredAt, visit }: Progress, spent: Spending | undefined) {
  const { budget, world, name, program } = state;
  const own = 'Budget' in program.state ? program.state.Budget : undefined;
  const passed =
    own && passedLimit(own, visit?.used ?? unused, own.MaxDuration ? world.now() - enteredAt : 0);
  if (passed !== undefined) {
    const cause = `The state "${name}" has used ${passed}.`;
    return { error: 'States.BudgetExceeded', cause };
  }
  if (budget?.OnExceed !== 'Fail') return undefined;
  const standing = standingOf(state.context.before, spent);
  if (shareOf(budget, standing, state.elapsed()).budget <= 1) return undefined;
  return state.budgetFailure(standing);
}

/**
 * The alerts that are due now and were not told. Those that were due before the actor of an item began are not its own to
 * tell: whoever has passed the threshold has, or the Map does in the end.
 */
function untold(state: StateAtWork, spent: Spending): readonly number[] {
  const budget = state.budget!;
  const { before } = state.context;
  const standing = standingOf(before, spent);
  const known = new Set([
    ...standing.marks.alerts,
    ...(before ? alertsDue(budget, shareOf(budget, before, 0)) : []),
  ]);
  const due = alertsDue(budget, shareOf(budget, standing, state.elapsed()));
  return due.filter((alert) => !known.has(alert));
}

function alertEvents(
  state: StateAtWork,
  spent: Spending,
  alerts: readonly number[],
): EventObject[] {
  const { tokens, cost } = standingOf(state.context.before, spent);
  return alerts.map((alert) => {
    const { authored } = state.budget!.Alerts[alert]!;
    return {
      type: 'budget.alert',
      ...state.where(),
      at: authored['At'],
      ...named(authored, ['Notify', 'Channel', 'Message', 'Priority']),
      tokens,
      cost,
    };
  });
}

function named(authored: Readonly<Record<string, unknown>>, fields: readonly string[]) {
  return Object.fromEntries(
    fields
      .filter((field) => Object.hasOwn(authored, field))
      .map((field) => [field.toLowerCase(), authored[field]]),
  );
}

function marked(spent: Spending, alerts: readonly number[]): Spending {
  return alerts.length > 0
    ? withMarks(spent, { alerts: [...spent.marks.alerts, ...alerts] })
    : spent;
}

/** What items have used joins what their Map's actor has; alerts between the two that no item could know of are told. */
export function joining(
  state: StateAtWork,
  spent: Spending | undefined,
): { readonly spent?: Spending; readonly emit: readonly EventObject[] } {
  if (!state.budget || !spent) return { emit: [] };
  const alerts = untold(state, spent);
  return { spent: marked(spent, alerts), emit: alertEvents(state, spent, alerts) };
}
