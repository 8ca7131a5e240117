import type { EventObject, Json, JsonObject } from '@dramaturg/compiler';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import type { Scope } from '@dramaturg/compiler/format';
import type { World } from '@dramaturg/compiler/machine';
import { type Progress, visitOf, type WorkVisit } from '../context.ts';
import type { Task } from '../kinds/task/definition.ts';
import type { BudgetVisit } from '../flow/budget.ts';
import { compileRedaction } from '../flow/redaction.ts';
import type { ToolsVisit } from '../flow/tools.ts';
import type { Program } from './program.ts';

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
  const redact = found && redactionOf(found);
  return redact ? events.map((event) => withRedacted(event, redact)) : events;
}

/** The input or the output of a run without the data that the workflow redacts. */
export function redactedData(root: NodeMeta, data: JsonObject): JsonObject {
  const redact = redactionOf(root);
  return redact ? withRedacted(data, redact) : data;
}

function redactionOf(root: NodeMeta): ((value: Json) => Json) | undefined {
  const paths = root['redact'] as readonly string[] | undefined;
  if (!paths) return undefined;
  let redact = redactions.get(root);
  if (!redact) {
    redact = compileRedaction(paths);
    redactions.set(root, redact);
  }
  return redact;
}

function withRedacted<Part extends object>(part: Part, redact: (value: Json) => Json): Part {
  const fields = part as Readonly<Record<string, Json>>;
  const { toolResults } = fields;
  const hidden: [string, Json][] = dataFields
    .filter((field) => Object.hasOwn(fields, field))
    .map((field) => [field, redact(fields[field]!)]);
  if (Array.isArray(toolResults)) {
    const results = toolResults as readonly JsonObject[];
    hidden.push(['toolResults', results.map((result) => withRedacted(result, redact))]);
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
