import type { Compiled, JsonObject, Ports } from '@dramaturg/compiler';
import { didYouMean, visible } from '@dramaturg/compiler/text';
import { limitPorts, type Limits } from '@dramaturg/host';
import { callToolPort } from '@dramaturg/host/tools';
import type { LangchainPorts } from '@dramaturg/langchain';
import { InvalidArgumentError } from 'commander';
import { resourcesIn } from '../../exploring/branches.ts';
import type { SimulationOptions } from '../../simulating/options.ts';
import { type Persona, personas as builtIn, usualCast } from '../../simulating/persona.ts';
import { readPersona } from '../../simulating/read-persona.ts';
import {
  reportOf,
  type SimulationReport,
  type SimulationSettings,
  versionOfText,
} from '../../simulating/report.ts';
import { isConversation, simulate } from '../../simulating/simulate.ts';
import { agentsOf as agentsOfConversation } from '../conversation/agents.ts';
import { readInput } from '../conversation/session.ts';
import { nameOf, nestedDefinitions, readDefinition, requireNoErrors } from '../definition-file.ts';
import { type DefinitionOptions, withDefinitionOptions } from '../definition-options.ts';
import { readJsonArgument, readText } from '../files.ts';
import { readLimitOf, readWholeNumber } from '../host/host-options.ts';
import { type LimitOptions, readLimits, withLimitOptions } from '../limits.ts';
import { agentsWithModel, type ModelOptions, portsOfModel, withModelOptions } from '../model.ts';
import { printProblems } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { withProgress } from '../view/progress.ts';
import { agentsPort, loadCrew, understudyAgents } from '../workflow/agents.ts';
import { readLifecycle } from './read-lifecycle.ts';
import type { Command } from '../command.ts';

export interface SimulateOptions extends DefinitionOptions, ModelOptions, LimitOptions {
  readonly personas?: readonly string[];
  readonly runs: number;
  readonly concurrency: number;
  readonly seed: number;
  readonly maxTurns: number;
  readonly good?: readonly string[];
  readonly personModel?: string;
  readonly agents?: string;
  readonly input?: string;
  /** Whether persons and models are replayed from a recording. */
  readonly isRecorded?: true;
  /** A file, or `built-in`; true without a value. */
  readonly lifecycle?: string | true;
}

/** The options of commands that simulate conversations. */
export function withSimulationOptions(command: Command): Command {
  const options = withModelOptions(withDefinitionOptions(command))
    .option(
      '--personas <names>',
      `who writes, with commas between: ${Object.keys(builtIn).join(', ')}, or files such as shy.persona.yaml (default: all built-in ones)`,
      readNames,
    )
    .option('--runs <number>', 'conversations with each persona', readLimitOf(1000), 10)
    .option(
      '--concurrency <number>',
      'conversations at the same time; the results do not depend on it',
      readLimitOf(100),
      4,
    )
    .option('--seed <number>', 'the same seed gives the same persons', readWholeNumber, 1)
    .option(
      '--max-turns <number>',
      'messages of a person after which a conversation is stopped',
      readLimitOf(1000),
      40,
    )
    .option(
      '--good <names>',
      'outcomes or states whose end is a good one, with commas between (default: completed, succeeded, ACCEPT)',
      readNames,
    )
    .option(
      '--person-model <provider:model>',
      'a language model plays the persons, too: it writes, decides on approvals and completes tasks',
    )
    .option(
      '--lifecycle [file]',
      'hold conversations on a host where time passes, with the built-in lifecycle or one of your own: persons may be away, come back late and write twice, and operators pause and help',
    )
    .option(
      '--agents <module>',
      'a JavaScript module with the agents of a workflow, or of tasks of a plan',
    )
    .option(
      '--input <json>',
      'the form before the conversation, or the input of a workflow: inline JSON, or a file',
    );
  return withLimitOptions(options);
}

function readNames(given: string): readonly string[] {
  const names = given.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('Write names with a comma between them.');
  return [...new Set(names)];
}

/** The personas that are named: built-in ones, and files. */
async function readPersonas(names: readonly string[]): Promise<readonly Persona[]> {
  const personas = await Promise.all(names.map(personaNamed));
  const known = new Set<string>();
  for (const { name } of personas) {
    if (known.has(name))
      throw new UsageError(
        `Two personas are called "${visible(name)}".`,
        'The name of a file up to its first point is the name of its persona: rename the file.',
      );
    known.add(name);
  }
  return personas;
}

async function personaNamed(name: string): Promise<Persona> {
  if (Object.hasOwn(builtIn, name)) return builtIn[name]!;
  if (!/[\\/]|\.(ya?ml|json)$/i.test(name)) {
    throw new UsageError(
      `There is no persona "${visible(name)}".`,
      didYouMean(name, Object.keys(builtIn)) ??
        `The built-in ones are ${Object.keys(builtIn).join(', ')}. A file of your own ends with ".persona.yaml".`,
    );
  }
  const found = readPersona(await readText(name), name);
  printProblems(found, name);
  requireNoErrors(found, name);
  return found.persona!;
}

/** Everything that a simulation of one definition needs. */
export interface PreparedSimulation {
  readonly compiled: Compiled;
  readonly settings: SimulationSettings;
  readonly options: Omit<SimulationOptions, 'stop'>;
}

