import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv } from 'ajv';
import { compile, providePorts } from '@dramaturg/compiler';
import type { DataTypes } from '@dramaturg/compiler/format';
import { understudyPorts } from '@dramaturg/understudy';
import { createActor, waitFor } from 'xstate';
import { expect, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import { check } from '../src/compile.ts';
import { formatNamed, formats } from '../src/known-formats.ts';
import { typescriptOf } from '../src/cli/commands/types.ts';
import { dramaturg, examples, folderWith, smallPlan } from './command.ts';

const root = join(import.meta.dirname, '../../..');
const tsc = join(root, 'node_modules/.bin/tsc');

/** Compiles TypeScript with all checks. @returns what the compiler says; nothing when it is content */
function compiled(folder: string): string {
  const flags = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--target',
    'es2023',
    '--types',
    '',
  ];
  try {
    execFileSync(tsc, [...flags, ...globSync(join(folder, '*.ts'))], { encoding: 'utf8' });
    return '';
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

function typesOf(text: string, fileName: string): DataTypes | undefined {
  const { definition, chart, format } = check(text, { fileName });
  return chart && formatNamed(format)?.dataTypes?.(definition);
}

test('the types of every definition compile', async () => {
  const folder = await folderWith({});
  const files = globSync(
    join(root, '{packages/formats/*/test/fixtures,docs/examples}/**/*.{json,yaml}'),
  );
  const seen = new Set<string>();
  for (const [index, file] of files.entries()) {
    const types = typesOf(readFileSync(file, 'utf8'), basename(file));
    if (!types) continue;
    seen.add(
      formats.find(({ suffixes }) => suffixes.some((one) => file.endsWith(one)))?.name ?? '',
    );
    writeFileSync(join(folder, `t${index}.d.ts`), typescriptOf(types, `T${index}`));
  }
  for (const { name } of formats) expect(seen).toContain(name);
  expect(compiled(folder)).toBe('');
});

const hostile = JSON.stringify({
  title: 'A',
  session_context: {
    fields: [
      { id: 'a-b', label: 'x */ export const y = 1; /*', type: 'select', options: ["it's", 'a\\'] },
    ],
  },
  states: [
    {
      id: "quote's\n",
      title: 'A',
      tasks: [
        {
          id: 't',
          description: 'd',
          deliverables: [
            { key: '__proto', description: '*/ broken' },
            { key: 'constructor', type: 'number' },
          ],
        },
      ],
    },
  ],
});

test('no text of a definition is more than a name or a comment', async () => {
  const types = typesOf(hostile, 'a.plan.json')!;
  const text = typescriptOf(types, 'A');
  const folder = await folderWith({ 'a.ts': text });
  expect(compiled(folder)).toBe('');
  expect(text).not.toMatch(/^export const/m);
  expect(text).toContain('readonly "a-b": "it\'s" | "a\\\\"');
});

test('what the types say is what conversations give and workflows take', async ({ skip }) => {
  skip(!runsAll);
  const text = readFileSync(join(examples, 'customer-intake.plan.json'), 'utf8');
  const { machine, definition } = compile(text, { formats });
  const actor = createActor(providePorts(machine!, understudyPorts()));
  actor.start();
  for (const said of ['Maria', '4711-B', 'technical', 'The screen stays dark', 'yes']) {
    await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
    actor.send({ type: 'message.received', text: said });
  }
  const { output } = await waitFor(actor, ({ status }) => status === 'done');
  const types = formatNamed('plan')!.dataTypes!(definition);
  const ajv = new Ajv({ strictTypes: false, strictRequired: false });
  const validate = ajv.compile({ $ref: '#/definitions/Output', definitions: types });
  expect(validate(output)).toBe(true);
  expect(validate({ ...(output as object), state: 'elsewhere' })).toBe(false);

  const folder = await folderWith({
    'types.ts': typescriptOf(types, 'Intake'),
    'good.ts': `import type { IntakeOutput } from './types'; export const one: IntakeOutput = ${JSON.stringify(output)};`,
  });
  expect(compiled(folder)).toBe('');
  writeFileSync(
    join(folder, 'bad.ts'),
    `import type { IntakeOutput } from './types'; export const one: IntakeOutput = ${JSON.stringify({ ...(output as object), state: 'elsewhere' })};`,
  );
  expect(compiled(folder)).toContain('"elsewhere"');
});

test('dramaturg types writes the types of several files to one', async () => {
  const cwd = await folderWith({
    'small.plan.json': smallPlan(),
    'other-talk.plan.json': smallPlan(),
  });
  const { code, stdout } = await dramaturg(['types', '*.plan.json', '-o', 'types.ts', '--json'], {
    cwd,
  });
  expect({ code, value: JSON.parse(stdout) as object }).toEqual({
    code: 0,
    value: { file: 'types.ts' },
  });
  const text = readFileSync(join(cwd, 'types.ts'), 'utf8');
  expect(text).toContain(
    'export interface SmallDeliverables {\n  /** What is your name? */\n  readonly name?: string;\n}',
  );
  expect(text).toContain('export interface OtherTalkInput');
  expect(compiled(cwd)).toBe('');
});

test.each([
  [['types', 'nothing.plan.json'], 2, 'There is no file "nothing.plan.json".'],
  [['types', 'wrong.plan.json'], 1, 'plan/'],
  [['types', 'a/same.plan.json', 'same.asl.json'], 2, 'There is no file'],
  [['types', 'same.plan.json', 'same.lifecycle.json'], 2, 'would have the same names: SameInput.'],
  [['types', 'notes.txt'], 1, 'error'],
  [['types'], 2, "Missing required argument 'files'."],
])('%j is refused', async (args, code, error) => {
  const cwd = await folderWith({
    'notes.txt': 'nothing',
    'wrong.plan.json': '{ "states": [] }',
    'same.plan.json': smallPlan(),
    'same.lifecycle.json': JSON.stringify({
      initial: 'A',
      terminal: ['B'],
      states: ['A', 'B'],
      transitions: { A: { go: 'B', pause: 'B', cancel: 'B' } },
    }),
  });
  const result = await dramaturg(args, { cwd });
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toContain(error);
});
