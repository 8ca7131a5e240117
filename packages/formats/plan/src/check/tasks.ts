import { type Report, withinWork } from '@dramaturg/compiler/format';
import { LinearPattern } from '@dramaturg/compiler/text';
import { reportDuplicates } from '@dramaturg/conversation';
import { implies } from '../conditions/condition.ts';
import type { Condition } from '../conditions/table.ts';
import {
  type Deliverable,
  goalMarker,
  human,
  type PlanRule,
  reservedId,
  reservedIds,
  type State,
} from '../definition.ts';
import { allDeliverables, deliverablesOf, typedTransitions } from '../plan-graph.ts';
import { error, info, warning } from '../problems.ts';
import type { ValueType } from '../shape.ts';
import { coerce, hasLimits, whatItIs } from '../value.ts';

const duplicateField = error('duplicate-field', (id: string) => ({
  message: `There is more than one session field "${id}".`,
  hint: 'Give each field an id of its own.',
}));

const selectWithoutOptions = error('select-without-options', (id: string) => ({
  message: `The session field "${id}" is a select without options.`,
  hint: 'Add "options": ["first", "second"].',
}));

const impossibleDefault = warning(
  'impossible-default',
  (id: string, value: string, possible: string) => ({
    message: `The default of the session field "${id}" must be ${possible}, and it is ${value}.`,
  }),
);

/** Reports duplicate or reserved field ids, selects without options, and defaults that are not an option. */
export const wrongSessionFields: PlanRule = ({ definition, report }) => {
  const seen = new Set<string>();
  for (const { id, type, options, default_value: value, at } of definition.session_context) {
    if (seen.has(id)) report(duplicateField(id), [...at, 'id']);
    seen.add(id);
    if (reservedIds.includes(id)) report(reservedId('id of a session field', id), [...at, 'id']);
    if (type !== 'select') continue;
    if (options.length === 0) report(selectWithoutOptions(id), at, { about: [[...at, 'options']] });
    else if (value !== undefined && value !== '' && !options.includes(value as string)) {
      const possible = `one of ${options.map((option) => `"${option}"`).join(', ')}`;
      report(impossibleDefault(id, JSON.stringify(value), possible), [...at, 'default_value']);
    }
  }
};

const duplicateTask = error('duplicate-task', (id: string, state: string) => ({
  message: `The state "${state}" has more than one task "${id}".`,
  hint: 'Give each task of a state an id of its own.',
}));

const sharedTaskId = info('shared-task-id', (id: string, state: string) => ({
  message: `The state "${state}" also has a task "${id}". They are two separate tasks.`,
}));

/** Reports task ids that are reserved or used twice: in one state an error, in two states a note. Spec: docs/formats/plan.md#tasks */
export const duplicateTasks: PlanRule = ({ definition, report }) => {
  const elsewhere = new Map<string, string>();
  const reported = new Set<string>();
  for (const state of definition.states) {
    const named = state.tasks.map(({ id, at }) => ({ name: id, path: [...at, 'id'] }));
    reportDuplicates(named, (id) => duplicateTask(id, state.id), report);
    for (const { name, path } of named) {
      const other = elsewhere.get(name);
      if (name !== '' && other !== undefined && !reported.has(name))
        report(sharedTaskId(name, other), path);
      if (other !== undefined) reported.add(name);
      if (reservedIds.includes(name)) report(reservedId('id of a task', name), path);
    }
    for (const { id } of state.tasks) if (!elsewhere.has(id)) elsewhere.set(id, state.id);
  }
};

const missingKey = error('missing-key', () => ({
  message: 'This deliverable has no key.',
  hint: 'Add "key": the name under which the value is stored.',
}));

/** Reports deliverables with a missing or reserved key. Spec: docs/formats/plan.md#deliverables */
export const missingKeys: PlanRule = ({ definition, report }) => {
  for (const { key, at } of allDeliverables(definition)) {
    if (key === '') report(missingKey(), at, { about: [[...at, 'key']] });
    if (key === goalMarker || reservedIds.includes(key))
      report(reservedId('key of a deliverable', key), [...at, 'key']);
  }
};

const duplicateKey = warning('duplicate-deliverable', (key: string) => ({
  message: `This task has more than one deliverable "${key}".`,
  hint: 'Keep one of them: both are the same value.',
}));

const conflictingTypes = warning(
  'conflicting-types',
  (key: string, here: string, elsewhere: string) => ({
    message: `"${key}" is ${here} here and ${elsewhere} elsewhere, but it is one value.`,
    hint: 'Declare it with the same type everywhere, or give one of them another key.',
  }),
);

const sharedKey = info('shared-deliverable', (key: string, what: 'state' | 'task', id: string) => ({
  message: `The ${what} "${id}" also collects "${key}". It is one value for the whole conversation.`,
}));

