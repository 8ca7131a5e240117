import { InvalidArgumentError, Option } from 'commander';
import { compile } from '../../compile.ts';
import { type Command, command, examples } from '../command.ts';
import { choosePerson, readScript } from '../conversation/choose-person.ts';
import { performConversation, usualSpeed } from '../conversation/perform-conversation.ts';
import { type Person, personOfLines } from '../conversation/person.ts';
import { readInput } from '../conversation/session.ts';
import {
  type DefinitionOptions,
  requireOptions,
  withDefinitionOptions,
} from '../definition-options.ts';
import { readOnePart } from '../definition-parts.ts';
import { readJsonArgument, readText, standardInput } from '../files.ts';
import { collect } from '../host/host-options.ts';
import { interruptible } from '../interruptible.ts';
import { Live, type LiveOptions } from '../inspect/live.ts';
import { limitOptions, type LimitOptions, readLimits, withLimitOptions } from '../limits.ts';
import {
  mcpServerOptions,
  type McpServerOptions,
  openMcp,
  withMcpServers,
} from '../mcp-servers.ts';
import { agentsWithModel, type ModelOptions, portsOfModel, withModelOptions } from '../model.ts';
import { nestedDefinitions, readDefinitions, requireNoErrors } from '../definition-file.ts';
import { outputTo, printProblems } from '../output.ts';
import { type RecordingOptions, type Tape, tapeOf } from '../recording.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import { storageOption, type StorageOptions, withStorage } from '../workflow/object-storage.ts';
import type { Compiled, JsonObject } from '@dramaturg/compiler';
import { type Limits, realClock, virtualClock } from '@dramaturg/host';
import { callToolPort } from '@dramaturg/host/tools';
import { statePlace } from '../../testing/coverage/unit-watch.ts';
import { agentsPort, loadCrew, understudyAgents } from '../workflow/agents.ts';
import { runWorkflow } from '../workflow/run-workflow.ts';
import { jsonWorkflowView, traceView } from '../workflow/view.ts';

interface RunOptions
  extends
    DefinitionOptions,
    ModelOptions,
    StorageOptions,
    McpServerOptions,
    RecordingOptions,
    LimitOptions,
    Omit<LiveOptions, 'json'> {
  readonly script?: string;
  readonly input?: string;
  readonly json?: true;
  readonly speed?: number;
  readonly agents?: string;
  readonly by?: string;
  readonly definition?: readonly string[];
  readonly wait: boolean;
}

