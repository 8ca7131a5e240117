import { isRecord, type Json, type PortInput } from '@dramaturg/compiler';
import type { ChartTransition } from '@dramaturg/compiler/chart';
import type { Action } from '@dramaturg/compiler/format';
import {
  type Progress,
  progressOf,
  visitOf,
  withVisit,
  type WorkflowContext,
  type WorkVisit,
} from '../context.ts';
import { compileSchema } from '../data/json-schema.ts';
import { bounded, LinearPattern, type Match, personalData } from '../data/linear-pattern.ts';
import { SearchBudget } from '../data/pattern.ts';
import { toText } from '../data/states-error.ts';
import {
  type GuardrailRule,
  type Guardrails,
  type GuardrailSide,
  isJudged,
} from '../definition/task-blocks.ts';
import { limitReached } from '../flow/retry.ts';
import { type Answer, type Failure, usageOfCall, usageOfFailedCall } from '../flow/run.ts';
import type { ToolsVisit } from '../flow/tools.ts';
import type { Task } from '../kinds/task/definition.ts';
import type { Nodes, StateNodes } from '../lower/nodes.ts';
import { paidCall, paidEntry } from './budget.ts';
import {
  callKey,
  failureOf,
  StateAtWork,
  type StateParams,
  visitGuard,
  type WorkflowScope,
} from './state-at-work.ts';
import { type BehaviourPart, references } from './part.ts';
import { budgetFields, countUsage } from './spending.ts';
import { continueState } from './state-steps.ts';

/** A violation of a rule. */
interface Finding {
  /** Why the value breaks the rule. Never quotes the value. */
  readonly because: string;
  /** The value without the matches, for rules that match parts of strings. */
  readonly cleaned?: Json;
  /** Nothing was found before the search took too many steps. */
  readonly isUnchecked?: boolean;
}

/** @returns undefined when the value keeps the rule */
type Check = (value: Json) => Finding | undefined;

/** The slice of the program that `Guardrails` owns: a check for each rule. */
export interface GuardrailsProgram {
  readonly checks: Readonly<Record<'Input' | 'Output', readonly Check[]>>;
}

/** The slice of the visit that `Guardrails` owns. */
export interface GuardrailsVisit {
  /** The violations in earlier answers of the agent. */
  readonly complaints: readonly string[];
  /** The agent has to answer again. */
  readonly isAgain: boolean;
}

export function compileGuardrails({ Input: input, Output: output }: Guardrails): GuardrailsProgram {
  const compiled = (side: GuardrailSide | undefined) => side?.rules.map(compileRule) ?? [];
  return { checks: { Input: compiled(input), Output: compiled(output) } };
}

/** Rules that need a judge pass here. Agent 5 §Rules */
function compileRule(rule: GuardrailRule): Check {
  switch (rule.type) {
    case 'length':
      return (value) => {
        const { length } = Array.from(typeof value === 'string' ? value : JSON.stringify(value));
        if (length > rule.max)
          return { because: `It has ${length} characters, and may have ${rule.max}.` };
        if (length < rule.min)
          return { because: `It has ${length} characters, and needs ${rule.min}.` };
        return undefined;
      };
    case 'schema': {
      const judge = compileSchema(rule.schema);
      return (value) => {
        const because = judge(value);
        return because === undefined ? undefined : { because };
      };
    }
    case 'pattern': {
      const texts = rule.texts.map((text) => text.toLowerCase()).filter((text) => text !== '');
      return finding(rule, (text) => occurrences(text, texts));
    }
    case 'regex': {
      const pattern = new LinearPattern(rule.pattern);
      return finding(rule, (text, budget) => pattern.matches(text, budget));
    }
    case 'pii':
      return finding(rule, (text, budget) => personalData(text, rule.kinds, budget));
    case 'semantic':
    case 'custom':
      return () => undefined;
  }
}

function occurrences(text: string, searched: readonly string[]): Match[] {
  const lower = text.toLowerCase();
  // Some letters change their length with their case. Then positions in one string do not fit the other.
  if (lower.length !== text.length) {
    return searched.some((one) => lower.includes(one))
      ? [{ start: 0, end: text.length, kind: 'pattern' }]
      : [];
  }
  return searched.flatMap((one) => bounded(placesOf(lower, one), text));
}

