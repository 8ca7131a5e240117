import { type Compiled, InputError, type JsonObject } from '@dramaturg/compiler';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { compile } from '../compile.ts';
import { command, examples } from './command.ts';
import { tellProblems } from './compile.ts';
import { type Conversation, prepare } from './conversation/hold.ts';
import { type Person, personOfLines, personOfPipe } from './conversation/person.ts';
import { readScript } from './conversation/script.ts';
import { fillIn, incompleteInput, readInput, sessionFields } from './conversation/session.ts';
import { personAtTerminal, type TerminalPerson } from './conversation/terminal.ts';
import {
  type DefinitionOptions,
  requireOptions,
  withDefinitionOptions,
  optionsFor,
} from './definition-options.ts';
import { readText, standardInput } from './files.ts';
import { outputTo } from './output.ts';
import { type ExitCode, exitCodes, UsageError } from './usage.ts';
import { lineView } from './view/lines.ts';
import { stageView } from './view/stage.ts';
import { collect } from './host/options.ts';
import { performWorkflow } from './workflow/perform.ts';

interface RunOptions extends DefinitionOptions {
  readonly script?: string;
  readonly input?: string;
  readonly json?: true;
  readonly speed?: number;
  readonly agents?: string;
  readonly definition?: readonly string[];
  readonly wait: boolean;
}

/** Words a second at a terminal: fast, and still seen to be spoken. */
const usualSpeed = 25;

export function runCommand(done: (code: ExitCode) => void): Command {
  return withDefinitionOptions(command('run'))
    .summary('hold a conversation, or run a workflow, in the terminal')
    .description(
      'Holds the conversation of a definition in the terminal, or runs a workflow and prints its steps. The understudy, which is no language model and needs no key, plays the agent.',
    )
    .argument('<file>', 'the definition; "-" is standard input')
    .option(
      '--script <file>',
      'take the person\'s lines from a file: those that begin with ">", or all when none does',
    )
    .option(
      '--input <json>',
      'the input of a workflow, or the fields that are asked for before a conversation: inline JSON, or a file with JSON',
    )
    .option(
      '--agents <module>',
      'a JavaScript module that exports the agents of a workflow, a function for each',
    )
    .option(
      '--definition <name=file>',
      'a workflow that this one runs; may be repeated; others are looked for beside it, as name.asl.json',
      collect,
    )
    .option('--no-wait', 'let the waits, timeouts and retries of a workflow take no time')
    .option('--json', 'print every event as a line of JSON')
    .addOption(
      new Option(
        '--speed <number>',
        `words a second; 0 is at once (default: ${usualSpeed} at a terminal, else 0)`,
      ).argParser(readSpeed),
    )
    .addHelpText(
      'after',
      `
Without --script the person's lines are typed, or read from a pipe: each is a
message, or decides on an approval of a workflow. The exit code of a workflow is
0 when it succeeds, 4 when it fails or times out, and 5 when it waits for
somebody who is not here.
${examples([
  'dramaturg run intake.plan.json',
  'dramaturg run intake.plan.json --script ada.transcript --speed 0',
  `printf 'Ada\\n4711\\n' | dramaturg run intake.plan.json --json`,
  `dramaturg run intake.plan.json --input '{"session": {"company": "Acme"}}'`,
  `dramaturg run order.asl.json --input order.json --agents ./agents.mjs`,
  `dramaturg run order.asl.json --input '{"total": 12}' --no-wait --json`,
])}`,
    )
    .action(async (file: string, options: RunOptions) => {
      done(await runFile(file, options));
    });
}

function readSpeed(given: string): number {
  const speed = Number(given);
  if (given.trim() === '' || !(speed >= 0))
    throw new InvalidArgumentError('It is a number of words, 0 or more.');
  return speed;
}

