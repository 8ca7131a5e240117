import { isRecord, type Json, type JsonObject, type Path } from '@dramaturg/compiler';

/** A small mistake that an author could make: another value at a place, or none. */
export interface Change {
  readonly path: Path;
  /** The new value; absent when the value is removed. */
  readonly value?: Json;
  /** A short description for people. */
  readonly words: string;
  /** The kind of mistake and the field that has it: one of each class is tried before the second of any. */
  readonly mistake: string;
}

/** A place in a definition, with the facts that are needed to change it as an author might. */
interface Place {
  readonly path: Path;
  readonly key: string;
  readonly value: Json;
  /** Names of states, for targets. */
  readonly states: readonly string[];
}

/** Mistakes of every kind at every place of a definition, in the order of the definition. */
export function changesOf(definition: Json): readonly Change[] {
  const states = namesOfStates(definition);
  const changes: Change[] = [];
  const pending: { readonly path: Path; readonly value: Json }[] = [
    { path: [], value: definition },
  ];
  for (const { path, value } of pending) {
    const key = path.findLast((part) => typeof part === 'string') ?? '';
    const place = { path, key, value, states };
    for (const [name, kind] of Object.entries(kinds))
      for (const change of kind(place))
        changes.push({ ...change, mistake: `${name} ${fieldAt(change.path)}` });
    if (Array.isArray(value))
      pending.push(...value.map((each, at) => ({ path: [...path, at], value: each })));
    else if (isRecord(value))
      pending.push(
        ...Object.entries(value).map(([name, inner]) => ({ path: [...path, name], value: inner })),
      );
  }
  return changes;
}

/** The field at a path, with the list whose item has it: `Catch.ResultPath` is another one than the `ResultPath` of a state. */
function fieldAt(path: Path): string {
  const last = path.findLastIndex((part) => typeof part === 'string');
  const isOfItem = typeof path[last - 1] === 'number';
  return isOfItem ? `${path[last - 2]}.${path[last]}` : `${path[last] ?? ''}`;
}

type Kind = (place: Place) => readonly Omit<Change, 'mistake'>[];

const targetKeys = new Set([
  'target_state_id',
  'Next',
  'Default',
  'StartAt',
  'next_state',
  'initial_state_id',
  'to',
  'initial',
  'new_user_initial_state',
  'returning_user_initial_state',
  'pass_to',
  'fail_to',
  'pass',
  'fail',
  'to_state',
  'target',
]);

/** A transition leads to another state. */
const redirect: Kind = ({ path, key, value, states }) => {
  if (typeof value !== 'string' || !states.includes(value)) return [];
  const isTarget = targetKeys.has(key) || isInTable(path);
  const other = states[(states.indexOf(value) + 1) % states.length];
  if (!isTarget || other === undefined || other === value) return [];
  return [{ path, value: other, words: `leads to "${other}" instead of "${value}"` }];
};

/** `transitions: { ORDERED: { pack: PACKED } }` of a lifecycle. */
function isInTable(path: Path): boolean {
  return (
    path[0] === 'transitions' && path.length === 3 && path.every((part) => typeof part === 'string')
  );
}

const listKeys = new Set([
  'transitions',
  'Choices',
  'Catch',
  'Retry',
  'exit_conditions',
  'rows',
  'conditions',
  'And',
  'Or',
  'tasks',
  'deliverables',
  'enum_values',
  'values',
  'ErrorEquals',
  'from',
  'actions',
  'action_guidelines',
  'boundary_constraints',
  'decision_guidelines',
  'global_action_guidelines',
  'global_boundary_constraints',
  'Approvers',
  'Users',
  'Roles',
  'Fields',
  'outcomes',
]);

/** A part of a list is missing. */
const drop: Kind = ({ path, key, value }) =>
  Array.isArray(value) && listKeys.has(key) && typeof path.at(-1) === 'string'
    ? value.map((_, index) => ({
        path: [...path, index],
        words: `without item ${index + 1} of "${key}"`,
      }))
    : [];

const orderedKeys = new Set([
  'transitions',
  'Choices',
  'Catch',
  'exit_conditions',
  'rows',
  'tasks',
]);

/** Two parts of a list are in the wrong order. */
const swap: Kind = ({ path, key, value }) => {
  if (!Array.isArray(value) || !orderedKeys.has(key) || typeof path.at(-1) !== 'string') return [];
  return value.slice(1).map((each, index) => ({
    path,
    value: value.with(index, each).with(index + 1, value[index]),
    words: `items ${index + 1} and ${index + 2} of "${key}" are swapped`,
  }));
};