export async function prepareSimulation(
  file: string,
  options: SimulateOptions,
): Promise<PreparedSimulation> {
  const { runs, seed, maxTurns: turnsMax, good = [], model, personModel } = options;
  const { compiled } = await readDefinition(file, nameOf(file), options);
  const lifecycle = await readLifecycle(options, compiled);
  const cast = options.personas ?? usualCast(lifecycle !== undefined || !isConversation(compiled));
  const personas = await readPersonas(cast);
  const nested = await nestedDefinitions(compiled, file, {});
  const others = [...nested].map(([name, each]) => [name, each.compiled] as const);
  if (!options.isRecorded)
    requirePersons(file, [compiled, ...others.map(([, each]) => each)], options);
  const limits = withTimeout(await readLimits(options));
  // The base URL may be only for the model of the persons.
  const isOfPersons = model === undefined && personModel !== undefined;
  const ports = await portsOfModel({ ...options, ...(isOfPersons ? { baseUrl: undefined } : {}) });
  const persons = await personPorts(options, limits);
  const agents = await agentsOf(options, compiled, file, ports);
  return {
    compiled,
    settings: {
      definition: file,
      version: versionOfText(compiled.source.text),
      agent: isConversation(compiled)
        ? (model ?? 'understudy')
        : (options.agents ?? model ?? 'none'),
      ...(lifecycle ? { lifecycle: lifecycle.name } : {}),
      persons: personModel ?? 'rules',
      cast,
      seed,
      runs,
      turnsMax,
    },
    options: {
      compiled,
      ...(lifecycle ? { lifecycle: lifecycle.compiled } : {}),
      personas,
      runs,
      concurrency: options.concurrency,
      seed,
      turnsMax,
      good,
      others: Object.fromEntries(others),
      input: await inputOf(options, compiled),
      limits,
      ...(ports ? { ports } : {}),
      ...(agents ? { agents } : {}),
      ...(persons ? { personPorts: persons } : {}),
    },
  };
}

/** The agents of a module; without it each agent returns its input. */
async function agentsOf(
  { agents }: SimulateOptions,
  compiled: Compiled,
  file: string,
  ports: LangchainPorts | undefined,
): Promise<SimulationOptions['agents']> {
  if (agents === undefined && !isConversation(compiled)) return undefined;
  if (compiled.kind === 'lifecycle')
    throw new UsageError('A lifecycle has no agents.', 'Leave out --agents.');
  const crew = agents === undefined ? undefined : await loadCrew(agents);
  const run = ports ? agentsWithModel(ports, crew) : crew ? agentsPort(crew) : understudyAgents;
  if (isConversation(compiled))
    return { runAgent: await agentsOfConversation(compiled, file, run) };
  const complete = () => {};
  return {
    callTool: callToolPort(crew!),
    runAgent: (call, { signal, onText }) =>
      run(call, { signal, onText, complete, heartbeat: () => {} }),
  };
}

async function inputOf({ input }: SimulateOptions, compiled: Compiled): Promise<JsonObject> {
  if (compiled.kind !== 'workflow') return readInput(input, compiled);
  const hint = `Write it like this: --input '{"order": {"id": 1}}', or name a file.`;
  return {
    input: input === undefined ? {} : await readJsonArgument(input, '--input', hint),
    // Policies of approvals may exclude the person who has started the run.
    context: { Execution: { Requestor: 'requester' } },
  };
}

/** The calls of the persons are counted and priced, and are not part of the limits of a conversation. */
async function personPorts(
  { personModel: model, baseUrl }: SimulateOptions,
  { prices, call }: Limits,
): Promise<Pick<Ports, 'reply' | 'choose'> | undefined> {
  if (model === undefined) return undefined;
  const ports = await portsOfModel({ model, baseUrl });
  return ports && limitPorts({ reply: ports.reply, choose: ports.choose }, { prices, call });
}

/** Milliseconds after which a call of a model fails: no conversation waits forever. */
const callTimeout = 180_000;

function withTimeout(limits: Limits): Limits {
  return { ...limits, call: { ...limits.call, time: limits.call?.time ?? callTimeout } };
}

/** Runs a simulation, with a counter on a terminal. */
export async function runSimulation(
  { compiled, settings, options }: PreparedSimulation,
  stop: AbortSignal,
): Promise<SimulationReport> {
  const total = options.personas.length * options.runs;
  let ended = 0;
  const conversations = await withProgress((show) => {
    const onEnd = () => {
      ended += 1;
      show(`${ended} of ${total} conversations`);
    };
    return simulate({ ...options, onEnd, stop });
  });
  return reportOf(settings, compiled, conversations);
}

/** The models of a simulation, as the command names them. */
interface Models {
  readonly model?: string | undefined;
  readonly personModel?: string | undefined;
}

/**
 * Refuses a definition in which no person and no model takes part.
 *
 * @param all the definition, and those that it calls
 */
function requirePersons(file: string, all: readonly Compiled[], models: Models): void {
  const [compiled] = all;
  if (isConversation(compiled!)) return;
  if (compiled!.kind === 'lifecycle') {
    if (models.model === undefined && models.personModel === undefined) return;
    throw new UsageError(
      'A model plays agents and the persons of conversations and workflows, and this definition is a lifecycle.',
      'Leave out --model and --person-model: rules send its events.',
    );
  }
  if (models.model !== undefined || all.some(hasPersons)) return;
  throw new UsageError(
    `Nobody takes part in "${visible(file)}": it is a workflow without an approval, a task with a token, a debate or a conversation.`,
    'Test it with "dramaturg test", let "dramaturg explore" write tests, or let a model play its agents with --model.',
  );
}

function hasPersons(compiled: Compiled): boolean {
  if (isConversation(compiled)) return true;
  const { chart } = compiled;
  const text = JSON.stringify(chart);
  return (
    text.includes('"requestDecision"') ||
    text.includes('"Type":"Debate"') ||
    [...resourcesIn(chart!).values()].some((resource) => isHandedOver.test(resource))
  );
}

/** Resources of tasks that people outside complete. Spec: docs/formats/asl.md#tasks */
const isHandedOver = /\.waitForTaskToken$|:activity:/;
