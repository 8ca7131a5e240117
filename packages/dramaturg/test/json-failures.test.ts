import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { allCommands } from '../src/cli/all-commands.ts';
import { programWith } from '../src/cli/program.ts';
import { dramaturg, folderWith, type Result, smallPlan } from './command.ts';

/** The commands of the program itself, so that a new one is tested too. */
const program = await programWith(allCommands, Object.keys(allCommands));
const commands = program.commands.map((each) => [each.name(), each] as const);

/** A failure as docs/cli.md describes it. */
interface Failure {
  readonly error: string;
  readonly code: string;
  readonly hint?: string;
  readonly [field: string]: unknown;
}

/**
 * Runs a command that must fail, without and with `--json`, and compares the two.
 *
 * @returns the result with `--json`, and the failure that it prints
 */
async function fail(args: readonly string[]): Promise<{ result: Result; failure: Failure }> {
  const plain = await dramaturg(args);
  const result = await dramaturg([args[0]!, '--json', ...args.slice(1)]);
  expect(plain.code).toBeGreaterThan(0);
  expect(result).toMatchObject({ code: plain.code, stderr: plain.stderr });
  // One object in one line.
  expect(result.stdout).toMatch(/^\{.*\}\n$/);
  const failure = JSON.parse(result.stdout) as Failure;
  expect(failure.code).toMatch(/^[a-z-]+\/[a-z-]+$/);
  return { result, failure };
}

/** The text on standard error of a failure without findings. */
function sentences({ error, hint }: Failure): string {
  return `error: ${error}\n${hint === undefined ? '' : `hint: ${hint}\n`}`;
}

/** The values of the arguments of a command: all are the same path, except a store and a definition that are given. */
function argumentsOf(
  { registeredArguments }: Command,
  path: string,
  { store = path, definition = path }: { store?: string; definition?: string } = {},
): string[] {
  const values: Readonly<Record<string, string>> = { store, from: store, definition };
  return registeredArguments.map((argument) => values[argument.name()] ?? path);
}

const takes = ({ registeredArguments }: Command, names: readonly string[]) =>
  registeredArguments.some((each) => each.required && names.includes(each.name()));

describe.each(commands)('dramaturg %s --json', (name, command) => {
  test('is an option', () => {
    expect(command.options.map(({ long }) => long)).toContain('--json');
  });

  test('prints a wrong call as JSON', async () => {
    const { failure, result } = await fail([name, '--no-such-option']);
    expect(failure.code).toBe('command/wrong-call');
    expect(result.stderr).toBe(sentences(failure));
  });

  // A command without arguments has none that is wrong.
  const hasArguments = command.registeredArguments.length > 0;
  test.runIf(hasArguments)('prints files and stores that cannot exist as JSON', async () => {
    const folder = await folderWith({ 'notes.txt': 'mine' });
    const path = join(folder, 'notes.txt', 'nothing');
    const { failure, result } = await fail([name, ...argumentsOf(command, path)]);
    expect(result.stderr).toBe(sentences(failure));
  });
});

const ofStores = commands.filter(([, command]) => takes(command, ['store', 'from']));

describe.each(ofStores)('dramaturg %s --json', (name, command) => {
  test('prints a damaged store as JSON', async () => {
    const store = await folderWith({ 'store.json': 'not a store' });
    const files = await folderWith({ 'small.plan.json': smallPlan() });
    const definition = join(files, 'small.plan.json');
    const args = argumentsOf(command, join(files, 'nothing'), { store, definition });
    const { failure, result } = await fail([name, ...args]);
    expect(result.stderr).toBe(sentences(failure));
  });
});

/** For `check`, findings are results, also in JSON. */
const ofDefinitions = commands.filter(([, command]) => takes(command, ['file', 'definition']));

test.each(ofDefinitions)(
  'dramaturg %s --json prints the errors of a definition with their places',
  async (name, command) => {
    const folder = await folderWith({ 'wrong.json': '{\n  "states": ]\n}' });
    const file = join(folder, 'wrong.json');
    const store = join(folder, 'store');
    const { failure, result } = await fail([name, ...argumentsOf(command, file, { store })]);
    expect(result.code).toBe(1);
    expect(failure).toMatchObject({ file, start: { line: 2, column: 13 } });
    const report = JSON.parse((await dramaturg(['check', file, '--json'])).stdout) as {
      files: { diagnostics: unknown[] }[];
    };
    expect(failure).toHaveProperty('diagnostics', report.files[0]!.diagnostics);
  },
);

test('an instance that does not exist, and one that refuses, are told apart by code', async () => {
  const folder = await folderWith({ 'small.plan.json': smallPlan() });
  const store = join(folder, 'store');
  const file = join(folder, 'small.plan.json');
  const started = await dramaturg(['start', store, file, '--id', 'talk-1', '--contact', 'ada']);
  expect(started.code).toBe(0);
  for (const name of ['show', 'logs', 'checkpoints', 'pause'])
    expect((await fail([name, store, 'nobody'])).failure.code).toBe('host/unknown-instance');
  expect((await fail(['show', join(folder, 'none'), 'talk-1'])).failure.code).toBe('store/missing');
  expect((await fail(['tail', store])).failure.code).toBe('host/not-running');
  const page = await fail(['ps', store, '--after', 'no such page']);
  expect(page.failure.code).toBe('store/bad-request');
});

test('a value of an option is not the option --json', async () => {
  const { stdout } = await dramaturg(['cancel', '/nowhere', 'id', '--reason', '--json']);
  expect(stdout).toBe('');
});

test('secrets and control characters do not reach the JSON', async () => {
  const { failure, result } = await fail(['check', 'token=abcdef1234567890\u202E']);
  expect(result.stdout).not.toContain('abcdef1234567890');
  expect(result.stdout).not.toContain('\u202E');
  expect(failure.code).toBe('command/no-file');
});