async function runFile(file: string, options: RunOptions): Promise<ExitCode> {
  if (file === standardInput && options.script === undefined) {
    throw new UsageError(
      'Standard input cannot be both the definition and the person.',
      "Name the file of the definition, or give the person's lines with --script.",
    );
  }
  const text = await readText(file);
  const compiled = compile(text, {
    fileName: file === standardInput ? undefined : file,
    format: options.format,
    options: await optionsFor(text, file, options),
  });
  requireOptions(compiled);
  tellProblems(compiled, file);
  if (!compiled.machine) return exitCodes.errorsFound;
  if (compiled.format === 'asl') return performWorkflow(compiled, file, options);
  if (compiled.format === 'lifecycle') {
    throw new UsageError(
      'A lifecycle is a table of states and events and not a conversation, so there is nobody to talk to.',
      `A diagram of it: dramaturg compile ${file} --to mermaid. In a program, createActor(machine) takes the events of the table.`,
    );
  }
  if (options.agents !== undefined) {
    throw new UsageError(
      'Only workflows have agents.',
      'Leave out --agents: the understudy plays the agent of a conversation.',
    );
  }

  const script =
    options.script === undefined
      ? undefined
      : readScript(await readText(options.script), options.script);
  const input = await readInput(options.input, compiled);
  const leaving = new AbortController();
  const interrupt = () => leaving.abort();
  process.once('SIGINT', interrupt);
  const person = personFor(script, options, interrupt);
  try {
    await perform({ compiled, file, input, options, person, stop: leaving.signal });
  } finally {
    person.leave();
    process.off('SIGINT', interrupt);
  }
  return exitCodes.fine;
}

function personFor(
  script: readonly string[] | undefined,
  { json }: RunOptions,
  onLeave: () => void,
): Person | TerminalPerson {
  if (script) return personOfLines(script);
  if (!process.stdin.isTTY) return personOfPipe(process.stdin);
  return personAtTerminal(process.stdin, json ? process.stderr : process.stdout, onLeave);
}

interface Performance {
  readonly compiled: Compiled;
  readonly file: string;
  readonly input: JsonObject;
  readonly options: RunOptions;
  readonly person: Person | TerminalPerson;
  readonly stop: AbortSignal;
}

async function perform(performance: Performance): Promise<void> {
  const { compiled, options, person, stop } = performance;
  const output = outputTo(process.stdout);
  const view = options.json ? lineView(output) : stageView(output);
  const speed = options.speed ?? (output.isTerminal && !options.json ? usualSpeed : 0);
  const rehearse = (input: JsonObject) =>
    prepare({ machine: compiled.machine!, input, view, wordDelay: speed > 0 ? 1000 / speed : 0 });

  const begin = () =>
    view.begin({ title: titleOf(compiled), description: compiled.chart?.description ?? '' });
  const conversation = await filledIn(performance, rehearse, begin);
  const ending = conversation ? await conversation.hold(person, stop) : nothing;
  view.end({ ...ending, next: howToGoOn(performance) });
}

const nothing = { outcome: 'unfinished', state: '', deliverables: {}, open: [] } as const;

/** The conversation with the form before it filled in; undefined when the person leaves instead. */
async function filledIn(
  { compiled, file, input, options, person }: Performance,
  rehearse: (input: JsonObject) => Conversation,
  begin: () => void,
): Promise<Conversation | undefined> {
  const fields = sessionFields(compiled);
  try {
    const conversation = rehearse(input);
    begin();
    return conversation;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const given = (input['session'] ?? {}) as JsonObject;
    const isComplete = fields.every(({ id }) => Object.hasOwn(given, id));
    if (!('ask' in person) || isComplete) throw incompleteInput(error.problems, fields, file);
    begin();
    const session = await fillIn(
      fields,
      given,
      person,
      outputTo(options.json ? process.stderr : process.stdout),
    );
    return session && rehearse({ ...input, session });
  }
}

function titleOf({ chart }: Compiled): string {
  const title = chart?.meta?.['title'];
  return typeof title === 'string' ? title : (chart?.id ?? '');
}

function howToGoOn({ options, person }: Performance): string {
  if (options.script !== undefined)
    return `To go on, add lines to ${options.script} and run it again.`;
  if (person.types) return 'Nothing of it is stored: run it again to begin anew.';
  return 'To go on, pass more lines and run it again.';
}
