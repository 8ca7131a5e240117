import { isRecord, type Json, type JsonObject, type PortInput } from '@dramaturg/compiler';
import type { ChartTransition } from '@dramaturg/compiler/chart';
import { progressOf, visitOf, withVisit, type WorkVisit } from '../context.ts';
import { readPath } from '../data/path/read.ts';
import { compileWrite } from '../data/path/write.ts';
import { bytesOf } from '../data/size.ts';
import { toText } from '../data/states-error.ts';
import type { ContextWindow } from '../definition/task-blocks.ts';
import type { Dialect } from '../definition/machine.ts';
import { evaluation } from '../flow/jsonpath-flow.ts';
import { type Answer, type Run, usageOfCall } from '../flow/run.ts';
import { compileValueSource } from '../flow/value-source.ts';
import type { memoryBehaviour } from '../kinds/memory/memory.ts';
import type { Found } from '../kinds/memory/program.ts';
import type { Task } from '../kinds/task/definition.ts';
import type { Nodes, StateNodes } from '../lower/nodes.ts';
import { paidCall, paidEntry } from './budget.ts';
import { type BehaviourPart, references } from './part.ts';
import { budgetFields, countUsage } from './spending.ts';
import {
  callKey,
  type StateAction,
  StateAtWork,
  type StateParams,
  visitGuard,
  type WorkflowScope,
} from './state-at-work.ts';
import { continueState } from './state-steps.ts';
import type { stateBehaviour } from './state.ts';

/** Candidates to rank by their relevance to a query. */
interface Ranking {
  readonly query: string;
  readonly candidates: readonly string[];
  readonly most: number;
}

/** The slice of the program that `Context` owns. */
export interface ContextProgram {
  readonly context: ContextFlow;
}

/** The slice of the visit that `Context` owns. */
interface ContextVisit {
  readonly ranking: Ranking;
  /** The input of the agent that summarises. */
  readonly summary: JsonObject;
}

interface ContextFlow {
  /** The candidates to rank; undefined when there are few enough. */
  readonly ranking: (run: Run, work: Json) => Ranking | undefined;
  /** The input with the best candidates only. */
  readonly ranked: (run: Run, work: Json, texts: readonly string[]) => Json;
  /** The input of the agent that summarises; undefined when no summary is needed. */
  readonly summary: (run: Run, work: Json) => JsonObject | undefined;
  readonly summarised: (work: Json, result: Json) => Json;
  /** The input, cut to the size of the window. */
  readonly fit: (run: Run, work: Json) => Json;
}

/** An estimate: four bytes of UTF-8 are a token, of data as JSON. C.3 */
function tokensOf(value: Json): number {
  const bytes = bytesOf(value, Infinity) - (typeof value === 'string' ? 2 : 0);
  return Math.ceil(bytes / 4);
}

/** Agent 3 §Context */
export function compileContext(window: ContextWindow, dialect: Dialect): ContextProgram {
  const { maxTokens, search, summary } = window;
  const query = search && compileValueSource(search.query, dialect, 'Query');
  const candidatesOf = (run: Run, work: Json): readonly Json[] => {
    const found = at(run, work, search!.candidates);
    return Array.isArray(found) ? (found as Json[]) : [];
  };
  const context: ContextFlow = {
    ranking(run, work) {
      if (!search || !query) return undefined;
      const candidates = candidatesOf(run, work);
      if (candidates.length <= search.most) return undefined;
      const text = query(run, work);
      return {
        query: toText(text),
        candidates: candidates.map(toText),
        most: search.most,
      };
    },
    ranked(run, work, texts) {
      const candidates = [...candidatesOf(run, work)];
      const best = texts.flatMap((text) => {
        const index = candidates.findIndex((candidate) => toText(candidate) === text);
        return index < 0 ? [] : candidates.splice(index, 1);
      });
      return compileWrite(search!.candidates)(work, best);
    },
    summary(run, work) {
      if (!summary || (!summary.always && tokensOf(work) <= maxTokens)) return undefined;
      const value = at(run, work, summary.target);
      const { ratio } = summary;
      return value === undefined
        ? undefined
        : { value, maxTokens, ...(ratio !== undefined && { ratio }) };
    },
    summarised: (work, result) => {
      const text = isRecord(result) ? (result['summary'] ?? result['response'] ?? result) : result;
      return summary!.target === '$' ? text : compileWrite(summary!.target)(work, text);
    },
    fit(run, work) {
      const allowed = window.exclude.reduce<Json>((data, path) => without(data, path), work);
      if (tokensOf(allowed) <= maxTokens) return allowed;
      const always = window.include.reduce<Json>(
        (data, path) => copied(run, allowed, data, path),
        {},
      );
      return window.strategy === 'priority_based'
        ? byPriority(run, allowed, always, window)
        : newest(allowed, always, maxTokens);
    },
  };
  return { context };
}

