import { isRecord, type Json, type JsonObject, type Path } from '@dramaturg/compiler';
import { isAgentOnly } from '../definition/field.ts';
import type { Dialect } from '../definition/index.ts';
import { metadataFields, stateSchema, workflow as workflowSchema } from '../document.ts';
import { type AmazonOptions, Exporting, type Gap, type Surroundings } from './exporting.ts';
import { definitionOf, isAgentType } from '../kinds.ts';
import { amazonApproval, amazonRule } from '../kinds/approval/to-amazon.ts';

export type { AmazonOptions, Gap } from './exporting.ts';

export interface AmazonExport {
  /** The workflow in Amazon States Language; equivalent only without gaps. */
  readonly definition: JsonObject;
  readonly gaps: readonly Gap[];
}

/**
 * Writes a workflow without errors in Amazon States Language. Defaults that differ are written out: docs/formats/asl-deployment.md#export
 *
 * @param authored the workflow as authored, with its placeholders
 */
export function toAmazon(
  authored: JsonObject,
  dialect: Dialect,
  options: AmazonOptions = {},
): AmazonExport {
  const { $schema: _, ...workflow } = authored;
  if (dialect === 'amazon') return { definition: workflow, gaps: [] };
  const exporting = new Exporting(options);
  const own = Object.entries(workflow).filter(([field, value]) =>
    isAmazonField(field, value, exporting),
  );
  const language = workflow['QueryLanguage'] === 'JSONata' ? 'JSONata' : 'JSONPath';
  return {
    definition: amazonMachine(Object.fromEntries(own), [], {
      exporting,
      language,
      machine: amazonMachine,
    }),
    gaps: exporting.gaps,
  };
}

function isAmazonField(field: string, value: unknown, exporting: Exporting): boolean {
  // Amazon's only version of the language. Authors of agents' workflows write the version of the workflow here.
  if (field === 'Version') return value === '1.0';
  const { shape } = workflowSchema;
  const known = Object.hasOwn(shape, field) ? shape[field as keyof typeof shape] : undefined;
  if (known && !isAgentOnly(known)) return true;
  const hasEffect =
    field !== 'Metadata' ||
    (isRecord(value) && Object.keys(value).some((one) => metadataFields.includes(one)));
  if (hasEffect) exporting.lacksField(field, [field]);
  return false;
}

function amazonMachine(machine: JsonObject, at: Path, around: Surroundings): JsonObject {
  const { States: states, ...rest } = machine;
  const entries = Object.entries(isRecord(states) ? states : {}).flatMap(([name, state]) =>
    isRecord(state)
      ? Object.entries(amazonState(name, state, [...at, 'States', name], around))
      : [],
  );
  return { ...rest, States: Object.fromEntries(entries) };
}

/** Fields of agents' workflows that have another name in Amazon's. */
const renamed: Readonly<Record<string, string>> = {
  'Error.$': 'ErrorPath',
  'Cause.$': 'CausePath',
};

/** Hints for the types that Amazon does not have. */
const hints: Readonly<Record<string, string>> = {
  Approval:
    'Export it as a task that waits for a token, with --approvals sqs or --approvals lambda.',
  Checkpoint: 'Take it out: Step Functions stores every step.',
  Debate: 'Let a function do it, and call the function in a Task.',
  Include: 'Write the states of the template into the workflow.',
  Workflow:
    'Start the other workflow in a Task, with "arn:aws:states:::states:startExecution.sync:2".',
};

/** The Amazon states that replace a state, by their names: usually one. */
function amazonState(
  name: string,
  state: JsonObject,
  at: Path,
  around: Surroundings,
): Record<string, JsonObject> {
  const { exporting } = around;
  const type = state['Type'] as string;
  if (type === 'Approval' && exporting.options.approvals !== undefined)
    return amazonApproval(name, state, at, around);
  if (isAgentType(type)) {
    exporting.cannot(
      at,
      `Amazon has no state of the type "${type}".`,
      hints[type] ?? 'Take it out.',
    );
    return { [name]: state };
  }
  for (const { path, message, hint } of differences(state, at))
    exporting.cannot(path, message, hint);
  return { [name]: withDefaults(type, withAmazonFields(type, state, at, around)) };
}

