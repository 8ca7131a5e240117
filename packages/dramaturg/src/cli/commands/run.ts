import {
  type Compiled,
  InputError,
  isRecord,
  type JsonObject,
  link,
  realWorld,
  type World,
} from '@dramaturg/compiler';
import { type Limits, type Recorded, type Recording, understudyPorts } from '@dramaturg/host';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AnyStateMachine } from 'xstate';
import { compile } from '../../compile.ts';
import { formatNamed } from '../../known-formats.ts';
import { command, examples } from '../command.ts';
import { tellProblems } from './compile.ts';
import { type Conversation, type Held, prepare } from '../conversation/hold.ts';
import { type Person, personOfLines, personOfPipe } from '../conversation/person.ts';
import { readScript } from '../conversation/script.ts';
import { answersOf, fillIn, formIn, incompleteInput, readInput } from '../conversation/session.ts';
import { personAtTerminal, type TerminalPerson } from '../conversation/terminal.ts';
import {
  type DefinitionOptions,
  requireOptions,
  withDefinitionOptions,
  optionsFor,
} from '../definition-options.ts';
import { readText, standardInput } from '../files.ts';
import { Live, type LiveOptions } from '../inspect/live.ts';
import { limitOptions, type LimitOptions, readLimits, withLimitOptions } from '../limits.ts';
import { type ModelOptions, portsOfModel, withModelOptions } from '../model.ts';
import { outputTo } from '../output.ts';
import { type RecordingOptions, type Tape, tapeOf } from '../recording.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import { lineView } from '../view/json-view.ts';
import { stageView } from '../view/stage-view.ts';
import { collect } from '../host/host-options.ts';
import { performWorkflow } from '../workflow/perform.ts';

