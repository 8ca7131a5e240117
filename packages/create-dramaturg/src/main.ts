import { existsSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { type Answers, defaults, isTemplate, templates, templateTitles } from './answers.ts';
import type { NewFile } from './definition-template.ts';
import { projectFiles } from './project.ts';

const usage = `Usage: npm create dramaturg@latest [folder] -- [options]

Makes a project that runs, is tested, and needs no key. Asks on a terminal what the options do not say.

Options:
  --template <name>  ${Object.keys(templateTitles).join(', ')}
  --service          a service that keeps its instances; --no-service: a program for the terminal
  --model            a language model answers when there is a key; --no-model: none
  --json             print one JSON value
  -h, --help         explain the command

Templates:
${Object.entries(templateTitles)
  .map(([name, title]) => `  ${name.padEnd(14)}${title}`)
  .join('\n')}

Examples:
  $ npm create dramaturg@latest
  $ npm create dramaturg@latest intake -- --template conversation --service --no-model
  $ pnpm create dramaturg refunds --template workflow
`;

/** Runs the command `create-dramaturg`. @returns the exit code: 0, or 2 for a mistake of the caller */
export async function main(args: readonly string[]): Promise<number> {
  const given = readArguments(args);
  if ('error' in given) return complain(given, args.includes('--json'));
  if (given.help) {
    process.stdout.write(usage);
    return 0;
  }
  const { json } = given;
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !json;
  const answers = isTerminal ? await ask(given.answers) : { ...defaults, ...given.answers };
  const files = projectFiles(answers);
  if (existsSync(answers.folder) && !statSync(answers.folder).isDirectory())
    return complain(
      { error: `"${answers.folder}" is not a folder.`, hint: 'Name a new folder.' },
      json,
    );
  const existing = await writeNewFiles(answers.folder, files);
  if (existing.length > 0)
    return complain(
      {
        error: `The folder "${answers.folder}" has ${existing.map((name) => `"${name}"`).join(', ')} already.`,
        hint: 'Name a new folder.',
      },
      json,
    );
  if (json) {
    const names = files.map(({ name }) => name);
    process.stdout.write(`${JSON.stringify({ ...answers, files: names })}\n`);
  } else process.stdout.write(nextSteps(answers));
  return 0;
}

function complain({ error, hint }: Complaint, isJson: boolean): number {
  process.stderr.write(`error: ${error}\nhint: ${hint}\n`);
  if (isJson)
    process.stdout.write(`${JSON.stringify({ error, code: 'create/wrong-call', hint })}\n`);
  return 2;
}

function nextSteps({ folder }: Answers): string {
  const [, manager = 'npm'] =
    /^(npm|pnpm|bun|yarn)\//.exec(process.env['npm_config_user_agent'] ?? '') ?? [];
  const path = relative('.', resolve(folder));
  const shown = path.startsWith('..') && isAbsolute(folder) ? folder : path;
  const enter = shown === '' ? '' : `  cd ${/\s/.test(shown) ? JSON.stringify(shown) : shown}\n`;
  // "bun test" looks for tests of Bun's own.
  const run = manager === 'bun' ? 'bun run' : manager;
  return `Made the project. Next:\n${enter}  ${manager} install\n  ${run} start\n  ${run} test\n`;
}

/**
 * Writes files into a folder, which is created if needed. Never overwrites: when one of them exists, none is written.
 *
 * @returns the names of the files that exist already; empty when all were written
 */
export async function writeNewFiles(folder: string, files: readonly NewFile[]): Promise<string[]> {
  const existing = files.map(({ name }) => name).filter((name) => existsSync(join(folder, name)));
  if (existing.length > 0) return existing;
  for (const { name, text } of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
  }
  return [];
}

/** Asks a person at a terminal for the answers that are not known yet. */
async function ask(known: Partial<Answers>): Promise<Answers> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const folder =
      known.folder ??
      ((await terminal.question(`Folder (${defaults.folder}): `)) || defaults.folder);
    const template = known.template ?? (await askTemplate(terminal));
    const service =
      known.service ?? (await isYes(terminal, 'With a service that keeps its instances?'));
    const model =
      template !== 'workflow' &&
      (known.model ?? (await isYes(terminal, 'With a language model, when there is a key?')));
    return { folder, template, service, model };
  } finally {
    terminal.close();
  }
}

async function askTemplate(terminal: Interface): Promise<Answers['template']> {
  const rows = Object.entries(templateTitles);
  const list = rows.map(([name, title], index) => `  ${index + 1}  ${name}: ${title}\n`).join('');
  for (;;) {
    const given = await terminal.question(`What shall it be?\n${list}Number or name (1): `);
    const name = rows[Number(given || 1) - 1]?.[0] ?? given.trim();
    if (isTemplate(name)) return name;
  }
}

async function isYes(terminal: Interface, question: string): Promise<boolean> {
  return /^y/i.test(await terminal.question(`${question} (y/N): `));
}

interface Arguments {
  /** The questions that the arguments answer. */
  readonly answers: Partial<Answers>;
  readonly help: boolean;
  readonly json: boolean;
}

/** A mistake of the caller, and the next thing to do. */
interface Complaint {
  readonly error: string;
  readonly hint: string;
}

const hint = 'Run "npm create dramaturg -- --help" to see the options.';

function readArguments(args: readonly string[]): Arguments | Complaint {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      allowNegative: true,
      options: {
        template: { type: 'string' },
        service: { type: 'boolean' },
        model: { type: 'boolean' },
        help: { type: 'boolean', short: 'h', default: false },
        json: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return { error: (error as Error).message.split('. ')[0]!.replace(/\.?$/, '.'), hint };
  }
  const { positionals, values } = parsed;
  const { template, service, model, help, json } = values;
  const [folder, ...others] = positionals;
  if (others.length > 0) return { error: 'There is more than one folder.', hint };
  if (template !== undefined && !isTemplate(template))
    return {
      error: `There is no template "${template}".`,
      hint: `The templates are ${Object.keys(templates).join(', ')}.`,
    };
  if (template === 'workflow' && model === true)
    return {
      error: 'A workflow calls agents, and no model.',
      hint: 'Leave out --model, and call a model in agents.js.',
    };
  return {
    answers: {
      ...(folder !== undefined && { folder }),
      ...(template !== undefined && { template }),
      ...(service !== undefined && { service }),
      ...(model !== undefined && { model }),
    },
    help,
    json,
  };
}
