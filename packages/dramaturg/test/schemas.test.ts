import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isRecord, type Json } from '@dramaturg/compiler';
import { read } from '@dramaturg/compiler/format';
import { jsonSchemaOf } from '@dramaturg/compiler/shapes';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, test } from 'vitest';
import { check } from '../src/compile.ts';
import { editorSchemas } from '../src/cli/commands/schema.ts';
import { dramaturg } from './command.ts';
import { Random } from './mutations/random.ts';
import { runsAll, sampled, scaled } from '../../../.config/scaled.ts';

/** The schemas against a validator that other people wrote, with all definitions at hand. The judge is `check`. */
const root = join(import.meta.dirname, '../../..');
const corpus = join(root, '../shared/corpus');

const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false });
const validators = new Map<string, ValidateFunction>(
  editorSchemas.map(({ name, schema }) => [name, ajv.compile(jsonSchemaOf(schema))]),
);

interface Verdict {
  readonly label: string;
  readonly errors: readonly { readonly code: string; readonly message: string }[];
  /** What the schema finds; undefined when it accepts the definition. */
  readonly found: string | undefined;
}

/** What `check` and the schemas say to a value: workflows of Amazon are judged by two schemas. */
function judge(value: unknown, fileName: string | undefined, label: string): Verdict[] {
  const checked = check(JSON.stringify(value), { fileName });
  if (checked.format === undefined) return [];
  const isAmazon = isRecord(checked.definition) && checked.definition['dialect'] === 'amazon';
  return [checked.format, ...(isAmazon ? ['amazon-states'] : [])].map((name) => {
    const validate = validators.get(name)!;
    return {
      label: `${label} by ${name}`,
      errors: checked.diagnostics.filter(({ severity }) => severity === 'error'),
      found: validate(value) ? undefined : ajv.errorsText(validate.errors),
    };
  });
}

interface Definition {
  readonly value: unknown;
  readonly fileName: string | undefined;
  readonly file: string;
}

/** The definitions in files, and in the cases of the corpus as texts and as values. */
function* definitionsIn(pattern: string): Generator<Definition> {
  for (const file of globSync(pattern)) {
    const { value } = read(readFileSync(file, 'utf8'), { fileName: file });
    if (value === undefined) continue;
    yield { value, fileName: basename(file), file };
    for (const inner of innerDefinitions(value, 0))
      yield { value: inner, fileName: undefined, file };
  }
}

function* innerDefinitions(value: unknown, depth: number): Generator {
  if (depth > 3 || typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) {
    const inner = typeof part === 'string' && part.startsWith('{') ? read(part).value : part;
    if (!isRecord(inner)) continue;
    if ('States' in inner || 'states' in inner) yield inner;
    yield* innerDefinitions(inner, depth + 1);
  }
}

const patterns = ['packages/formats/*/test/fixtures/**', 'docs/**', 'apps/**'].map((folder) =>
  join(root, folder, '*.{json,yaml,yml}'),
);
const ours = patterns
  .flatMap((pattern) => [...definitionsIn(pattern)])
  .filter(({ file }) => !file.includes('node_modules'));

test('a schema finds nothing in what check accepts', () => {
  const verdicts = ours.flatMap(({ value, fileName, file }) => judge(value, fileName, file));
  const alarms = verdicts.filter(({ errors, found }) => errors.length === 0 && found);
  expect(verdicts.length).toBeGreaterThan(100);
  expect(alarms).toEqual([]);
});

// Definitions of other people, which are not part of this repository.
const foreign = sampled([...definitionsIn(join(corpus, '**/*.{json,yaml,yml}'))]);
test.skipIf(foreign.length === 0)(
  'a schema finds nothing in what check accepts of other people',
  ({ skip }) => {
    skip(!runsAll);
    const verdicts = foreign.flatMap(({ value, fileName, file }) => judge(value, fileName, file));
    const alarms = verdicts.filter(({ errors, found }) => errors.length === 0 && found);
    expect(alarms).toEqual([]);
  },
);

/** Every path of a value. */
function* pathsOf(value: unknown, path: (string | number)[] = []): Generator<(string | number)[]> {
  if (path.length > 0) yield path;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* pathsOf(item, [...path, index]);
  else if (isRecord(value))
    for (const [key, item] of Object.entries(value)) yield* pathsOf(item, [...path, key]);
}

/** A copy with another value at a path; undefined takes the value away. */
function withValue(value: unknown, path: readonly (string | number)[], other: unknown): unknown {
  const copy = structuredClone(value);
  let holder = copy as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) holder = holder[step] as typeof holder;
  const last = path.at(-1)!;
  if (other === undefined) delete holder[last];
  else holder[last] = other;
  return copy;
}

const others: readonly (Json | undefined)[] = [
  undefined,
  1,
  -1.5,
  true,
  null,
  'word',
  [],
  {},
  [1],
  { a: 1 },
];

test('a schema finds every wrong type that check finds, and nothing else', ({ skip }) => {
  skip(!runsAll);
  const random = new Random(20_261_126);
  let shapeErrors = 0;
  const disagreements: object[] = [];
  for (const { value, fileName, file } of ours) {
    if (
      fileName === undefined ||
      judge(value, fileName, file).some(({ errors }) => errors.length > 0)
    )
      continue;
    const paths = [...pathsOf(value)];
    for (let count = 0; count < scaled(30); count += 1) {
      const path = random.of(paths);
      const other = random.of(others);
      const mutant = JSON.parse(JSON.stringify(withValue(value, path, other))) as unknown;
      const label = `${file} ${JSON.stringify(path)} = ${JSON.stringify(other)}`;
      for (const { errors, found, label: by } of judge(mutant, fileName, label)) {
        const ofShape = errors.filter(({ code }) => code.startsWith('shape/'));
        shapeErrors += ofShape.length > 0 ? 1 : 0;
        const isWrong = errors.length === 0 ? found : ofShape.length > 0 && !found;
        if (isWrong) disagreements.push({ by, ofShape, found });
      }
    }
  }
  expect(disagreements).toEqual([]);
  expect(shapeErrors).toBeGreaterThan(scaled(500));
});

