import { type Chart, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { anyText, dataWith, dataWithLists, mixedItems } from './data-with.ts';
import type { Beginning } from './moment.ts';
import { valuesOf } from './values.ts';
import { type Vocabulary, vocabularyOf } from './vocabulary.ts';

const beginningsMax = 150;
/** The most pairs of values that are tried. */
export const pairsMax = 60;
const requestorsMax = 3;

/** The inputs that instances of a definition are started with, the simplest first. */
export function beginningsOf({
  chart,
  lifecycle,
  contact,
}: {
  readonly chart: Chart;
  /** A lifecycle of its own whose rows are tried, too. */
  readonly lifecycle?: Chart;
  readonly contact?: string;
}): readonly Beginning[] {
  // The vocabulary of children decides nothing at the start.
  const inputs = (inputsByFormat[chart.format] ?? noInput)(chart, vocabularyOf([chart]));
  const texts = new Set<string>();
  const different = inputs.filter((input) => {
    const text = JSON.stringify(input);
    return !texts.has(text) && texts.add(text);
  });
  const created = lifecycle ? creations(lifecycle) : [];
  return [
    ...different.slice(0, beginningsMax).map((input) => ({ input })),
    ...created.map((lifecycleInput) => ({ input: {}, lifecycleInput })),
  ].map((beginning) => ({ ...beginning, ...(contact === undefined ? {} : { contact }) }));
}

type Inputs = (chart: Chart, vocabulary: Vocabulary) => readonly JsonObject[];

const noInput: Inputs = () => [{}];

const inputsByFormat: Readonly<Record<string, Inputs>> = {
  asl: (chart, vocabulary) => workflowInputs(vocabulary, ['Olga', 'Maria', ...approversIn(chart)]),
  plan: ({ context }) => sessions(context.params?.['session_context']),
  npc: (chart) => scenarios(chart),
  'context-graph': () => [{}, { returning: true }],
  lifecycle: (chart) => [{}, ...creations(chart)].map((input) => ({ ...input, ...listFor(chart) })),
};

/** The events of the rows that create an instance. Only a host says whether it is `queued`. */
function creations({ states = {} }: Chart): readonly JsonObject[] {
  return (states['created']?.always ?? []).flatMap(({ guard }) => {
    const { event } = guard?.params ?? {};
    return event === undefined ? [] : [{ event }];
  });
}

/** The checklist of an instance of a lifecycle. */
export const checklist = [{ id: 'todo-1', text: 'Ask' }];

function listFor(chart: Chart): JsonObject {
  return JSON.stringify(chart).includes('"knownTodo"') ? { todos: checklist } : {};
}

function workflowInputs(
  vocabulary: Vocabulary,
  requestors: readonly string[],
): readonly JsonObject[] {
  const data = dataWith(vocabulary);
  const compared = vocabulary.comparedFields;
  const variations: readonly Json[] = [
    data,
    {},
    ...compared.flatMap((field) => [
      ...vocabulary.valuesOf(field).map((value) => dataWith(vocabulary, { [field]: value })),
      without(data, field),
    ]),
    [data, data],
    dataWithLists(vocabulary),
    ...combinationsOf(vocabulary),
    ...withoutEach(compared, vocabulary),
    ...[...vocabulary.lists].map((field) => dataWith(vocabulary, { [field]: [] })),
    ...pairsOf(compared, vocabulary).slice(0, pairsMax),
    ...mixedItems(vocabulary),
  ];
  const inputs = variations.map((input): JsonObject => ({ input }));
  if (!vocabulary.readsRequestor) return inputs;
  // Such workflows exclude the person who has started them from approving, so they cannot do without one.
  const by = (Requestor: string, input: JsonObject) => ({
    ...input,
    context: { Execution: { Requestor } },
  });
  const [usual = ''] = requestors;
  return [
    inputs[0]!,
    ...requestors.map((requestor) => by(requestor, inputs[0]!)),
    ...inputs.slice(1).map((input) => by(usual, input)),
  ];
}

/** Each value of a field without another field: one rule compares the first, and another tests whether the second exists. */
function withoutEach(fields: readonly string[], vocabulary: Vocabulary): readonly Json[] {
  return fields.flatMap((absent) =>
    fields
      .filter((field) => field !== absent)
      .flatMap((field) =>
        vocabulary
          .valuesOf(field)
          .map((value) => without(dataWith(vocabulary, { [field]: value }), absent)),
      ),
  );
}

/** Each pair of values of two fields: one rule leads to another rule, about another field. */
export function pairsOf(fields: readonly string[], vocabulary: Vocabulary): readonly JsonObject[] {
  return fields.flatMap((one, index) =>
    fields.slice(index + 1).flatMap((other) =>
      vocabulary.valuesOf(one).flatMap((first) =>
        // The usual first value of a field is in the data already.
        vocabulary
          .valuesOf(other)
          .slice(1)
          .map((second) => dataWith(vocabulary, { [one]: first, [other]: second })),
      ),
    ),
  );
}

/** The people that a workflow names as approvers: each may also have started it. */
function approversIn(chart: Chart): readonly string[] {
  const names = new Set<string>();
  const pending: unknown[] = [chart];
  for (const part of pending) {
    if (typeof part !== 'object' || part === null) continue;
    const { Approvers: approvers, Users: users } = part as Readonly<Record<string, unknown>>;
    for (const name of [approvers, users].flat()) if (typeof name === 'string') names.add(name);
    pending.push(...Object.values(part));
  }
  return [...names].slice(0, requestorsMax);
}

function sessions(fields: unknown): readonly JsonObject[] {
  if (!Array.isArray(fields) || fields.length === 0) return [{}];
  const values = (fields as readonly JsonObject[]).map((field) => {
    const { id, type, options } = field;
    const schema = type === 'select' ? { enum: options! } : { type: type! };
    return [id as string, valuesOf(schema, [])] as const;
  });
  const usual = Object.fromEntries(
    values.flatMap(([id, [first]]) => (first === undefined ? [] : [[id, first]])),
  );
  return [
    {},
    { session: usual },
    ...values.flatMap(([id, all]) => all.map((value) => ({ session: { ...usual, [id]: value } }))),
  ];
}

/** Each scenario, also scenarios that others unlock. */
function scenarios(chart: Chart): readonly JsonObject[] {
  const keys = new Set<string>();
  const pending: unknown[] = [chart];
  for (const part of pending) {
    if (typeof part !== 'object' || part === null) continue;
    if (isRecord(part) && typeof part['machine_key'] === 'string') keys.add(part['machine_key']);
    pending.push(...Object.values(part));
  }
  const unlocked = [...keys];
  return [{}, ...unlocked.map((machine) => ({ machine, unlocked }))];
}

const combinationsMax = 60;

/**
 * Data for compound conditions: the values of the fields that one condition reads, in every combination. If a condition reads
 * many fields, each field has fewer values.
 */
export function combinationsOf(vocabulary: Vocabulary): readonly JsonObject[] {
  return vocabulary.readTogether.flatMap((fields) => {
    const each = Math.max(2, Math.floor(combinationsMax ** (1 / fields.length)));
    let combinations: readonly Values[] = [[]];
    for (const field of fields) {
      const candidates = candidatesOf(field, vocabulary).slice(0, each);
      combinations = combinations
        .flatMap((values) => candidates.map((value): Values => [...values, [field, value]]))
        .slice(0, combinationsMax);
    }
    return combinations.map((values) => withValues(values, vocabulary));
  });
}

type Values = readonly (readonly [field: string, value: Json | undefined])[];

/** The values of a field, the most different first; undefined is a missing field. */
function candidatesOf(field: string, vocabulary: Vocabulary): readonly (Json | undefined)[] {
  const [first = anyText, ...others] = vocabulary.valuesOf(field);
  const isOrdered = typeof first === 'number';
  // A number above and a number below come first: a comparison in either direction holds for one of the two.
  return isOrdered && others.length > 1
    ? [others[0], others[1], first, undefined, ...others.slice(2)]
    : [first, ...others.slice(0, 1), undefined, ...others.slice(1)];
}

function withValues(values: Values, vocabulary: Vocabulary): JsonObject {
  const given = values.flatMap(([field, value]) => (value === undefined ? [] : [[field, value]]));
  let data: Json = dataWith(vocabulary, Object.fromEntries(given) as Record<string, Json>);
  for (const [field, value] of values) if (value === undefined) data = without(data, field);
  return data as JsonObject;
}

/**
 * The data without a field, at any depth.
 *
 * @param field its name, or `parent.name` for the field in objects named `parent`
 */
export function without(value: Json, field: string, around = ''): Json {
  if (Array.isArray(value)) return value.map((each) => without(each, field, around));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      name === field || `${around}.${name}` === field ? [] : [[name, without(inner, field, name)]],
    ),
  );
}