export function runCommand(): Command {
  const run = withMcpServers(withModelOptions(withDefinitionOptions(command('run'))))
    .description(
      'Holds the conversation of a definition in the terminal, or runs a workflow and prints its steps. Without --model, the understudy plays the agent. It is not a language model and needs no key.',
    )
    .argument(
      '<file>',
      'the definition; template.yaml#Name is one inside a file; "-" is standard input',
    )
    .option(
      '--script <file>',
      'read the person\'s lines from a file: the lines that begin with ">", or all lines if none does',
    )
    .option(
      '--input <json>',
      'the input of a workflow, or the form that comes before a conversation: inline JSON, or a file with JSON',
    )
    .option(
      '--agents <module>',
      'a JavaScript module that exports a function for each agent of a workflow, or of tasks of a plan',
    )
    .addOption(storageOption())
    .option(
      '--definition <name=file>',
      'a workflow that this one runs; may be repeated; others are found as name.asl.json in the same folder',
      collect,
    )
    .option('--by <name>', 'who starts the run; a workflow reads it as $$.Execution.Requestor')
    .option('--no-wait', 'skip the time of waits, timeouts and retries of a workflow')
    .option('--json', 'print every event as a line of JSON')
    .option(
      '--speed <number>',
      `words a second; 0 prints at once (default: ${usualSpeed} at a terminal, else 0)`,
      readSpeed,
    )
    .option(
      '--record <file>',
      'record the run: all lines of the person, answers, times and random values',
    )
    .option(
      '--contact <address>',
      'the person whom a recording is about: "dramaturg erase --recordings" finds it by that',
    )
    .addOption(
      new Option(
        '--replay <file>',
        'repeat a recorded run: without network, input lines, agents or waiting',
      ).conflicts([
        'record',
        'script',
        'input',
        'agents',
        's3',
        'model',
        ...mcpServerOptions,
        ...limitOptions,
      ]),
    )
    .option('--inspect', 'show the run on a page: statechart, actors, events, calls and times')
    .option('--allow-send', 'let that page send events, messages and decisions')
    .option('--no-open', 'print the address of the page instead of opening the browser')
    .addHelpText(
      'after',
      `
Without --script, the person's lines come from the terminal or a pipe. Each line
is a message, or the decision on an approval of a workflow: an option and the
flags of "dramaturg decide", or JSON.
Exit codes of a workflow: 0 if it succeeds, 4 if it fails or times out, 5 if it
waits for a person or a token that never comes. A replay that differs from its
recording and a conversation that reaches a limit exit with 4.
${examples([
  'dramaturg run intake.plan.json',
  'dramaturg run intake.plan.json --script ada.transcript --speed 0',
  `printf 'Ada\\n4711\\n' | dramaturg run intake.plan.json --json`,
  `dramaturg run intake.plan.json --input '{"session": {"company": "Acme"}}'`,
  `dramaturg run order.asl.json --input order.json --agents ./agents.mjs`,
  `dramaturg run order.asl.json --input '{"total": 12}' --no-wait --json`,
  'dramaturg run orders.asl.json --s3 ./buckets',
  'dramaturg run order.asl.json --mcp-server "crm=node crm-server.js"',
  'dramaturg run order.asl.json --mcp-config .mcp.json',
  `dramaturg run template.yaml#OrderMachine --input order.json --set TableName=orders`,
  'dramaturg run intake.plan.json --script ada.transcript --record ada.recording',
  'dramaturg run intake.plan.json --replay ada.recording',
  'dramaturg run intake.plan.json --inspect',
  'dramaturg run intake.plan.json --model openai:gpt-6-luna --max-tokens 100000',
  'dramaturg run intake.plan.json --model openai:llama3 --base-url http://localhost:11434/v1',
])}`,
    )
    .action(runFile);
  return withLimitOptions(run);
}

function readSpeed(given: string): number {
  const speed = Number(given);
  if (given.trim() === '' || !(speed >= 0))
    throw new InvalidArgumentError('It must be a number, 0 or more.');
  return speed;
}

async function runFile(given: string, options: RunOptions): Promise<ExitCode> {
  const isAlone = options.script === undefined && options.replay === undefined;
  if (given === standardInput && isAlone) {
    throw new UsageError(
      "Standard input cannot give both the definition and the person's lines.",
      "Name the definition's file, or give the person's lines with --script.",
    );
  }
  const part = await readOnePart(given, options);
  const { file } = part;
  const compiled = compile(part.text, part.options);
  requireOptions(compiled);
  printProblems(compiled, file);
  requireNoErrors(compiled, file);
  if (compiled.kind === 'lifecycle') {
    throw new UsageError(
      'A lifecycle cannot be run in the terminal: it is a table of states and events, not a conversation.',
      `Draw it with: dramaturg compile ${file} --to mermaid. In a program, send the events of the table to createActor(machine).`,
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
  if (options.s3 !== undefined) {
    throw new UsageError(
      'Only Maps of workflows read from S3, and this definition is a conversation.',
      'Leave out --s3.',
    );
  }

  const script =
    options.script === undefined
      ? undefined
      : readScript(await readText(options.script), options.script);
  const input = tape.recorded?.header.input ?? (await readInput(options.input, compiled));
  return interruptible(async (stop, interrupt) => {
    const person = tape.recorded ? personOfLines([]) : choosePerson(script, options, interrupt);
    try {
      return await performConversation({
        compiled,
        file,
        input,
        options,
        tape,
        limits,
        person,
        stop,
      });
    } finally {
      person.leave();
    }
  });
}

interface WorkflowOptions
  extends ModelOptions, StorageOptions, McpServerOptions, Omit<LiveOptions, 'json'> {
  /** JSON, or a file with JSON. */
  readonly input?: string;
  /** The file of a module with agents. */
  readonly agents?: string;
  /** The person who starts the run. */
  readonly by?: string;
  /** A file with decisions, one per line. */
  readonly script?: string;
  readonly json?: true;
  /** Definitions that it runs, as `name=file`. */
  readonly definition?: readonly string[];
  /** False skips the time of waits. */
  readonly wait: boolean;
  /** The sizes of pools. */
  readonly pool?: Readonly<Record<string, number>>;
}

const inputHint = `Write it like this: --input '{"order": {"id": 1}}', or name a file.`;

/** Runs a workflow in the terminal, prints a trace of its steps, and gives the exit code of its outcome. */
async function performWorkflow(
  compiled: Compiled,
  file: string,
  options: WorkflowOptions,
  { tape, limits }: { readonly tape: Tape; readonly limits: Limits },
): Promise<ExitCode> {
  const given = await readDefinitions(options.definition ?? [], {});
  const definitions = await nestedDefinitions(compiled, file, given);
  const input: JsonObject = tape.recorded?.header.input ?? {
    input:
      options.input === undefined
        ? {}
        : await readJsonArgument(options.input, '--input', inputHint),
    ...(options.by !== undefined && { context: { Execution: { Requestor: options.by } } }),
  };
  const crew = options.agents === undefined ? undefined : await loadCrew(options.agents);
  const model = await portsOfModel(options, crew?.tools);
  const played = model ? agentsWithModel(model, crew) : crew ? agentsPort(crew) : understudyAgents;
  const agents = await withStorage(played, options);
  const mcp = await openMcp(options);
  const script =
    options.script === undefined
      ? undefined
      : readScript(await readText(options.script), options.script);
  const output = outputTo(process.stdout);
  const view = options.json
    ? jsonWorkflowView(output)
    : traceView(output, (state) => statePlace(compiled, state).line);
  let person: Person | undefined;
  const virtual = options.wait ? undefined : virtualClock({ startAt: Date.now() });
  const recording = tape.start(input, virtual && { busy: virtual.busy });
  const live = await Live.begin(compiled, options, definitions);
  return interruptible(async (stop, interrupt) => {
    try {
      view.begin(titleOf(compiled));
      const ended = await runWorkflow({
        chart: compiled.chart!,
        definitions,
        input,
        clock: virtual ?? realClock(),
        agents,
        isDry: played === understudyAgents,
        mcp,
        ports: { ...model, ...(crew && { callTool: callToolPort(crew) }) },
        // Standard input is read only when the workflow asks for a decision.
        person: () => (person ??= choosePerson(script, options, interrupt)),
        view,
        stop,
        recording,
        limits,
        pools: options.pool ?? {},
        live,
      });
      view.end(
        ended,
        'The workflow waits for a person or a token that this run does not have. Nothing is stored.',
      );
      await live?.end(stop);
      if (!ended) return exitCodes.unfinished;
      return ended.status === 'succeeded' ? exitCodes.fine : exitCodes.runFailed;
    } finally {
      person?.leave();
      await mcp?.close();
    }
  });
}

function titleOf({ chart, definition }: Compiled): string {
  const { Comment: comment } = definition as { readonly Comment?: string };
  return comment || (chart?.id ?? '');
}
