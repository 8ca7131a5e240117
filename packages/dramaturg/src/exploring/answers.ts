import type { Json, JsonObject, PortName } from '@dramaturg/compiler';
import { localLetter, type WaitingCall } from './moment.ts';
import { combinationsOf, pairsMax, pairsOf, without } from './beginnings.ts';
import { type Field, fieldsOf, objectOf } from './values.ts';
import { anyText, dataWith, dataWithLists, mixedItems, named } from './data-with.ts';
import type { Vocabulary } from './vocabulary.ts';

/** An answer as a test file has it; undefined leaves the answer to the understudy. */
export type GivenAnswer = JsonObject | undefined;

const answersMax = 200;

const decidingPorts = new Set<PortName>(['extract', 'choose', 'validate', 'runAgent', 'callTool']);

/** Answers of a call that are tried for the rows of a lifecycle. */
const rowAnswersMax = 6;

const speakingPorts = new Set<PortName>(['reply', 'extract', 'choose']);

/**
 * Whether to let a call fail. A conversation of its own tries again and continues as before. But a parent sees how its child
 * ends, and a lifecycle has rows for it.
 */
export function mayFail({ port, child }: Asked, triesRows: boolean): boolean {
  return speakingPorts.has(port) && (child !== undefined || triesRows);
}

/** Whether a call has only one answer, which decides nothing. */
export function isLeftToUnderstudy(call: WaitingCall, triesRows: boolean): boolean {
  const { port, input } = call;
  if (mayFail(call, triesRows)) return false;
  if (port === 'runAgent' && handsTokenOver(input)) return true;
  return !decidingPorts.has(port) && (port !== 'reply' || doneCallsOf(input).length === 0);
}

/**
 * Whether the task of a call waits for a token: the answer then decides nothing, and the task continues when the token comes
 * back. Amazon #task-state
 */
function handsTokenOver({ agent }: JsonObject): boolean {
  return typeof agent === 'string' && agent.endsWith('.waitForTaskToken');
}

type Asked = Pick<WaitingCall, 'port' | 'input' | 'child'> &
  Partial<Pick<WaitingCall, 'letter' | 'instance'>>;

/** The answers that are tried for a call, the most usual first. */
export function answersTo(
  call: Asked,
  vocabulary: Vocabulary,
  triesRows = false,
): readonly GivenAnswer[] {
  if (mayFail(call, triesRows)) {
    const answers = distinctAnswers(call, vocabulary);
    // A lifecycle sees only whether the flow continues.
    return [
      ...(triesRows ? answers.slice(0, rowAnswersMax) : answers),
      { fails: { port: call.port } },
    ];
  }
  const { port, input, child } = call;
  const name =
    port === 'runAgent' ? input['agent'] : port === 'callTool' ? input['tool'] : undefined;
  if (name === undefined) return distinctAnswers(call, vocabulary);
  const known = resultsOf.get(vocabulary) ?? new Map<string, readonly GivenAnswer[]>();
  resultsOf.set(vocabulary, known);
  const source = sourceOf(name as string, call);
  const key = `${port} ${name as string}${source}${child === undefined ? '' : ' of a child'}`;
  const answers =
    known.get(key) ??
    distinctAnswers(call, vocabulary).map(
      (answer) => answer && (named(answer, vocabulary, source) as JsonObject),
    );
  known.set(key, answers);
  return answers;
}

/** The answers of an agent differ in this many calls. */
const differentCalls = 3;

/** Names an agent and its call in texts: the items of a Map, and the branches of a Parallel, get different answers. */
export function sourceOf(name: string, { letter, instance }: Asked): string {
  const agent = name.slice(Math.max(name.lastIndexOf(':'), name.lastIndexOf('/')) + 1);
  if (letter === undefined || instance === undefined) return ` of ${agent}`;
  const counts = localLetter({ letter, instance }).match(/\d+/g) ?? [];
  const call = counts.reduce((sum, count) => sum + Number(count), 0) % differentCalls;
  return ` of ${agent}${call === 0 ? '' : ` ${call + 1}`}`;
}

const resultsOf = new WeakMap<Vocabulary, Map<string, readonly GivenAnswer[]>>();

function distinctAnswers(call: Asked, vocabulary: Vocabulary): readonly GivenAnswer[] {
  return unique(candidates(call, vocabulary)).slice(0, answersMax);
}

function candidates({ port, input, child }: Asked, vocabulary: Vocabulary): readonly GivenAnswer[] {
  switch (port) {
    case 'extract':
      return extracted(input, vocabulary);
    case 'choose':
      return (input['options'] as readonly JsonObject[]).map(({ id }) => ({ choose: id! }));
    case 'validate':
      return [{ validate: true }, { validate: 'That is not possible.' }];
    case 'runAgent':
      return results('runAgent', input['agent'] as string, child, vocabulary);
    case 'callTool':
      return results('callTool', input['tool'] as string, child, vocabulary);
    case 'reply':
      return replies(input);
    default:
      return [undefined];
  }
}

