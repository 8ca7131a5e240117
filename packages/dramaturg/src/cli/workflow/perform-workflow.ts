import type { Compiled, JsonObject } from '@dramaturg/compiler';
import { type Limits, realClock, virtualClock } from '@dramaturg/host';
import { callToolPort } from '@dramaturg/host/tools';
import { choosePerson, readScript } from '../conversation/choose-person.ts';
import type { Person } from '../conversation/person.ts';
import { nestedDefinitions, readDefinitions } from '../definition-file.ts';
import { readJsonArgument, readText } from '../files.ts';
import { Live, type LiveOptions } from '../inspect/live.ts';
import { interruptible } from '../interruptible.ts';
import { type McpServerOptions, openMcp } from '../mcp-servers.ts';
import { agentsWithModel, type ModelOptions, portsOfModel } from '../model.ts';
import { outputTo } from '../output.ts';
import { statePlace } from '../../testing/coverage/unit-watch.ts';
import type { Tape } from '../recording.ts';
import { type ExitCode, exitCodes } from '../usage-error.ts';
import { agentsPort, loadCrew, understudyAgents } from './agents.ts';
import { type StorageOptions, withStorage } from './object-storage.ts';
import { runWorkflow } from './run-workflow.ts';
import { jsonWorkflowView, traceView } from './view.ts';

export interface WorkflowOptions
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
export async function performWorkflow(
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