function* placesOf(text: string, searched: string): Generator<Match> {
  const { length } = searched;
  for (let at = text.indexOf(searched); at >= 0; at = text.indexOf(searched, at + length)) {
    yield { start: at, end: at + length, kind: 'pattern' };
  }
}

/** Searches every string in a value, and removes or masks the matches. */
function finding(
  { action }: GuardrailRule,
  search: (text: string, budget: SearchBudget) => Match[],
): Check {
  return (value) => {
    const budget = new SearchBudget();
    let counts: Map<string, number> | undefined;
    const cleaned = mapTexts(value, 0, (text) => {
      const matches = search(text, budget);
      if (matches.length === 0) return text;
      counts ??= new Map();
      for (const { kind } of matches) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return without(text, matches, action === 'mask');
    });
    if (!counts) return undefined;
    const isUncheckedToo = counts.delete('unchecked');
    const isUnchecked = counts.size === 0;
    const found = Array.from(counts, ([kind, count]) => `${kind} (${count})`).join(', ');
    const rest = `${isUnchecked ? 'It' : ' The rest'} could not be checked, because the search takes too many steps.`;
    const because = `${found && `It has ${found}.`}${isUncheckedToo ? rest : ''}`;
    return { because, cleaned, isUnchecked };
  };
}

/** Merges overlapping matches. A mask names the kind: `[EMAIL]`. */
function without(text: string, matches: readonly Match[], isMasked: boolean): string {
  let cleaned = '';
  let from = 0;
  for (const { start, end, kind } of matches.toSorted((a, b) => a.start - b.start)) {
    if (end <= from) continue;
    if (start >= from) {
      cleaned += text.slice(from, start);
      if (isMasked) cleaned += kind === 'pattern' ? '***' : `[${kind.toUpperCase()}]`;
    }
    from = end;
  }
  return cleaned + text.slice(from);
}

const deepest = 1_000;

/** Returns the value itself when no string changes. */
function mapTexts(value: Json, depth: number, map: (text: string) => string): Json {
  if (typeof value === 'string') return map(value);
  if (typeof value !== 'object' || value === null || depth === deepest) return value;
  if (Array.isArray(value)) {
    let items: Json[] | undefined;
    for (let index = 0; index < value.length; index += 1) {
      const item = value[index] as Json;
      const mapped = mapTexts(item, depth + 1, map);
      if (mapped !== item) (items ??= [...(value as Json[])])[index] = mapped;
    }
    return items ?? value;
  }
  let changed: [string, Json][] | undefined;
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, Json>)[key]!;
    const mapped = mapTexts(item, depth + 1, map);
    if (mapped !== item) (changed ??= []).push([key, mapped]);
  }
  return changed ? { ...(value as object), ...Object.fromEntries(changed) } : value;
}

/** The verdict of a judge; undefined for an answer without one. */
type Verdict = 'allowed' | Finding | undefined;

const unexplained = 'The judge has not approved it.';

/** The verdict of an agent: `true` or `false`, or an object with `valid` (or `passed`, `ok`) and a `reason`. */
export function verdictOf(result: Json): Verdict {
  if (typeof result === 'boolean') return result ? 'allowed' : { because: unexplained };
  if (!isRecord(result)) return undefined;
  const { valid, passed, ok, reason } = result;
  const verdicts = [valid, passed, ok].filter((one) => typeof one === 'boolean');
  if (verdicts.length === 0) return undefined;
  if (verdicts.every(Boolean)) return 'allowed';
  return { because: typeof reason === 'string' ? reason : unexplained };
}

/** The verdict of a model, which has chosen one of the options `holds` and `broken`. */
function verdictOfChoice({
  option,
  reason = unexplained,
}: {
  readonly option: string;
  readonly reason?: string;
}): Verdict {
  if (option === 'holds') return 'allowed';
  return option === 'broken' ? { because: reason } : undefined;
}

export interface GuardrailParams extends StateParams {
  readonly side: 'Input' | 'Output';
  /** The range of rules: the index of the first, and the index after the last. */
  readonly from: number;
  readonly to: number;
}

type GuardrailAction<Event = unknown> = Action<WorkflowContext, Event, GuardrailParams>;