/** Two transitions have each other's priority. */
const swapPriorities: Kind = ({ path, key, value }) => {
  if (!Array.isArray(value) || key !== 'transitions') return [];
  const items = value.map((item) => (isRecord(item) ? item : {}));
  return items.slice(1).flatMap((later, index) => {
    const earlier = items[index]!;
    const [one, other] = [earlier['priority'], later['priority']];
    if (typeof one !== 'number' || typeof other !== 'number' || one === other) return [];
    const swapped = value.with(index, { ...earlier, priority: other });
    return [
      {
        path,
        value: swapped.with(index + 1, { ...later, priority: one }),
        words: `items ${index + 1} and ${index + 2} of "${key}" have each other's priority`,
      },
    ];
  });
};

const numberKeys =
  /^(value|turns?|max\w*|min\w*|limit\w*|score\w*|MaxAttempts|MaxConcurrency|\w*Seconds|BackoffRate|Numeric\w+|priority|count|Tolerated\w+|\w*(?:delta|turns|threshold|limit|bound|_ms|followups))$/;

/** A limit or a compared number is off by one. */
const offByOne: Kind = ({ path, key, value }) => {
  if (typeof value !== 'number' || !numberKeys.test(key)) return [];
  const step = Number.isInteger(value) ? 1 : 0.1;
  return [value + step, value - step].map((other) => ({
    path,
    value: other,
    words: `"${key}" is ${other} instead of ${value}`,
  }));
};

const flagKeys = new Set([
  'required',
  'confirm',
  'BooleanEquals',
  'IsPresent',
  'IsNull',
  'IsString',
  'IsNumeric',
  'IsBoolean',
  'value',
  'ExcludeRequestor',
]);

const flip: Kind = ({ path, key, value }) =>
  typeof value === 'boolean' && flagKeys.has(key)
    ? [{ path, value: !value, words: `"${key}" is ${!value}` }]
    : [];

const textKeys = new Set([
  'value',
  'values',
  'StringEquals',
  'StringMatches',
  'ErrorEquals',
  'key',
  'Agent',
  'Error',
  'event',
  'event_name',
  'reason',
]);

/** A word is misspelt. */
const misspell: Kind = ({ path, key, value }) =>
  typeof value === 'string' &&
  value !== '' &&
  textKeys.has(key) &&
  !value.startsWith('{%') &&
  !value.startsWith('$')
    ? [{ path, value: `${value}x`, words: `"${key}" is "${value}x" instead of "${value}"` }]
    : [];

const operators: Readonly<Record<string, string>> = {
  gt: 'gte',
  gte: 'gt',
  lt: 'lte',
  lte: 'lt',
  eq: 'neq',
  '>': '>=',
  '>=': '>',
  '<': '<=',
  '<=': '<',
  '==': '!=',
  '!=': '=',
  and: 'or',
  or: 'and',
};

const kindsOfConditions = {
  all_of: 'any_of',
  any_of: 'all_of',
  score_gte: 'score_lte',
  score_lte: 'score_gte',
};

/** Words of closed lists, and a word of the same list, by their field. */
const otherWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  operator: operators,
  condition_type: kindsOfConditions,
  type: kindsOfConditions,
  decision_type: { pass: 'reject', reject: 'pass', redirect: 'follow_up', follow_up: 'redirect' },
  terminal_outcome: { ACCEPT: 'REJECT', REJECT: 'ACCEPT' },
  scope: { without_progress: 'total', total: 'without_progress' },
  OnTimeout: { AutoApprove: 'AutoReject', AutoReject: 'AutoApprove', Escalate: 'AutoReject' },
  JitterStrategy: { FULL: 'NONE', NONE: 'FULL' },
  resume_timer: { remaining: 'restart', restart: 'remaining' },
};

/** Another word of a closed list. */
const exchange: Kind = ({ path, key, value }) => {
  const words = Object.hasOwn(otherWords, key) ? otherWords[key]! : {};
  if (typeof value !== 'string' || !Object.hasOwn(words, value)) return [];
  const other = words[value]!;
  return [{ path, value: other, words: `"${key}" is "${other}" instead of "${value}"` }];
};