function at(run: Run, data: Json, path: string): Json | undefined {
  const found = readPath(path, evaluation(run, data));
  return found.found ? found.value : undefined;
}

function copied(run: Run, from: Json, to: Json, path: string): Json {
  const value = at(run, from, path);
  return value === undefined ? to : compileWrite(path)(to, value);
}

/** The values at the paths, in their order, until the window is full; the last value is cut. */
function byPriority(
  run: Run,
  work: Json,
  always: Json,
  { priority, maxTokens }: ContextWindow,
): Json {
  let window = always;
  for (const path of priority) {
    const value = at(run, work, path);
    if (value === undefined) continue;
    const more = compileWrite(path)(window, value);
    if (tokensOf(more) <= maxTokens) window = more;
    else {
      const cut = newestOf(value, maxTokens - tokensOf(compileWrite(path)(window, '')));
      return cut === undefined ? window : compileWrite(path)(window, cut);
    }
  }
  return window;
}

/** Cuts the largest values to their newest part. Values that are always included stay whole. */
function newest(work: Json, always: Json, maxTokens: number): Json {
  if (!isRecord(work)) return newestOf(work, maxTokens) ?? '';
  const fixed = new Set(isRecord(always) ? Object.keys(always) : []);
  let window: JsonObject = work;
  for (
    let excess = tokensOf(window) - maxTokens;
    excess > 0;
    excess = tokensOf(window) - maxTokens
  ) {
    const sizes = Object.entries(window)
      .filter(([name]) => !fixed.has(name))
      .toSorted(([, a], [, b]) => tokensOf(b) - tokensOf(a));
    const [largest] = sizes;
    if (!largest) return window;
    const [name, value] = largest;
    const cut = newestOf(value, tokensOf(value) - excess - 1);
    if (cut === undefined)
      window = Object.fromEntries(Object.entries(window).filter(([key]) => key !== name));
    else {
      fixed.add(name);
      window = { ...window, [name]: cut };
    }
  }
  return window;
}

/** The longest end of a string or a list that fits; undefined when nothing fits. */
function newestOf(value: Json, tokens: number): Json | undefined {
  if (tokensOf(value) <= tokens) return value;
  if (tokens <= 0) return undefined;
  if (Array.isArray(value)) {
    const items = value as Json[];
    let size = 2;
    let first = items.length;
    while (first > 0) {
      size += bytesOf(items[first - 1]!, tokens * 4) + 1;
      if (Math.ceil(size / 4) > tokens) break;
      first -= 1;
    }
    return first === items.length ? undefined : items.slice(first);
  }
  const text = toText(value);
  let end = text.slice(-tokens * 4);
  while (tokensOf(end) > tokens) end = end.slice(Math.ceil((tokensOf(end) - tokens) / 2) || 1);
  // The cut may have split a surrogate pair.
  return end.replace(/^[\uDC00-\uDFFF]/, '');
}

/** Only paths of plain fields can exclude. */
function without(data: Json, path: string): Json {
  const names = /^\$((?:\.[^.[\]]+)+)$/.exec(path)?.[1]?.slice(1).split('.');
  return names ? withoutField(data, names) : data;
}

function withoutField(data: Json, [name, ...rest]: readonly string[]): Json {
  if (!isRecord(data) || name === undefined || !Object.hasOwn(data, name)) return data;
  return Object.fromEntries(
    Object.entries(data).flatMap(([key, value]): [string, Json][] => {
      if (key !== name) return [[key, value]];
      return rest.length === 0 ? [] : [[key, withoutField(value, rest)]];
    }),
  );
}

/** Prepares the ranking, if there is anything to rank. Spec: Agent 3 §Context */
const planRanking: StateAction = (scope, params) =>
  continueState<ContextProgram>(scope, params, (state, progress) => {
    const { work } = visitOf<WorkVisit>(progress);
    const ranking = state.program.context.ranking(state.run(progress), work!);
    return ranking ? state.effects(withVisit<ContextVisit>(progress, { ranking })) : {};
  });

const needsRanking = visitGuard<ContextVisit>(({ ranking }) => ranking !== undefined);