/** Checks the input or output by rules that need no judge. Spec: Agent 5 §Guardrails */
const checkGuardrails: GuardrailAction = (scope, params) =>
  continueState<GuardrailsProgram>(scope, params, (state, progress) => {
    const { checks } = state.program;
    const side = sideOf(state, params);
    let outcome: CheckOutcome = { progress, emit: [] };
    for (let index = params.from; index < params.to; index += 1) {
      const rule = side.rules[index]!;
      const found = checks[params.side][index]!(guardedValue(outcome.progress, params));
      if (found) outcome = applyRule(state, outcome, rule, found, params);
      if (outcome.isOver) break;
    }
    return outcome.emit.length === 0 ? {} : state.effects(outcome.progress, outcome.emit);
  });

interface CheckOutcome {
  readonly progress: Progress;
  readonly emit: readonly { type: string; [field: string]: unknown }[];
  /** No further rules apply: the state fails, or the agent answers again. */
  readonly isOver?: true;
}

function sideOf({ program }: StateAtWork, { side }: GuardrailParams): GuardrailSide {
  return (program.state as Task).Guardrails![side]!;
}

function guardedValue(progress: Progress, { side }: GuardrailParams): Json {
  const { work, answer } = visitOf<WorkVisit>(progress);
  return side === 'Input' ? work! : answer!.result;
}

/** Applies the action of a broken rule. Agent 5 §Actions */
function applyRule(
  state: StateAtWork,
  { progress, emit }: CheckOutcome,
  { name, action: authored }: GuardrailRule,
  { because, cleaned, isUnchecked }: Finding,
  params: GuardrailParams,
): CheckOutcome {
  const { complaints = [], answer } = visitOf<GuardrailsVisit & WorkVisit>(progress);
  const isInput = params.side === 'Input';
  const mayRetry = authored === 'retry' && complaints.length < sideOf(state, params).retries;
  const action = authored === 'retry' && !mayRetry ? 'block' : authored;
  const events = [
    ...emit,
    {
      type: 'guardrail.violated',
      ...state.where(),
      side: isInput ? 'input' : 'output',
      rule: name,
      action,
      because,
    },
  ];
  if (action === 'warn') return { progress, emit: events };
  if (action === 'retry') {
    const again = { complaints: [...complaints, because], isAgain: true };
    return {
      progress: withVisit<GuardrailsVisit>(progress, again),
      emit: events,
      isOver: true,
    };
  }
  if ((action === 'redact' || action === 'mask') && cleaned !== undefined) {
    const change = isInput ? { work: cleaned } : { answer: { ...answer!, result: cleaned } };
    return { progress: withVisit<WorkVisit>(progress, change), emit: events };
  }
  const cause = `The ${isInput ? 'input' : 'output'} breaks the guardrail "${name}": ${because}`;
  const failure = isUnchecked
    ? notJudged(params.side, name, because)
    : { error: 'Agent.GuardrailViolation', cause };
  return { progress: { ...progress, failure }, emit: events, isOver: true };
}

/** Asks a model whether the value keeps a rule in words. */
const semanticCall = (scope: WorkflowScope, params: GuardrailParams): PortInput<'choose'> => {
  const state = new StateAtWork(scope, params);
  const rule = sideOf(state, params).rules[params.from] as GuardrailRule & { type: 'semantic' };
  const value = guardedValue(state.progress, params);
  return {
    key: judgementKey(scope, params),
    transcript: { conversation: scope.context.execution.id, length: 0 },
    prompt: [
      { title: 'Rule', text: rule.check },
      { title: 'Text', text: toText(value), data: true },
    ],
    options: [
      { id: 'holds', description: 'The text keeps the rule.' },
      { id: 'broken', description: 'The text breaks the rule.' },
    ],
    requiresJudgement: true,
  };
};

/** Calls an agent as the judge. */
const judgeCall = (scope: WorkflowScope, params: GuardrailParams): PortInput<'runAgent'> => {
  const state = new StateAtWork(scope, params);
  const rule = sideOf(state, params).rules[params.from] as GuardrailRule & { type: 'custom' };
  const value = guardedValue(state.progress, params);
  return {
    key: judgementKey(scope, params),
    agent: rule.agent,
    input: { value, side: params.side.toLowerCase(), rule: rule.name },
    ...budgetFields(state),
  };
};

function judgementKey(scope: WorkflowScope, { machine, side, from }: GuardrailParams): string {
  const progress = progressOf(scope.context, machine);
  const { complaints = [], rounds = 0 } = visitOf<GuardrailsVisit & ToolsVisit>(progress);
  return callKey(
    scope.context,
    machine,
    `guard/${side.toLowerCase()}/${from}/${complaints.length}/${rounds}`,
  );
}