const comparisons: Readonly<Record<string, string>> = {
  NumericGreaterThan: 'NumericGreaterThanEquals',
  NumericGreaterThanEquals: 'NumericGreaterThan',
  NumericLessThan: 'NumericLessThanEquals',
  NumericLessThanEquals: 'NumericLessThan',
  NumericEquals: 'NumericLessThanEquals',
  And: 'Or',
  Or: 'And',
};

/** A comparison of Agent State Language is replaced by another one. */
const compareOtherwise: Kind = ({ path, value }) => {
  if (!isRecord(value)) return [];
  return Object.keys(value).flatMap((name) => {
    const other = Object.hasOwn(comparisons, name) ? comparisons[name] : undefined;
    if (other === undefined) return [];
    const changed = Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key === name ? other : key, inner]),
    );
    return [{ path, value: changed, words: `"${other}" instead of "${name}"` }];
  });
};

const dataKeys =
  /^(?:(?:Input|Output|Result|Items)Path|Parameters|Arguments|Output|Assign|ResultSelector|ItemSelector|TimeoutSeconds|HeartbeatSeconds|Retry|Catch|minimum|maximum|min_length|max_length|pattern|format|guard|raise|actions|entry|timer|kick_out|redirect|reject|follow_up)$/;

/** A field that passes data on, limits a value or a time, or says what happens or what is judged, is missing. */
const forget: Kind = ({ path }) => {
  const name = path.at(-1);
  return typeof name === 'string' && dataKeys.test(name)
    ? [{ path, words: `without "${name}"` }]
    : [];
};

/** A path stops too early, lacks its first step, or is misspelt: `$.order`, `$.id` or `$.order.idx` instead of `$.order.id`. */
const mistakePath: Kind = ({ path, key, value }) => {
  if (typeof value !== 'string') return [];
  const steps = /^\$(?:\.\w+)+$/.test(value) ? value.split('.').slice(1) : [];
  if (steps.length === 0) return [];
  const others = [[...steps.slice(0, -1), `${steps.at(-1)}x`]];
  if (steps.length > 1) others.push(steps.slice(0, -1), steps.slice(1));
  return others.map((other) => {
    const wrong = ['$', ...other].join('.');
    return { path, value: wrong, words: `"${key}" is "${wrong}" instead of "${value}"` };
  });
};

