import { check, type Json, type JsonObject } from '@dramaturg/compiler';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asl } from '../../src/index.ts';
import { failure, run } from '../run.ts';
import { scaled } from '../../../../../.config/scaled.ts';

/*
 * Random workflows and their runs. A path that is reported must fail in every run that comes to it; so must one that is
 * reported on a way, in every run that takes this way.
 */

const Resource = 'arn:aws:lambda:eu-west-1:123456789012:function:f';

const fieldName = fc.constantFrom('a', 'b', 'c');

/** Data in which most paths lead somewhere, so that runs get far. */
function full(depth: number): fc.Arbitrary<Json> {
  const scalar = fc.constantFrom<Json>(1, 'x');
  if (depth === 0) return scalar;
  const deep = full(depth - 1);
  const fields = fc.record({ a: deep, b: deep, c: deep });
  return fc.oneof(
    { weight: 8, arbitrary: fields },
    { weight: 1, arbitrary: fc.record({ a: deep, c: deep }) },
    { weight: 1, arbitrary: fc.array(deep, { maxLength: 2 }) },
    { weight: 1, arbitrary: scalar },
  );
}
const value = full(2);
const object = fc.oneof(
  { weight: 2, arbitrary: fc.record({ a: value, b: value, c: value }) },
  { weight: 3, arbitrary: fc.record({ a: value, b: value }) },
  { weight: 2, arbitrary: fc.record({ a: full(1) }) },
) as fc.Arbitrary<JsonObject>;

const place = fc.constantFrom(
  '$.a',
  '$.b',
  '$.c',
  '$.c',
  '$.d',
  '$.d',
  '$.a.b',
  '$.a.b.c',
  '$.d.a',
);
const anyPath = fc.oneof(
  { weight: 6, arbitrary: place },
  { weight: 1, arbitrary: fc.constantFrom('$', '$.a[0]', '$[0].a', '$[1]', '$.b[0].c', '$.Error') },
  { weight: 1, arbitrary: fc.constantFrom('$x', '$x', '$y', '$x.a') },
);
const template = fc
  .uniqueArray(fc.tuple(fieldName, fc.oneof(anyPath, value)), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 2,
  })
  .map((fields) =>
    Object.fromEntries(
      fields.map(([name, part]): [string, Json] =>
        typeof part === 'string' && part.startsWith('$') ? [`${name}.$`, part] : [name, part],
      ),
    ),
  );
const assign = fc.oneof(
  fc.record({ x: value }),
  fc.record({ y: value }),
  fc.record({ 'x.$': anyPath }),
  fc.record({ 'y.$': anyPath }),
);
const resultPath = fc.constantFrom<string | null>('$', '$.a', '$.c', '$.d', '$.a.b', null);