/** Reports keys that are declared twice: within a task this is a mistake, elsewhere it is one shared value. */
export const sharedDeliverables: PlanRule = ({ definition, report }) => {
  // The first declaration of each key counts: a key is one value for the whole conversation.
  const all = definition.states.flatMap(deliverablesOf);
  const first = new Map(all.toReversed().map((placed) => [placed.deliverable.key, placed]));
  for (const { deliverable, task, state } of all) {
    const { key, at } = deliverable;
    const original = first.get(key);
    if (!original || original.deliverable === deliverable || key === '') continue;
    const related = [{ path: original.deliverable.at, message: 'First declared here.' }];
    const [here, elsewhere] = [whatItIs(deliverable), whatItIs(original.deliverable)];
    if (original.state === state && original.task === task) {
      report(duplicateKey(key), at, { related });
    } else if (here !== elsewhere) {
      const follows = [at, original.deliverable.at];
      report(conflictingTypes(key, here, elsewhere), at, { related, follows });
    } else if (original.state !== state) {
      report(sharedKey(key, 'state', original.state.id), at, { related });
    } else if (original.task) {
      report(sharedKey(key, 'task', original.task.id), at, { related });
    }
  }
};

const enumWithoutValues = error('enum-without-values', (key: string) => ({
  message: `The deliverable "${key}" is an enum without values.`,
  hint: 'Add "enum_values": ["first", "second"], or make it a string.',
}));

/** Reports enums without a list of values. */
export const enumsWithoutValues: PlanRule = ({ definition, report }) => {
  for (const deliverable of allDeliverables(definition))
    for (const { type, enum_values, at } of typesIn(deliverable))
      if (type === 'enum' && enum_values.length === 0)
        report(enumWithoutValues(deliverable.key), at, { follows: [[...at, 'enum_values']] });
};

/** The type of a value, and that of the entries of a list. */
function typesIn(deliverable: Deliverable): readonly ValueType[] {
  return [deliverable, deliverable.items].filter((one) => one !== undefined);
}

const agentMayFulfil = info('agent-may-fulfil', (key: string) => ({
  message: `The person is asked for "${key}", which seems to be what the agent does.`,
  hint: 'If the agent fulfils it by what it says, add "source": "agent".',
}));

/**
 * Reports limits that no value meets, that mean nothing for the type, or that refuse an example. Also notes values that the agent
 * may fulfil. Spec: docs/formats/plan.md#limits-of-values
 */
export const valueLimits: PlanRule = (checked) => withinWork(unitsMax, () => checkValues(checked));

/** The work that all patterns of a plan may do on its examples: about 50 ms. Later examples are not checked. */
const unitsMax = 20_000_000;

const checkValues: PlanRule = ({ definition, report }) => {
  for (const deliverable of allDeliverables(definition)) {
    const { key, type, source, at, description } = deliverable;
    if (source !== 'agent' && type === 'boolean' && isDoneByAgent.test(`${description}. ${key}`))
      report(agentMayFulfil(key), at);
    const checked = typesIn(deliverable).map((each) => checkLimits(each, key, report));
    const isSound = checked.every(Boolean);
    if (isSound && hasLimits(deliverable)) checkExamples(deliverable, report);
  }
};

/** "Whether the introduction has been delivered", `introduction_delivered` */
const isDoneByAgent =
  /\b(?:has been|have been|was|were) (?:delivered|given|explained|presented|introduced|said|read out)\b|_(?:delivered|explained|presented|introduced)$/iu;

const typesOf = {
  pattern: ['string'],
  format: ['string'],
  minimum: ['number'],
  maximum: ['number'],
  min_length: ['string', 'list'],
  max_length: ['string', 'list'],
  items: ['list'],
} satisfies Partial<Record<keyof ValueType, readonly ValueType['type'][]>>;

const ranges = [
  ['minimum', 'maximum'],
  ['min_length', 'max_length'],
] as const;

const limitWithoutEffect = warning(
  'limit-without-effect',
  (limit: string, type: string, types: readonly string[]) => ({
    message: `"${limit}" has no effect on a value of type ${type}.`,
    hint: `Remove it, or change "type": it is for ${types.join(' and ')}.`,
  }),
);

const emptyRange = error('empty-range', (least: string, most: string, key: string) => ({
  message: `No value of "${key}" fits: its "${least}" is above its "${most}".`,
  hint: 'Exchange the two, or leave one of them out.',
}));

const badPattern = error('bad-pattern', (pattern: string, because: string) => ({
  message: `The pattern ${JSON.stringify(pattern)} cannot be used: ${because}`,
  hint: 'Write a regular expression of JavaScript without lookarounds and references to groups.',
}));