function withAmazonFields(
  type: string,
  state: JsonObject,
  at: Path,
  around: Surroundings,
): JsonObject {
  const { exporting } = around;
  const shape = stateSchema(type)?.shape ?? {};
  const machineFields = Object.keys(definitionOf(type).machineFields ?? {});
  const language = state['QueryLanguage'] === 'JSONata' ? 'JSONata' : around.language;
  const inner = { ...around, language } satisfies Surroundings;
  const entries = Object.entries(state).flatMap(([field, value]): [string, Json][] => {
    const path = [...at, field];
    if (machineFields.includes(field)) return [[field, innerMachines(value, path, inner)]];
    if (Object.hasOwn(renamed, field)) return [[renamed[field]!, value!]];
    if (field === 'Agent' && type === 'Task') return agentResource(value, path, inner);
    if (field === 'Retry' || field === 'Catch')
      return [[field, amazonRecovery(field, value, path, inner)]];
    if (field === 'Choices' && Array.isArray(value))
      return [[field, value.map((rule, index) => amazonRule(rule, [...path, index], inner))]];
    const known = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (field === 'Type' || (known && !isAgentOnly(known))) return [[field, value!]];
    // Data for people and other programs.
    if (field !== 'Metadata') exporting.lacksField(field, path);
    return [];
  });
  return Object.fromEntries(entries);
}

function innerMachines(value: Json, path: Path, around: Surroundings): Json {
  if (Array.isArray(value))
    return value.map((one, index) => innerMachines(one, [...path, index], around));
  return isRecord(value) ? around.machine(value, path, around) : value;
}

function agentResource(agent: Json, path: Path, { exporting }: Surroundings): [string, Json][] {
  const name = agent as string;
  if (exporting.options.agents === undefined) {
    exporting.cannot(
      path,
      `Amazon cannot call the agent "${name}".`,
      'Export agents as Lambda functions with --agents lambda.',
    );
  } else if (name.includes(':')) {
    exporting.cannot(
      path,
      `The agent "${name}" is another definition or a tool, and no function.`,
      'Let a function do its work, and name an agent for it.',
    );
  }
  return [['Resource', `\${${name.replaceAll(/\W/g, '')}FunctionArn}`]];
}

/** Writes out defaults that differ in Amazon's dialect. Spec: dialect.ts */
function withDefaults(type: string, state: JsonObject): JsonObject {
  if (type === 'Fail') {
    const has = (field: string) => Object.hasOwn(state, field);
    const isWordless = !has('Error') && !has('ErrorPath') && !has('Cause') && !has('CausePath');
    return isWordless ? { ...state, Error: 'States.Failed', Cause: 'Workflow failed' } : state;
  }
  if (type === 'Map') {
    const isLimited = 'MaxConcurrency' in state || 'MaxConcurrencyPath' in state;
    return isLimited ? state : { ...state, MaxConcurrency: 1 };
  }
  return state;
}

/** Expressions that mean something else in Amazon's dialect. Spec: dialect.ts */
const expressions = [
  {
    pattern: /States\.ArrayRange\(/,
    message: 'Amazon counts the end of "States.ArrayRange" in, and a workflow of agents does not.',
    hint: 'Write the list, or compute it in a Task.',
  },
  {
    pattern: /^\$.*\[-\d/,
    message: 'Amazon does not count from the end of a list in a path.',
    hint: 'Compute the index with "States.MathAdd" and "States.ArrayLength".',
  },
];

/** The expressions of a state that Amazon reads differently, without the states of its machines. */
function* differences(value: unknown, at: Path): Generator<Gap> {
  if (typeof value === 'string') {
    for (const { pattern, message, hint } of expressions)
      if (pattern.test(value)) yield { path: at, message, hint };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* differences(item, [...at, index]);
  } else if (isRecord(value) && !('States' in value)) {
    for (const [key, item] of Object.entries(value)) yield* differences(item, [...at, key]);
  }
}

/** The jitters that Amazon has. */
const jitters = ['NONE', 'FULL'];

/** Retriers or catchers with Amazon's fields, and with written-out defaults where Amazon's differ. */
function amazonRecovery(
  field: 'Retry' | 'Catch',
  entries: Json,
  at: Path,
  around: Surroundings,
): Json {
  if (!Array.isArray(entries)) return entries;
  return entries.map((entry, index) => {
    if (!isRecord(entry)) return entry;
    return field === 'Retry'
      ? retrier(entry as Record<string, Json>, [...at, index], around)
      : catcher(entry as Record<string, Json>, around);
  });
}

function retrier(
  { MaxIntervalSeconds: longest, ...entry }: Record<string, Json>,
  at: Path,
  { exporting }: Surroundings,
): Json {
  const { JitterStrategy: jitter } = entry;
  if (typeof jitter === 'string' && !jitters.includes(jitter))
    exporting.cannot(
      [...at, 'JitterStrategy'],
      `Amazon has no jitter "${jitter}".`,
      'Write "FULL" or "NONE".',
    );
  const isLonger = longest !== undefined && entry['MaxDelaySeconds'] === undefined;
  return { ...entry, ...(isLonger && { MaxDelaySeconds: longest }) };
}

function catcher(entry: Record<string, Json>, { language }: Surroundings): Json {
  const isDefault = language === 'JSONPath' && entry['ResultPath'] === undefined;
  return isDefault ? { ...entry, ResultPath: '$.error' } : entry;
}