export interface Judged {
  readonly output: Answer | { readonly option: string; readonly reason?: string };
}

/** Applies the verdict of the judge. */
const takeVerdict: GuardrailAction<Judged> = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { output } = scope.event;
    const used = usageOfCall('option' in output ? { ...output, result: null } : output);
    const found = 'option' in output ? verdictOfChoice(output) : verdictOf(output.result);
    return countUsage(state, progress, [used], (counted) => {
      if (found === 'allowed') return state.effects(counted);
      const rule = sideOf(state, params).rules[params.from]!;
      if (found === undefined) {
        const failure = notJudged(params.side, rule.name, 'The judge gave no verdict.');
        return state.effects({ ...counted, failure });
      }
      const outcome = applyRule(state, { progress: counted, emit: [] }, rule, found, params);
      return state.effects(outcome.progress, outcome.emit);
    });
  });

/** A value that cannot be judged is refused, whatever the action of the rule. */
const judgeFailed: GuardrailAction<{ error: unknown }> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { error } = scope.event;
  const failure = failureOf(error);
  const { name } = sideOf(state, params).rules[params.from]!;
  return countUsage(state, state.progress, [usageOfFailedCall(error)], (counted) =>
    state.effects({
      ...counted,
      failure:
        failure.error === limitReached
          ? failure
          : notJudged(params.side, name, failure.cause ?? failure.error ?? 'The judge has failed.'),
    }),
  );
};

function notJudged(side: GuardrailParams['side'], name: string, because: string): Failure {
  return {
    error: 'Agent.GuardrailNotJudged',
    cause: `The ${side.toLowerCase()} could not be judged by the guardrail "${name}": ${because}`,
  };
}

/** The agent has to answer again, with the complaints in its input. */
const mustTryAgain = visitGuard<GuardrailsVisit>(({ isAgain }) => isAgain === true);

export const guardrailsBehaviour = {
  guards: { mustTryAgain },
  actions: { checkGuardrails, takeVerdict, judgeFailed },
  inputs: { semanticCall, judgeCall },
} satisfies BehaviourPart;

const refer = references<typeof guardrailsBehaviour>();

/**
 * Checks rules in their order: consecutive computed rules share one node, each judged rule is a call.
 *
 * @param again where the agent is asked again
 */
export function guardrailNodes(
  nodes: StateNodes,
  side: 'Input' | 'Output',
  { rules }: GuardrailSide,
  again: string | undefined,
  next: ChartTransition,
): Nodes {
  const { machine } = nodes.context;
  const spans = spansOf(rules.map(isJudged));
  const key = (index: number) => `guard${side}${index + 1}`;
  const entry = (index: number) =>
    isJudged(rules[spans[index]!.from]!) ? paidEntry(nodes, key(index)) : nodes.to(key(index));
  const retry =
    again === undefined ? [] : [{ target: again, guard: refer.guard('mustTryAgain', { machine }) }];
  const groups = spans.map(({ from, to }, index): Nodes => {
    const rule = rules[from]!;
    const params = { ...nodes.params, side, from, to };
    const ways = [...retry, index === spans.length - 1 ? next : { target: entry(index + 1) }];
    const node = key(index);
    if (!isJudged(rule)) return nodes.step(node, refer.action('checkGuardrails', params), ...ways);
    const isSemantic = rule.type === 'semantic';
    const call = {
      name: `${node}:call`,
      src: isSemantic ? 'choose' : 'runAgent',
      input: refer.input(isSemantic ? 'semanticCall' : 'judgeCall', params),
      done: `${node}Judged`,
      failed: refer.action('judgeFailed', params),
    } as const;
    return {
      ...paidCall(nodes, node, call, { meta: { title: rule.name } }),
      ...nodes.step(`${node}Judged`, refer.action('takeVerdict', params), ...ways),
    };
  });
  return Object.assign({}, ...groups) as Nodes;
}

/** Groups of rules that are checked together; a judged rule is a group of its own. */
function spansOf(judged: readonly boolean[]): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  judged.forEach((isAlone, index) => {
    const last = spans.at(-1);
    if (last && !isAlone && !judged[last.from]) last.to = index + 1;
    else spans.push({ from: index, to: index + 1 });
  });
  return spans;
}