interface RunOptions
  extends
    DefinitionOptions,
    ModelOptions,
    RecordingOptions,
    LimitOptions,
    Omit<LiveOptions, 'json'> {
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
  const run = withModelOptions(withDefinitionOptions(command('run')))
    .summary('hold a conversation, or run a workflow, in the terminal')
    .description(
      'Holds the conversation of a definition in the terminal, or runs a workflow and prints its steps. The understudy, which is no language model and needs no key, plays the agent, unless --model names one.',
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
    .option(
      '--record <file>',
      'write down the run: every line of the person, every answer, time and chance',
    )
    .addOption(
      new Option(
        '--replay <file>',
        'run it again as it was recorded: without network, lines, agents or waiting',
      ).conflicts(['record', 'script', 'input', 'agents', 'model', ...limitOptions]),
    )
    .option('--inspect', 'show the run on a page: its statechart, actors, events, calls and time')
    .option('--allow-send', 'let that page send events, messages and decisions')
    .option('--no-open', 'print the address of the page instead of opening the browser')
    .addHelpText(
      'after',
      `
Without --script the person's lines are typed, or read from a pipe: each is a
message, or decides on an approval of a workflow. The exit code of a workflow is
0 when it succeeds, 4 when it fails or times out, and 5 when it waits for
somebody who is not here. A replay that differs from its recording exits with 4,
and so does a conversation that has reached a limit.
${examples([
  'dramaturg run intake.plan.json',
  'dramaturg run intake.plan.json --script ada.transcript --speed 0',
  `printf 'Ada\\n4711\\n' | dramaturg run intake.plan.json --json`,
  `dramaturg run intake.plan.json --input '{"session": {"company": "Acme"}}'`,
  `dramaturg run order.asl.json --input order.json --agents ./agents.mjs`,
  `dramaturg run order.asl.json --input '{"total": 12}' --no-wait --json`,
  'dramaturg run intake.plan.json --script ada.transcript --record ada.recording',
  'dramaturg run intake.plan.json --replay ada.recording',
  'dramaturg run intake.plan.json --inspect',
  'dramaturg run intake.plan.json --model openai:gpt-5 --max-tokens 100000',
  'dramaturg run intake.plan.json --model openai:llama3 --base-url http://localhost:11434/v1',
])}`,
    )
    .action(async (file: string, options: RunOptions) => {
      done(await runFile(file, options));
    });
  return withLimitOptions(run);
}

function readSpeed(given: string): number {
  const speed = Number(given);
  if (given.trim() === '' || !(speed >= 0))
    throw new InvalidArgumentError('It is a number of words, 0 or more.');
  return speed;
}

async function runFile(file: string, options: RunOptions): Promise<ExitCode> {
  const isAlone = options.script === undefined && options.replay === undefined;
  if (file === standardInput && isAlone) {
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
  if (compiled.kind === 'lifecycle') {
    throw new UsageError(
      'A lifecycle is a table of states and events and not a conversation, so there is nobody to talk to.',
      `A diagram of it: dramaturg compile ${file} --to mermaid. In a program, createActor(machine) takes the events of the table.`,
    );
  }
  const tape = await tapeOf(options, compiled, [
    file,
    options.script,
    options.input,
    options.agents,
    options.prices,
  ]);
  const limits = await readLimits(options);
  if (compiled.kind === 'workflow')
    return performWorkflow(compiled, file, options, { tape, limits });
  if (options.agents !== undefined) {
    throw new UsageError(
      'Only workflows have agents.',
      'Leave out --agents: the understudy plays the agent of a conversation, or the model of --model.',
    );
  }

  const script =
    options.script === undefined
      ? undefined
      : readScript(await readText(options.script), options.script);
  const input = tape.recorded?.header.input ?? (await readInput(options.input, compiled));
  const leaving = new AbortController();
  const interrupt = () => leaving.abort();
  process.once('SIGINT', interrupt);
  const person = tape.recorded ? personOfLines([]) : personFor(script, options, interrupt);
  try {
    const stop = leaving.signal;
    return await perform({ compiled, file, input, options, tape, limits, person, stop });
  } finally {
    person.leave();
    process.off('SIGINT', interrupt);
  }
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
  readonly tape: Tape;
  readonly limits: Limits;
  readonly person: Person | TerminalPerson;
  readonly stop: AbortSignal;
}

async function perform(performance: Performance): Promise<ExitCode> {
  const { compiled, options, tape, limits, person, stop } = performance;
  const output = outputTo(process.stdout);
  const view = options.json ? lineView(output) : stageView(output);
  const speed = options.speed ?? (output.isTerminal && !options.json ? usualSpeed : 0);
  const model = await portsOfModel(options);
  const isUnderstudy = tape.recorded ? !hasUsage(tape.recorded) : model === undefined;
  const ports = model ?? understudyPorts({ wordDelay: speed > 0 ? 1000 / speed : 0 });
  const live = await Live.begin(compiled, options);
  const rehearse = (input: JsonObject) => {
    const recording = tape.start(input);
    const machine = machineOf(compiled, recording, live);
    const rehearsed = isUnderstudy ? machineFor(compiled, realWorld) : undefined;
    return prepare({
      machine,
      input,
      view,
      ports,
      recording,
      limits,
      rehearsed,
      attach: live?.attach,
    });
  };

  const begin = () =>
    view.begin({
      title: titleOf(compiled),
      description: compiled.chart?.description ?? '',
      ...(isUnderstudy ? { cast: understudyNote } : {}),
    });
  const conversation = await filledIn(performance, rehearse, begin);
  const ending = conversation ? await conversation.hold(person, stop) : nothing;
  const { isLimited } = ending;
  const next = isLimited ? 'To go on, raise the limit and run it again.' : howToGoOn(performance);
  view.end({ ...ending, next });
  await live?.end(stop);
  return isLimited ? exitCodes.runFailed : exitCodes.fine;
}

/** Only models say what their answers have cost. */
function hasUsage({ entries }: Recorded): boolean {
  return entries.some(
    (entry) => entry.type === 'answer' && isRecord(entry.output) && 'usage' in entry.output,
  );
}

/** The machine again, with time and chance from the recording, and made to be looked at. */
function machineOf(
  compiled: Compiled,
  recording: Recording,
  live: Live | undefined,
): AnyStateMachine {
  const world = recording.world(realWorld);
  if (!live) return machineFor(compiled, world);
  return link(compiled.chart!, live.watched(behaviourOf(compiled)), { world, fuse: false });
}

function machineFor(compiled: Compiled, world: World): AnyStateMachine {
  return link(compiled.chart!, behaviourOf(compiled), { world });
}

function behaviourOf({ format }: Compiled) {
  return formatNamed(format)!.behaviour;
}

const understudyNote =
  'The understudy plays the agent. It is no language model: it asks what is pending and reads plain answers.';

const nothing: Held = {
  outcome: 'unfinished',
  state: '',
  deliverables: {},
  open: [],
  isLimited: false,
};

/** The conversation with the form before it filled in; undefined when the person leaves instead. */
async function filledIn(
  { compiled, file, input, options, person }: Performance,
  rehearse: (input: JsonObject) => Conversation,
  begin: () => void,
): Promise<Conversation | undefined> {
  const form = formIn(compiled);
  try {
    const conversation = rehearse(input);
    begin();
    return conversation;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    if (!form || !('ask' in person)) throw incompleteInput(error.problems, form, file);
    const { key, fields } = form;
    const given = answersOf(input, key);
    const isComplete = fields.every(({ id }) => Object.hasOwn(given, id));
    // Filling in the form does not help against unknown fields.
    const isUnknown = Object.keys(given).some((name) => fields.every(({ id }) => id !== name));
    if (isComplete || isUnknown) throw incompleteInput(error.problems, form, file);
    begin();
    const output = outputTo(options.json ? process.stderr : process.stdout);
    const answers = await fillIn(fields, given, person, output);
    return answers && rehearse({ ...input, [key]: answers });
  }
}

function titleOf({ chart }: Compiled): string {
  const title = chart?.meta?.['title'];
  return typeof title === 'string' ? title : (chart?.id ?? '');
}

function howToGoOn({ options, tape, person }: Performance): string {
  // A replay shows what its recording has shown.
  if (options.record !== undefined || tape.recorded)
    return 'To go on, record it again with more lines.';
  if (options.script !== undefined)
    return `To go on, add lines to ${options.script} and run it again.`;
  if (person.types) return 'Nothing of it is stored: run it again to begin anew.';
  return 'To go on, pass more lines and run it again.';
}