function optional(fields: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<JsonObject> {
  return fc.record(fields, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
}

const pass = fc
  .oneof(
    optional({ Result: object, ResultPath: resultPath, OutputPath: anyPath, Assign: assign }),
    optional({ InputPath: anyPath, Parameters: template, ResultPath: resultPath, Assign: assign }),
    optional({ Parameters: template, ResultPath: resultPath }),
    fc.record({ Result: object }),
  )
  .map((fields): JsonObject => ({ Type: 'Pass', ...fields }));

const task = optional({
  Parameters: template,
  ResultSelector: template,
  ResultPath: resultPath,
  Assign: assign,
}).map((fields): JsonObject => ({ Type: 'Task', Resource, ...fields }));

const expression = fc.constantFrom<Json>(
  ...[
    '$states.input.a',
    '$states.input.a.b',
    '$states.input.b',
    '$states.input.c.a',
    '$x',
    '$y.a',
  ].map((source) => `{% ${source} %}`),
);
const jsonata = optional({
  Output: fc.oneof(
    expression,
    fc.dictionary(fieldName, fc.oneof(expression, value), {
      noNullPrototype: true,
    }),
  ),
  Assign: fc.oneof(fc.record({ x: expression }), fc.record({ y: expression })),
}).map((fields): JsonObject => ({ Type: 'Pass', QueryLanguage: 'JSONata', ...fields }));

const maker = fc.oneof(
  fc.record({ Type: fc.constant('Pass'), Result: object }),
  fc.record({ Type: fc.constant('Pass'), Result: value, ResultPath: resultPath }),
  fc.record({ Type: fc.constant('Pass'), Assign: fc.record({ x: value }) }),
) as fc.Arbitrary<JsonObject>;

const simple = fc.oneof(
  { weight: 3, arbitrary: maker },
  { weight: 4, arbitrary: pass },
  { weight: 2, arbitrary: task },
  { weight: 2, arbitrary: jsonata },
);

/** States in their order; each leads to the next one. */
function machine(states: readonly JsonObject[], prefix: string): JsonObject {
  const name = (index: number) => `${prefix}${index}`;
  const entries = states.map((state, index): [string, JsonObject] => {
    const lead: JsonObject =
      index === states.length - 1 ? { End: true } : { Next: name(index + 1) };
    return [name(index), { ...state, ...lead }];
  });
  return { StartAt: name(0), States: Object.fromEntries(entries) };
}

/** A state without its lead, and the states of its machines. */
interface Draft {
  readonly fields: JsonObject;
  readonly machines: readonly (readonly JsonObject[])[];
}

const inner = fc.array(simple, { minLength: 1, maxLength: 2 });
const parallelFields = { Parameters: template, ResultSelector: template, ResultPath: resultPath };
const parallel = fc
  .tuple(inner, inner, optional(parallelFields))
  .map(([one, two, fields]): Draft => ({
    fields: { Type: 'Parallel', ...fields },
    machines: [one, two],
  }));
const map = fc
  .tuple(
    inner,
    optional({ ItemSelector: template, ResultPath: resultPath }),
    fc.constantFrom('$.a', '$.b', '$'),
  )
  .map(([one, fields, ItemsPath]): Draft => ({
    fields: { Type: 'Map', ItemsPath, ...fields },
    machines: [one],
  }));

const comparison = fc.oneof(
  fc.record({ Variable: place, IsPresent: fc.boolean() }),
  fc.record({ Variable: place, StringEquals: fc.constant('x') }),
);
const condition: fc.Arbitrary<JsonObject> = fc.oneof(
  comparison,
  fc.record({ And: fc.tuple(comparison, comparison) }),
  fc.record({ Or: fc.tuple(comparison, comparison) }),
  fc.record({ Not: comparison }),
);
const choice = fc
  .array(condition, { minLength: 1, maxLength: 2 })
  .map((Choices): JsonObject => ({ Type: 'Choice', Choices }));

const workflow = fc
  .tuple(
    fc.array(
      fc.oneof(
        {
          weight: 9,
          arbitrary: fc
            .oneof(simple, simple, choice)
            .map((fields): Draft => ({ fields, machines: [] })),
        },
        { weight: 1, arbitrary: parallel },
        { weight: 1, arbitrary: map },
      ),
      { minLength: 2, maxLength: 7 },
    ),
    fc.array(fc.nat(6), { minLength: 12, maxLength: 12 }),
  )
  .map(([drafts, picks]) => withLeads(drafts, picks));

/** Gives each state somewhere to go: mostly forwards; only tasks go back, because their agent ends a loop. */
function withLeads(drafts: readonly Draft[], picks: readonly number[]): JsonObject {
  let used = 0;
  const pick = () => picks[used++ % picks.length]!;
  const name = (index: number) => (index >= drafts.length ? 'End' : `S${index}`);
  const later = (index: number) => name(index + 1 + (pick() % 2));
  const led = ({ fields, machines: [one, two] }: Draft, index: number): JsonObject => {
    const Next = later(index);
    switch (fields['Type']) {
      case 'Choice': {
        const rules = fields['Choices'] as JsonObject[];
        return {
          ...fields,
          Choices: rules.map((rule) => ({ ...rule, Next: later(index) })),
          Default: Next,
        };
      }
      case 'Parallel':
        return {
          ...fields,
          Branches: [machine(one!, `S${index}P`), machine(two!, `S${index}Q`)],
          Next,
        };
      case 'Map':
        return { ...fields, ItemProcessor: machine(one!, `S${index}M`), Next };
      case 'Task': {
        const next = pick() === 0 ? name(pick() % drafts.length) : Next;
        const stored = pick() < 3 ? {} : { ResultPath: '$.b' };
        const caught = { ErrorEquals: ['Soft'], Next: later(index), ...stored };
        // The names of states tell a way only when they tell errors apart.
        const isCaught = pick() < 3 && caught.Next !== next;
        return { ...fields, Next: next, ...(isCaught && { Catch: [caught] }) };
      }
      default:
        return { ...fields, Next };
    }
  };
  const states = Object.fromEntries(drafts.map((draft, index) => [name(index), led(draft, index)]));
  return { StartAt: 'S0', States: { ...states, End: { Type: 'Succeed' } } };
}

interface Reported {
  readonly code: string;
  readonly state: string;
  /** The field of the state and what is in it. */
  readonly field: readonly (string | number)[];
  readonly way: readonly string[];
}

function reportedIn(definition: JsonObject): readonly Reported[] | undefined {
  const { diagnostics } = check(JSON.stringify(definition), { formats: [asl], format: 'asl' });
  if (diagnostics.some(({ severity }) => severity === 'error')) return undefined;
  return diagnostics
    .filter(({ code }) => /^asl\/(?:unset-|not-always-set)/.test(code))
    .map(({ code, path: at, message }) => {
      const start = at.lastIndexOf('States') + 1;
      const way = / on the way (.*)\.$/.exec(message)?.[1];
      return {
        code,
        state: String(at[start]),
        field: at.slice(start + 1),
        way: way?.includes('…') ? [] : (way?.match(/[^" →]+/g) ?? []),
      };
    });
}

/** Whether a state cannot be left in the usual way when a field of it fails. */
function mustFail({ field }: Reported): boolean {
  // Choices may decide before they come to it. A Map without items selects no input for them.
  return field[0] !== 'Choices' && field[0] !== 'ItemSelector' && field[0] !== 'Catch';
}

const counts = { reported: 0, failed: 0, ways: 0, succeeded: 0 };

async function judgeRuns(
  definition: JsonObject,
  runs: readonly (readonly [input: JsonObject, answers: readonly Json[]])[],
): Promise<readonly string[]> {
  const reported = reportedIn(definition);
  fc.pre(reported !== undefined);
  const violations: string[] = [];
  for (const [input, answers] of runs) {
    let calls = 0;
    const agent = () => {
      calls += 1;
      if (calls > 20) throw failure('Hard');
      const answer = answers[calls % answers.length];
      if (answer === null || answer === undefined) throw failure('Soft');
      return answer;
    };
    const { events, output } = await run(definition, { input, agents: { [Resource]: agent } });
    if (output?.status === 'succeeded') counts.succeeded += 1;
    violations.push(
      ...violationsOf(reported, events as unknown as readonly JsonObject[], definition),
    );
  }
  return violations;
}

const answers = fc.array(fc.option(value, { freq: 3 }), { minLength: 1, maxLength: 4 });

test('in any workflow', async () => {
  const runs = fc.array(fc.tuple(object, answers), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(workflow, runs, async (definition, inputs) => {
      expect(await judgeRuns(definition, inputs)).toEqual([]);
    }),
    { numRuns: scaled(120), seed: 18 },
  );
});

/** The data is known, two ways add to it, and the sum is read where they meet. */
const added = fc.oneof(
  fc.record({ Result: full(1), ResultPath: fc.constantFrom('$.b', '$.c', '$.d', '$.a.e') }),
  fc.record({ ResultPath: fc.constant(null), Assign: fc.record({ x: full(1) }) }),
  fc.record({ ResultPath: fc.constant(null), Assign: fc.record({ y: full(1) }) }),
) as fc.Arbitrary<JsonObject>;
const asked = fc.constantFrom<JsonObject>(
  { BooleanEquals: true },
  { BooleanEquals: true },
  { Variable: '$.c', IsPresent: true },
  { Variable: '$.b', IsPresent: false },
);
const readAtEnd = fc.constantFrom(
  '$.a',
  '$.b',
  '$.c',
  '$.d.a',
  '$.a.e',
  '$.b.a',
  '$x',
  '$y',
  '$y.b',
);
const diamonds = fc
  .array(fc.tuple(asked, added, fc.option(added), readAtEnd), { minLength: 1, maxLength: 3 })
  .map((parts) => {
    const flags = Object.fromEntries(parts.map((_, index) => [`f${index}.$`, `$.f${index}`]));
    const states = parts.flatMap(([question, left, right, path], index): [string, JsonObject][] => {
      const [l, r, join] = [`L${index}`, `R${index}`, `J${index}`];
      const rule = { Variable: `$.f${index}`, ...question, Next: l };
      const next = index === parts.length - 1 ? 'End' : `Ask${index + 1}`;
      return [
        [`Ask${index}`, { Type: 'Choice', Choices: [rule], Default: right ? r : join }],
        [l, { Type: 'Pass', ...left, Next: join }],
        ...(right ? [[r, { Type: 'Pass', ...right, Next: join }] as [string, JsonObject]] : []),
        [join, { Type: 'Pass', Parameters: { 'x.$': path }, ResultPath: null, Next: next }],
      ];
    });
    const start = { Type: 'Pass', Parameters: { ...flags, a: { b: 1 } }, Next: 'Ask0' };
    return {
      StartAt: 'Start',
      States: { Start: start, ...Object.fromEntries(states), End: { Type: 'Succeed' } },
    };
  });

test('where ways meet', async () => {
  const inputs = [0, 1, 2, 3, 4, 5, 6, 7].map((bits): [JsonObject, Json[]] => [
    { f0: (bits & 1) > 0, f1: (bits & 2) > 0, f2: (bits & 4) > 0 },
    [],
  ]);
  await fc.assert(
    fc.asyncProperty(diamonds, async (definition) => {
      expect(await judgeRuns(definition, inputs)).toEqual([]);
    }),
    { numRuns: scaled(100), seed: 18 },
  );
});

test('many paths were reported, many runs came to them, and many worked', () => {
  expect(counts.reported).toBeGreaterThan(scaled(200));
  expect(counts.failed).toBeGreaterThan(scaled(50));
  expect(counts.ways).toBeGreaterThan(scaled(20));
  expect(counts.succeeded).toBeGreaterThan(scaled(50));
});

/** What works in a run although it is reported. */
function violationsOf(
  reported: readonly Reported[],
  events: readonly JsonObject[],
  definition: JsonObject,
): readonly string[] {
  const entered = new Set(
    events.filter(({ type }) => type === 'state.entered').map(({ state }) => state),
  );
  counts.reported += reported.length;
  counts.failed += reported.filter(({ state }) => entered.has(state)).length;
  const visited: string[] = [];
  const violations: string[] = [];
  for (const [index, { type, state }] of events.entries()) {
    if (type === 'state.entered') {
      visited.push(state as string);
      counts.ways += reported.filter((one) => one.way.join() === visited.join()).length;
    }
    if (type !== 'state.exited' || wasCaught(events, index, definition)) continue;
    for (const one of reported) {
      const applies = one.code !== 'asl/not-always-set' || one.way.join() === visited.join();
      if (one.state !== state || !mustFail(one) || !applies) continue;
      violations.push(
        `${one.code} ${one.state} ${one.field.join('.')}: ${JSON.stringify(definition)}`,
      );
    }
  }
  return violations;
}

/** Whether a task has failed, and its catcher goes on. */
function wasCaught(
  events: readonly JsonObject[],
  exit: number,
  { States: states }: JsonObject,
): boolean {
  const state = (states as Record<string, JsonObject | undefined>)[
    events[exit]!['state'] as string
  ];
  const catchers = state?.['Catch'] as readonly JsonObject[] | undefined;
  const next = events.slice(exit).find(({ type }) => type === 'state.entered');
  return catchers !== undefined && next?.['state'] === catchers[0]!['Next'];
}