function extracted({ schema }: JsonObject, vocabulary: Vocabulary): readonly GivenAnswer[] {
  const fields = fieldsOf(schema, vocabulary);
  const now = fields.filter(({ isLater }) => !isLater);
  const values = now.filter(({ path }) => path.length > 1);
  const flat = values.length > 0 ? values : now;
  const later = fields.filter(({ isLater, path }) => isLater && path.length > 1);
  const decisive = flat.filter(({ isCompared }) => isCompared);
  const compared = fields.filter(({ isCompared, values: of }) => isCompared || of.length > 1);
  const usual = (list: readonly Field[]) =>
    list.map(({ path, values: of }) => [path, of[0]!] as const);
  const answer = (entries: readonly (readonly [readonly string[], Json])[]): JsonObject => ({
    extract: { value: objectOf(entries) },
  });
  const lists = now.filter(({ path, values: of }) => path.length === 1 && Array.isArray(of[0]));
  return [
    answer(usual(flat)),
    ...flat.flatMap((field) =>
      field.values.map((value) => answer([...usual(flat), [field.path, value] as const])),
    ),
    answer([]),
    ...[...flat, ...now].flatMap(({ path, values: of }) =>
      of.map((value) => answer([[path, value]])),
    ),
    ...lists.map(({ path, values: of }) => answer([...usual(flat), [path, of[0]!] as const])),
    ...compared.flatMap((field) =>
      field.values.map((value) => answer([[field.path, value] as const])),
    ),
    answer(usual(fields.filter(({ path }) => path.length > 1))),
    ...pairs(decisive).map((pair) => answer([...usual(flat), ...pair])),
    // What is asked later is said early: it may have to be confirmed.
    ...(later.length === 0 ? [] : [...singles(decisive), ...pairs(decisive)]).map((said) =>
      answer([...usual([...flat, ...later]), ...said]),
    ),
  ];
}

type Said = readonly [path: readonly string[], value: Json];

function singles(fields: readonly Field[]): (readonly Said[])[] {
  return fields.flatMap(({ path, values }) =>
    values.map((value): readonly Said[] => [[path, value]]),
  );
}

/** All pairs of values of two compared fields. */
function pairs(fields: readonly Field[]): (readonly Said[])[] {
  return fields.flatMap((one, index) =>
    fields.slice(index + 1).flatMap((other) =>
      one.values.flatMap((first) =>
        other.values.map((second): readonly Said[] => [
          [one.path, first],
          [other.path, second],
        ]),
      ),
    ),
  );
}

function doneCallsOf({ directions = [] }: JsonObject): readonly Json[] {
  return (directions as readonly JsonObject[]).flatMap(({ done }) => (done ? [done] : []));
}

/** Answers that report the tasks that only the agent can complete: as done, and as not done. */
function replies(input: JsonObject): readonly GivenAnswer[] {
  const done = doneCallsOf(input);
  if (done.length === 0) return [undefined];
  return [undefined, { reply: { text: 'Done.', toolCalls: done } }, { reply: 'Not yet.' }];
}

function results(
  port: 'runAgent' | 'callTool',
  name: string,
  child: string | undefined,
  vocabulary: Vocabulary,
): readonly GivenAnswer[] {
  const data = dataWith(vocabulary);
  const fields = vocabulary.comparedFields;
  const own = vocabulary.resultFieldsOf(name);
  const single = own.flatMap((field) => [...vocabulary.valuesOf(field)]);
  // A child fails with an error that its parent catches when one of its own calls fails with it.
  const errors = [
    ...vocabulary.errorsOf(name),
    ...(child === undefined ? [] : vocabulary.errorsOfChildren),
  ];
  const hasData = Object.keys(data).length > 0;
  return [
    port === 'runAgent' ? undefined : { [port]: data },
    ...single.map((value) => ({ [port]: value })),
    ...(hasData ? [{ [port]: data }] : []),
    ...fields.flatMap((field) => [
      ...vocabulary
        .valuesOf(field)
        .map((value) => ({ [port]: dataWith(vocabulary, { [field]: value }) })),
      { [port]: without(data, field) },
    ]),
    ...combinationsOf(vocabulary).map((each) => ({ [port]: each })),
    ...errors.flatMap((error) => errorsFor(error).map((each) => failing(port, each, vocabulary))),
    failing(port, 'Unexpected', vocabulary),
    ...pairsOf(fields, vocabulary)
      .slice(0, pairsMax)
      .map((each) => ({ [port]: each })),
    ...mixedItems(vocabulary).map((each) => ({ [port]: each })),
    ...(hasData
      ? [{ [port]: {} }, { [port]: [data, data] }, { [port]: dataWithLists(vocabulary) }]
      : [{ [port]: anyText }]),
  ];
}

/** An example of the errors that a wildcard matches. */
export const anyError = 'Broken';

/**
 * Errors that the name of an error matches. `States.ALL` matches any, but not `States.Runtime` in Amazon's dialect.
 * `States.TaskFailed` matches any error of a task except a timeout. Amazon #error-names
 */
function errorsFor(name: string): readonly string[] {
  if (name === 'States.ALL') return [anyError, 'States.Runtime'];
  return name === 'States.TaskFailed' ? [anyError, 'States.Timeout'] : [name];
}

/** A failure; where the definition reads its cause as JSON, the cause is JSON. */
function failing(port: PortName, error: string, vocabulary: Vocabulary): JsonObject {
  const { Cause: cause = '' } =
    vocabulary.uses.get('Cause')?.kind === 'json' ? dataWith(vocabulary) : {};
  return { fails: { port, error, ...(cause === '' ? {} : { message: cause }) } };
}

function unique<Value>(values: readonly Value[]): readonly Value[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    const key = JSON.stringify(value) ?? '';
    return !seen.has(key) && seen.add(key);
  });
}
