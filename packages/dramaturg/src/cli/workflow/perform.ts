import { type Compiled, type Json, type JsonObject, visible } from '@dramaturg/compiler';
import { type Limits, realClock, virtualClock } from '@dramaturg/host';
import { callToolPort } from '@dramaturg/langchain';
import { type Person, personOfLines, personOfPipe } from '../conversation/person.ts';
import { readScript } from '../conversation/script.ts';
import { personAtTerminal } from '../conversation/terminal.ts';
import { readText } from '../files.ts';
import { Live, type LiveOptions } from '../inspect/live.ts';
import { agentsWithModel, type ModelOptions, portsOfModel } from '../model.ts';
import type { Tape } from '../recording.ts';
import { outputTo } from '../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import { readDefinitions } from '../definition-file.ts';
import { agentsPort, loadCrew } from './agents.ts';
import { nestedDefinitions } from './nested.ts';
import { runWorkflow } from './run-workflow.ts';
import { jsonWorkflowView, traceView } from './view.ts';

export interface WorkflowOptions extends ModelOptions, Omit<LiveOptions, 'json'> {
  /** JSON, or a file with JSON. */
  readonly input?: string;
  /** A module with the agents. */
  readonly agents?: string;
  /** A file with decisions, a line each. */
  readonly script?: string;
  readonly json?: true;
  /** Definitions that it runs, as `name=file`. */
  readonly definition?: readonly string[];
  /** False lets waits take no time. */
  readonly wait: boolean;
}

/** Runs a workflow in the terminal: a step trace, and an exit code by outcome. */
export async function performWorkflow(
  compiled: Compiled,
  file: string,
  options: WorkflowOptions,
  { tape, limits }: { readonly tape: Tape; readonly limits: Limits },
): Promise<ExitCode> {
  const given = await readDefinitions(options.definition ?? [], {});
  const definitions = given && (await nestedDefinitions(compiled, file, given));
  if (!definitions) return exitCodes.errorsFound;
  const input: JsonObject = tape.recorded?.header.input ?? {
    input: await readWorkflowInput(options.input),
  };
  const crew = options.agents === undefined ? undefined : await loadCrew(options.agents);
  const model = await portsOfModel(options, crew?.tools);
  const port = model ? agentsWithModel(model, crew) : crew && agentsPort(crew);
  const script =
    options.script === undefined
      ? undefined
      : readScript(await readText(options.script), options.script);
  const output = outputTo(process.stdout);
  const view = options.json ? jsonWorkflowView(output) : traceView(output);
  const leaving = new AbortController();
  const interrupt = () => leaving.abort();
  process.once('SIGINT', interrupt);
  let person: Person | undefined;
  const virtual = options.wait ? undefined : virtualClock({ startAt: Date.now() });
  const recording = tape.start(input, virtual && { busy: virtual.busy });
  const live = await Live.begin(compiled, options, definitions);
  try {
    view.begin(titleOf(compiled));
    const ended = await runWorkflow({
      chart: compiled.chart!,
      definitions,
      input,
      clock: virtual ?? realClock(),
      ...(port && { agents: port }),
      ports: { ...model, ...(crew && { callTool: callToolPort(crew) }) },
      // Only a workflow that asks somebody reads what they say.
      person: () => (person ??= personFor(script, options, interrupt)),
      view,
      stop: leaving.signal,
      recording,
      limits,
      live,
    });
    view.end(ended, 'It waits for somebody who is not here; nothing of it is stored.');
    await live?.end(leaving.signal);
    if (!ended) return exitCodes.unfinished;
    return ended.status === 'succeeded' ? exitCodes.fine : exitCodes.runFailed;
  } finally {
    person?.leave();
    process.off('SIGINT', interrupt);
  }
}

function personFor(
  script: readonly string[] | undefined,
  { json }: WorkflowOptions,
  onLeave: () => void,
): Person {
  if (script) return personOfLines(script);
  if (!process.stdin.isTTY) return personOfPipe(process.stdin);
  return personAtTerminal(process.stdin, json ? process.stderr : process.stdout, onLeave);
}

async function readWorkflowInput(given: string | undefined): Promise<Json> {
  if (given === undefined) return {};
  const isInline = /^\s*[[{"]/.test(given);
  const text = isInline ? given : await readText(given);
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    const where = isInline ? '--input' : `"${visible(given)}"`;
    throw new UsageError(
      `${where} is not JSON: ${(error as Error).message}.`,
      `Write it like this: --input '{"order": {"id": 1}}', or name a file.`,
    );
  }
}

function titleOf({ chart, definition }: Compiled): string {
  const { Comment: comment } = definition as { readonly Comment?: string };
  return comment || (chart?.id ?? '');
}