/** A path or an expression reads the neighbour of an item: `$.bids[1]` instead of `$.bids[0]`. */
const mistakeItem: Kind = ({ path, key, value }) => {
  if (typeof value !== 'string' || !/^(?:\$|\{%)/.test(value)) return [];
  const changed = value.replace(
    /\[(\d)\]/,
    (_, index: string) => `[${Number(index) === 0 ? 1 : 0}]`,
  );
  return changed === value
    ? []
    : [{ path, value: changed, words: `"${key}" is "${changed}" instead of "${value}"` }];
};

/** A text shows a value that does not exist: `{{$.total}}`. */
const mistakeHole: Kind = ({ path, key, value }) => {
  const [hole, inside] = (typeof value === 'string' && /\{\{\s*([$\w.]+)\s*\}\}/.exec(value)) || [];
  if (hole === undefined) return [];
  const wrong = `{{${inside}x}}`;
  const changed = (value as string).replace(hole, () => wrong);
  return [{ path, value: changed, words: `${wrong} instead of ${hole} in "${key}"` }];
};

const smallerUnits: Readonly<Record<string, string>> = { d: 'h', h: 'm', m: 's', s: 'ms' };

/** A time has the wrong unit: `7h` instead of `7d`. */
const mistakeUnit: Kind = ({ path, key, value }) => {
  const [, count, unit] = (typeof value === 'string' && /^(\d+)([dhms])$/.exec(value)) || [];
  if (unit === undefined) return [];
  const wrong = `${count}${smallerUnits[unit]}`;
  return [{ path, value: wrong, words: `"${key}" is "${wrong}" instead of "${value as string}"` }];
};

const templateKeys = new Set([
  'Parameters',
  'Arguments',
  'ResultSelector',
  'ItemSelector',
  'Payload',
]);

/** A value is missing in what is sent to an agent or kept of its answer. */
const forgetMember: Kind = ({ path, value }) =>
  isRecord(value) && templateKeys.has(String(path.at(-1))) && Object.keys(value).length > 1
    ? Object.keys(value).map((name) => ({
        path: [...path, name],
        words: `without "${name}" in "${String(path.at(-1))}"`,
      }))
    : [];

/** What a state gives or calls is mistaken for that of another state. */
const mistakeState: Kind = ({ path, value, states }) => {
  if (!isRecord(value) || path.at(-1) !== 'States') return [];
  return states.flatMap((name, index) =>
    ['ResultPath', 'Agent', 'Resource'].flatMap((field) => {
      const own = fieldOf(value[name], field);
      const others = [...states.slice(index + 1), ...states.slice(0, index)].map((other) =>
        fieldOf(value[other], field),
      );
      const other = others.find((each) => each !== undefined && each !== own);
      if (own === undefined || other === undefined) return [];
      const words = `"${field}" is "${other}" instead of "${own}"`;
      return [{ path: [...path, name, field], value: other, words }];
    }),
  );
};

function fieldOf(state: Json | undefined, field: string): string | undefined {
  const value = isRecord(state) ? state[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** An expression compares otherwise, or with a misspelt word. */
const compareInExpression: Kind = ({ path, key, value }) => {
  if (typeof value !== 'string' || !value.startsWith('{%')) return [];
  const changed = [
    value.replace(/([^<>!:=])(<=|>=|!=|<|>|=)(?=[^=])/, (_, before: string, operator: string) =>
      before.concat(operators[operator] ?? '!='),
    ),
    value.replace(/(["'])([^"']+)\1/, '$1$2x$1'),
    value.replace(/\b(?:and|or)\b/, (operator) => operators[operator]!),
  ];
  return changed
    .filter((each) => each !== value)
    .map((each) => ({ path, value: each, words: `"${key}" is "${each}" instead of "${value}"` }));
};

/** One state more is left out of a transition that the author wrote for all states. */
const leaveOut: Kind = ({ path, key, value, states }) => {
  if (path.length !== 2 || path[0] !== 'transitions' || key !== 'transitions') return [];
  if (!isRecord(value) || value['target_state_id'] === undefined) return [];
  const { except_states: known = [] } = value;
  return states.map((state) => ({
    path: [...path, 'except_states'],
    value: [...(Array.isArray(known) ? known : []), state],
    words: `not in "${state}"`,
  }));
};

/** A row of a table is missing. */
const dropRow: Kind = ({ path, value }) =>
  isInTable(path) && typeof value === 'string'
    ? [{ path, words: `without the row "${path.at(-1)!}"` }]
    : [];

const kinds: Readonly<Record<string, Kind>> = {
  redirect,
  drop,
  swap,
  swapPriorities,
  offByOne,
  flip,
  misspell,
  exchange,
  compareOtherwise,
  forget,
  mistakePath,
  mistakeItem,
  mistakeHole,
  mistakeUnit,
  forgetMember,
  mistakeState,
  compareInExpression,
  leaveOut,
  dropRow,
};

/** Names that transitions can lead to. */
function namesOfStates(definition: Json): readonly string[] {
  const names = new Set<string>();
  const pending: Json[] = [definition];
  for (const value of pending) {
    if (Array.isArray(value)) pending.push(...value);
    if (!isRecord(value)) continue;
    const { States: byName, states } = value;
    for (const each of [byName, states]) {
      if (isRecord(each)) for (const name of Object.keys(each)) names.add(name);
      if (!Array.isArray(each)) continue;
      for (const state of each) {
        if (typeof state === 'string') names.add(state);
        const { id, name } = Object(state) as JsonObject;
        for (const text of [id, name]) if (typeof text === 'string') names.add(text);
      }
    }
    pending.push(...Object.values(value));
  }
  return [...names];
}

/** The definition with a change. */
export function withChange(
  definition: Json,
  { path, value }: Pick<Change, 'path' | 'value'>,
): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value ?? null;
  const change = { path: rest, ...(value === undefined ? {} : { value }) } as Pick<
    Change,
    'path' | 'value'
  >;
  const isHere = rest.length === 0;
  if (Array.isArray(definition)) {
    const index = Number(key);
    if (isHere && value === undefined) return definition.toSpliced(index, 1);
    return definition.with(index, isHere ? value! : withChange(definition[index], change));
  }
  if (isHere && value !== undefined) return { ...(definition as JsonObject), [key]: value };
  return Object.fromEntries(
    Object.entries(definition as JsonObject).flatMap(([name, inner]) => {
      if (name !== key) return [[name, inner]];
      return isHere ? [] : [[name, withChange(inner, change)]];
    }),
  );
}