const small: Readonly<Record<string, object>> = {
  'a.plan.json': { title: 'A', states: [{ id: 'a', title: 'A', tasks: [] }] },
  'a.npc.json': { persona: { name: 'A' }, machines: [] },
  'a.context-graph.json': {
    new_user_initial_state: 'a',
    returning_user_initial_state: 'a',
    terminal_state: 'a',
    states: { a: { type: 'action' } },
  },
  'a.lifecycle.json': {
    initial: 'A',
    terminal: ['B'],
    states: ['A', 'B'],
    transitions: { A: { go: 'B' } },
  },
  'a.asl.json': { StartAt: 'A', States: { A: { Type: 'Succeed' } } },
};

test.each(Object.entries(small))('%s may name its schema', (fileName, definition) => {
  const $schema = './node_modules/dramaturg/schemas/any.schema.json';
  const plain = check(JSON.stringify(definition), { fileName });
  const named = check(JSON.stringify({ $schema, ...definition }), { fileName });
  expect(named.diagnostics.map(({ code, path }) => [code, path])).toEqual(
    plain.diagnostics.map(({ code, path }) => [code, path]),
  );
  expect(named.chart).toEqual(plain.chart);
  const validate = validators.get(fileName === 'a.asl.json' ? 'amazon-states' : named.format!)!;
  expect(validate({ $schema, ...definition })).toBe(true);
});

test('a wrong reference to a schema is reported like any other field', () => {
  const { diagnostics } = check(JSON.stringify({ $schema: 1, ...small['a.asl.json'] }), {
    fileName: 'a.asl.json',
  });
  expect(diagnostics.map(({ path }) => path)).toEqual([['$schema']]);
});

const workflow = (state: object, more = {}) => ({
  StartAt: 'A',
  States: { A: state },
  ...more,
});

test.each([
  ['plan', { states: [{ title: 'A' }] }],
  ['plan', { states: [{ id: 'a', tasks: {} }] }],
  ['plan', { states: [{ id: 'a', transitions: [{ condition_type: 'all_task_complete' }] }] }],
  ['npc', { persona: {}, machines: [] }],
  ['npc', { machines: [{ machine_key: 'a', states: [{ label: 'no key' }] }] }],
  ['context-graph', { states: { a: { type: 'acton' } }, terminal_state: 'a' }],
  ['lifecycle', { states: { A: { kind: 'finished' } } }],
  ['asl', workflow({ Type: 'Tsk', End: true })],
  ['asl', workflow({ Type: 'Pass', End: 'yes' })],
  ['asl', workflow({ Type: 'Wait', Seconds: -1, End: true })],
  ['amazon-states', workflow({ Type: 'Approval', End: true })],
  ['amazon-states', workflow({ Type: 'Task', Agent: 'writer', End: true })],
  ['amazon-states', workflow({ Type: 'Pass', Ends: true })],
  ['amazon-states', workflow({ Type: 'Pass', End: true }, { Imports: {} })],
])('%s: a common mistake is found', (name, definition) => {
  expect(validators.get(name)!(definition)).toBe(false);
});

test.each([
  workflow({ Type: 'Wait', Seconds: '${Delay}', End: true }),
  workflow({ Type: 'Pass', End: '${IsEnd}' }),
  workflow({
    Type: 'Task',
    Resource: { Ref: 'Function' },
    TimeoutSeconds: { Ref: 'Limit' },
    End: true,
  }),
  workflow({ Type: 'Task', Resource: '${Function}', Retry: '${Retries}', End: true }),
])('a placeholder of a deployment tool may stand for any value', (definition) => {
  expect(judge(definition, 'a.asl.json', '')).toMatchObject([
    { errors: [], found: undefined },
    { errors: [], found: undefined },
  ]);
});

describe.each(editorSchemas)('the schema $name', ({ schema }) => {
  test('describes every field', () => {
    const fields = new Map<string, unknown>();
    const look = (part: unknown): void => {
      if (Array.isArray(part)) for (const item of part) look(item);
      if (!isRecord(part)) return;
      const { if: _, properties, ...rest } = part;
      if (isRecord(properties))
        for (const [name, field] of Object.entries(properties)) {
          if (isRecord(field) && 'const' in field) continue;
          if (name !== '$schema') fields.set(name, isRecord(field) && field['description']);
          look(field);
        }
      Object.values(rest).forEach(look);
    };
    look(jsonSchemaOf(schema));
    const undescribed = [...fields].filter(([, text]) => typeof text !== 'string');
    expect(undescribed.map(([name]) => name)).toEqual([]);
    expect(fields.size).toBeGreaterThan(20);
  });
});

test('dramaturg schema prints what the package ships', async () => {
  for (const { name } of editorSchemas) {
    const { stdout, code } = await dramaturg(['schema', name]);
    const shipped = join(root, `packages/dramaturg/schemas/${name}.schema.json`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(shipped, 'utf8')));
  }
});

test('dramaturg schema lists the schemas, and knows a slip', async () => {
  const { schemas } = JSON.parse((await dramaturg(['schema', '--json'])).stdout) as {
    schemas: { name: string; file: string; fileMatch: string[] }[];
  };
  expect(schemas.map(({ name }) => name)).toEqual(editorSchemas.map(({ name }) => name));
  expect(await dramaturg(['schema', 'plam'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: There is no schema "plam".\nhint: Did you mean "plan"?\n',
  });
});
