import { type EventObject, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import type { Scope } from '@dramaturg/compiler/format';
import type { World } from '@dramaturg/compiler/machine';
import { type Progress, visitOf, type WorkVisit } from '../context.ts';
import { isFault, parsePath, type Step } from '../data/path/parse.ts';
import type { BudgetVisit } from '../flow/budget.ts';
import type { ToolsVisit } from '../flow/tools.ts';
import type { Task } from '../kinds/task/definition.ts';
import type { Program } from './program.ts';

/** The replacement for data that an event may not show. */
const redacted = '[REDACTED]';

/** Deeper values are replaced as a whole. */
const deepest = 1_000;

/**
 * Compiles the paths of data that no event may show. A path that cannot be followed to single values replaces everything
 * from there on.
 *
 * @returns a function that replaces the data at all of the paths, in a copy
 */
function compileRedaction(paths: readonly string[]): (value: Json) => Json {
  const compiled = paths.flatMap((text) => {
    const path = parsePath(text);
    return isFault(path) || path.root !== '$' ? [] : [path.steps];
  });
  return (value) => compiled.reduce((rest, steps) => redact(rest, steps, 0, 0), value);
}

function redact(value: Json, steps: readonly Step[], at: number, depth: number): Json {
  const step = steps[at];
  if (step === undefined || depth > deepest) return redacted;
  const inside = (item: Json) => redact(item, steps, at + 1, depth + 1);
  switch (step.kind) {
    case 'name':
      return changed(value, (key) => key === step.name, inside);
    case 'index': {
      const length = Array.isArray(value) ? value.length : 0;
      const index = step.index < 0 ? length + step.index : step.index;
      return changed(value, (key) => key === index, inside);
    }
    case 'names':
      return changed(value, (key) => step.names.includes(String(key)), inside);
    case 'indexes':
      return changed(value, (key) => step.indexes.includes(Number(key)), inside);
    case 'wildcard':
      return changed(value, () => true, inside);
    case 'descent': {
      const here = redact(value, steps, at + 1, depth + 1);
      return changed(
        here,
        () => true,
        (item) => (typeof item === 'object' ? redact(item, steps, at, depth + 1) : item),
      );
    }
    case 'fromEnd':
    case 'slice':
    case 'filter':
      return typeof value === 'object' && value !== null ? redacted : value;
  }
}

/** A copy in which some fields or items are changed. */
function changed(
  value: Json,
  isChosen: (key: string | number) => boolean,
  change: (item: Json) => Json,
): Json {
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((item, index) => (isChosen(index) ? change(item) : item));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isChosen(key) ? change(item) : item]),
  );
}

/** The fields of events that have data of the workflow. */
const dataFields = [
  'input',
  'output',
  'arguments',
  'assigned',
  'data',
  'details',
  'reasoning',
  'response',
  'result',
] as const;

const redactions = new WeakMap<NodeMeta, (value: Json) => Json>();

/** The events without the data that the workflow redacts. Spec: Agent 5 §Audit */
export function redactEvents(
  { meta }: Pick<Scope, 'meta'>,
  root: string | undefined,
  events: readonly EventObject[],
): readonly EventObject[] {
  const found = root === undefined ? undefined : meta.get(root);
  const hide = found && redactionOf(found);
  return hide ? events.map((event) => withRedacted(event, hide)) : events;
}

/** The input or the output of a run without the data that the workflow redacts. */
export function redactedData(root: NodeMeta, data: JsonObject): JsonObject {
  const hide = redactionOf(root);
  return hide ? withRedacted(data, hide) : data;
}

function redactionOf(root: NodeMeta): ((value: Json) => Json) | undefined {
  const paths = root['redact'] as readonly string[] | undefined;
  if (!paths) return undefined;
  let hide = redactions.get(root);
  if (!hide) {
    hide = compileRedaction(paths);
    redactions.set(root, hide);
  }
  return hide;
}

function withRedacted<Part extends object>(part: Part, hide: (value: Json) => Json): Part {
  const fields = part as Readonly<Record<string, Json>>;
  const { toolResults } = fields;
  const hidden: [string, Json][] = dataFields
    .filter((field) => Object.hasOwn(fields, field))
    .map((field) => [field, hide(fields[field]!)]);
  if (Array.isArray(toolResults)) {
    const results = toolResults as readonly JsonObject[];
    hidden.push(['toolResults', results.map((result) => withRedacted(result, hide))]);
  }
  return hidden.length === 0 ? part : { ...part, ...Object.fromEntries(hidden) };
}

/** A state at work, as far as its record needs it. */
interface AuditedState {
  readonly program: Pick<Program, 'state'>;
  readonly world: World;
  readonly where: () => object;
}

/** The record of an attempt of an audited state. */
export function auditEvents(
  state: AuditedState,
  progress: Progress,
  ending: { readonly output: Json } | { readonly error: string | null },
): EventObject[] {
  const audit = 'Audit' in state.program.state ? (state.program.state as Task).Audit : undefined;
  if (!audit) return [];
  const { work, used, toolResults } = visitOf<BudgetVisit & ToolsVisit & WorkVisit>(progress);
  const { level, metrics } = audit;
  const measured: Readonly<Record<string, number>> = {
    latency: state.world.now() - progress.enteredAt,
    tokens: used?.tokens ?? 0,
    cost: used?.cost ?? 0,
  };
  const isFull = level === 'full' || level === 'debug';
  return [
    {
      type: 'task.audited',
      ...state.where(),
      level,
      status: 'output' in ending ? 'succeeded' : 'failed',
      ...('error' in ending && { error: ending.error }),
      ...(level !== 'minimal' && {
        ...(work !== undefined && { input: work }),
        ...('output' in ending && { output: ending.output }),
      }),
      ...(isFull && toolResults && { toolResults }),
      ...(metrics.length > 0 && {
        metrics: Object.fromEntries(metrics.map((name) => [name, measured[name]!])),
      }),
    },
  ];
}