const rankCall = ({ context }: WorkflowScope, { machine }: StateParams): PortInput<'recall'> => {
  const { ranking } = visitOf<ContextVisit>(progressOf(context, machine));
  const { query, candidates, most } = ranking!;
  return {
    key: callKey(context, machine, 'rank'),
    transcript: { conversation: context.execution.id, length: 0 },
    queries: [query],
    limit: most,
    candidates: [...candidates],
  };
};

const takeRanking: StateAction<{ output: Found }> = (scope, params) =>
  continueState<ContextProgram>(scope, params, (state, progress) => {
    const { output } = scope.event;
    return countUsage(state, progress, [usageOfCall({ ...output, result: null })], (counted) => {
      const texts = output.memories.map(({ text }) => text);
      const { work: before } = visitOf<WorkVisit>(counted);
      const work = state.program.context.ranked(state.run(counted), before!, texts);
      return state.effects(
        withVisit<ContextVisit & WorkVisit>(counted, { ranking: undefined, work }),
      );
    });
  });

const planSummary: StateAction = (scope, params) =>
  continueState<ContextProgram>(scope, params, (state, progress) => {
    const { work } = visitOf<WorkVisit>(progress);
    const summary = state.program.context.summary(state.run(progress), work!);
    return summary ? state.effects(withVisit<ContextVisit>(progress, { summary })) : {};
  });

const needsSummary = visitGuard<ContextVisit>(({ summary }) => summary !== undefined);

const summaryCall = (scope: WorkflowScope, params: StateParams): PortInput<'runAgent'> => {
  const state = new StateAtWork(scope, params);
  const { program, progress } = state;
  return {
    key: callKey(scope.context, params.machine, 'summary'),
    agent: (program.state as Task).Context!.summary!.agent,
    input: visitOf<ContextVisit>(progress).summary!,
    ...budgetFields(state),
  };
};

const takeSummary: StateAction<{ output: Answer }> = (scope, params) =>
  continueState<ContextProgram>(scope, params, (state, progress) =>
    countUsage(state, progress, [usageOfCall(scope.event.output)], (counted) => {
      const { work: before } = visitOf<WorkVisit>(counted);
      const work = state.program.context.summarised(before!, scope.event.output.result);
      return state.effects(
        withVisit<ContextVisit & WorkVisit>(counted, { summary: undefined, work }),
      );
    }),
  );

const fitContext: StateAction = (scope, params) =>
  continueState<ContextProgram>(scope, params, (state, progress) => {
    const { work: before } = visitOf<WorkVisit>(progress);
    const work = state.program.context.fit(state.run(progress), before!);
    return state.effects(withVisit<WorkVisit>(progress, { work }));
  });

export const contextWindowBehaviour = {
  guards: { needsRanking, needsSummary },
  actions: { planRanking, takeRanking, planSummary, takeSummary, fitContext },
  inputs: { rankCall, summaryCall },
} satisfies BehaviourPart;

const refer = references<
  typeof stateBehaviour & typeof contextWindowBehaviour & typeof memoryBehaviour
>();

/** Makes the input small enough: the best candidates are chosen, then an agent summarises, then the rest is cut. */
export function contextNodes(
  nodes: StateNodes,
  { search, summary }: ContextWindow,
  next: ChartTransition,
): Nodes {
  const { params, context } = nodes;
  const { machine } = context;
  const fitting = { target: nodes.to('fitting') };
  const afterRanking = summary ? { target: nodes.to('planningSummary') } : fitting;
  const ranking = { target: nodes.to('ranking'), guard: refer.guard('needsRanking', { machine }) };
  const summarising = {
    target: paidEntry(nodes, 'summarising'),
    guard: refer.guard('needsSummary', { machine }),
  };
  return {
    ...(search && {
      ...nodes.step('planningRanking', refer.action('planRanking', params), ranking, afterRanking),
      ...nodes.call('ranking', {
        name: 'rank',
        src: 'recall',
        input: refer.input('rankCall', params),
        done: 'ranked',
        failed: refer.action('memoryFailed', params),
      }),
      ...nodes.step('ranked', refer.action('takeRanking', params), afterRanking),
    }),
    ...(summary && {
      ...nodes.step('planningSummary', refer.action('planSummary', params), summarising, fitting),
      ...paidCall(nodes, 'summarising', {
        name: 'summary',
        src: 'runAgent',
        input: refer.input('summaryCall', params),
        done: 'summarised',
      }),
      ...nodes.step('summarised', refer.action('takeSummary', params), fitting),
    }),
    ...nodes.step('fitting', refer.action('fitContext', params), next),
  };
}