/** @returns whether values can be checked against the limits */
function checkLimits(valueType: ValueType, key: string, report: Report): boolean {
  const { type, at, pattern } = valueType;
  const follows = [[...at, 'type']];
  let isSound = true;
  for (const [limit, types] of Object.entries(typesOf) as [keyof typeof typesOf, string[]][])
    if (valueType[limit] !== undefined && !types.includes(type))
      report(limitWithoutEffect(limit, type, types), [...at, limit], { at: 'key', follows });
  for (const [least, most] of ranges) {
    if (!((valueType[least] ?? -Infinity) > (valueType[most] ?? Infinity))) continue;
    isSound = false;
    report(emptyRange(least, most, key), [...at, least], { follows: [[...at, most]] });
  }
  try {
    if (pattern !== undefined) void new LinearPattern(pattern).sample;
  } catch (cause) {
    isSound = false;
    const because = (cause as Error).message.replace(/^Invalid regular expression: .*: /u, '');
    report(badPattern(pattern!, because.replace(/\.?$/u, '.')), [...at, 'pattern']);
  }
  return isSound;
}

const exampleDoesNotFit = warning(
  'example-does-not-fit',
  (key: string, example: string, because: string) => ({
    message: `The example ${JSON.stringify(example)} of "${key}" would be refused: ${because}.`,
    hint: 'Change the example or the limits of the deliverable.',
  }),
);

function checkExamples(deliverable: Deliverable, report: Report): void {
  const { examples, key, at } = deliverable;
  for (const [index, example] of examples.entries()) {
    const coerced = coerce(example, deliverable);
    if (!coerced.fits && coerced.code === undefined)
      report(exampleDoesNotFit(key, example, coerced.because), [...at, 'examples', index], {
        follows: ['type', 'enum_values', 'pattern', 'items'].map((field) => [...at, field]),
        topic: `${key} example`,
      });
  }
}

const requiredInOptional = warning('required-in-optional', (key: string, task: string) => ({
  message: `"${key}" is required, but its task "${task}" is optional: the conversation may move on without it.`,
  hint: 'Make the task required, or the deliverable optional.',
}));

/** Reports required deliverables in optional tasks. */
export const requiredInOptionalTasks: PlanRule = ({ definition, options, report }) => {
  if (options.completion === 'all') return;
  for (const { deliverable, task } of definition.states.flatMap(deliverablesOf)) {
    if (!task || task.required || !deliverable.required) continue;
    const follows = [deliverable.at, [...task.at, 'required']];
    report(requiredInOptional(deliverable.key, task.id), deliverable.at, { follows });
  }
};

const answerNotHeard = warning('answer-not-heard', (task: string, state: string) => ({
  message: `The answers to the optional task "${task}" are not heard: "${state}" has no transitions and no required task, so the conversation ends as soon as the agent has asked.`,
  hint: 'Make the task required, so that its answer is awaited, or lead on to a state that says goodbye.',
}));

/** Reports questions with which the conversation ends. Spec: docs/formats/plan.md#completion */
export const answersNotHeard: PlanRule = ({ definition, options, report }) => {
  if (options.completion === 'all') return;
  for (const { id, type, tasks, transitions, at } of definition.states) {
    if (type === 'goal' || transitions.length > 0 || tasks.some(({ required }) => required))
      continue;
    // Required deliverables of an optional task have a finding of their own.
    const asked = tasks.find(({ deliverables }) =>
      deliverables.some(({ source, required }) => source !== 'agent' && !required),
    );
    if (asked) report(answerNotHeard(asked.id, id), asked.at, { follows: [[...at, 'tasks']] });
  }
};

const taskNeverAsked = warning('task-never-asked', (task: string, key: string) => ({
  message: `Nobody is asked for the task "${task}": the state is left as soon as "${key}" is known, which comes before.`,
  hint: `For example, after an answer for "${key}" the conversation is in another state. Let the transition wait for all tasks, or move the task.`,
}));

/**
 * Reports tasks of strict states that are never asked for: an earlier task must collect a value first, and a transition leaves
 * the state as soon as the value is known. Spec: docs/formats/plan.md#conditions
 */
export const tasksNeverAsked: PlanRule = ({ definition, report }) => {
  for (const { state, transitions } of typedTransitions(definition)) {
    if (state.type !== 'strict') continue;
    const leaving = transitions.filter(
      ({ target_state_id: target }) => ![state.id, human].includes(target),
    );
    // A transition that stays in the state may be taken first.
    if (leaving.length < transitions.length) continue;
    for (const { key, next } of keysBeforeTasks(state)) {
      const known = { type: 'deliverable_exists', deliverable_key: key } as Condition;
      const transition = leaving.find(({ condition }) => implies(known, condition));
      if (!transition) continue;
      report(taskNeverAsked(next.id, key), next.at, {
        related: [{ path: transition.at, message: 'This transition leads on before.' }],
        follows: [transition.at],
      });
      break;
    }
  }
};

/** The keys that a task must collect before the next task is asked for, in order. */
function keysBeforeTasks({ tasks }: State) {
  return tasks.flatMap(({ required, deliverables }, index) => {
    const next = tasks[index + 1];
    if (!required || !next?.deliverables.every(({ source }) => source !== 'agent')) return [];
    return deliverables.flatMap(({ key, required: isNeeded }) => (isNeeded ? [{ key, next }] : []));
  });
}
