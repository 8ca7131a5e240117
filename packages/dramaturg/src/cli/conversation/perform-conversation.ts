import {
  type Compiled,
  InputError,
  isRecord,
  type JsonObject,
  link,
  type LinkOptions,
} from '@dramaturg/compiler';
import { realWorld } from '@dramaturg/compiler/machine';
import type { Limits, RecordedRun } from '@dramaturg/host';
import { hasNextReplies } from '@dramaturg/host/engine';
import type { McpTools } from '@dramaturg/mcp';
import { understudyPorts } from '@dramaturg/understudy';
import type { AnyStateMachine } from 'xstate';
import { formatNamed } from '../../known-formats.ts';
import { Live, type LiveOptions } from '../inspect/live.ts';
import { type McpServerOptions, openMcp } from '../mcp-servers.ts';
import { agentsWithModel, type ModelOptions, portsOfModel } from '../model.ts';
import { type Output, outputTo, jsonLine } from '../output.ts';
import type { Tape } from '../recording.ts';
import { type ExitCode, exitCodes } from '../usage-error.ts';
import { stageView } from '../view/stage-view.ts';
import type { ConversationView } from '../view/view.ts';
import { agentsPort, loadCrew, rulesPort, understudyAgents } from '../workflow/agents.ts';
import { agentsOf } from './agents.ts';
import { type Conversation, type Held, prepare } from './hold.ts';
import type { Person } from './person.ts';
import { answersOf, fillIn, formIn, incompleteInput } from './session.ts';
import type { TerminalPerson } from './terminal.ts';

/** Words a second at a terminal: fast, but still visibly spoken. */
export const usualSpeed = 25;

export interface ConversationOptions
  extends ModelOptions, McpServerOptions, Omit<LiveOptions, 'json'> {
  readonly script?: string;
  /** A file. */
  readonly agents?: string;
  readonly json?: true;
  /** Words a second. */
  readonly speed?: number;
  readonly record?: string;
}

interface Performance {
  readonly compiled: Compiled;
  readonly file: string;
  readonly input: JsonObject;
  readonly options: ConversationOptions;
  readonly tape: Tape;
  readonly limits: Limits;
  readonly person: Person | TerminalPerson;
  readonly stop: AbortSignal;
}

/** Holds a conversation in the terminal and prints it. */
export async function performConversation(performance: Performance): Promise<ExitCode> {
  const mcp = await openMcp(performance.options);
  try {
    return await perform(performance, mcp);
  } finally {
    await mcp?.close();
  }
}

async function perform(performance: Performance, mcp: McpTools | undefined): Promise<ExitCode> {
  const { compiled, file, options, tape, limits, person, stop } = performance;
  const output = outputTo(process.stdout);
  const view = options.json ? jsonView(output) : stageView(output);
  const speed = options.speed ?? (output.isTerminal && !options.json ? usualSpeed : 0);
  const crew = options.agents === undefined ? undefined : await loadCrew(options.agents);
  const model = await portsOfModel(options, crew?.tools);
  const isUnderstudy = tape.recorded ? !hasUsage(tape.recorded) : model === undefined;
  const understudy = understudyPorts({ wordDelay: speed > 0 ? 1000 / speed : 0 });
  const played = model ? agentsWithModel(model, crew) : crew ? agentsPort(crew) : understudyAgents;
  const answering = {
    ...(model ? { validate: understudy.validate, ...model } : understudy),
    ...(crew && { validate: rulesPort(crew) }),
    runAgent: await agentsOf(compiled, file, played),
  };
  const ports = mcp?.ports(answering) ?? answering;
  const live = await Live.begin(compiled, options);
  const nextReplies = tape.recorded
    ? hasNextReplies(tape.recorded)
    : model?.wantsNextReplies === true;
  const rehearse = (input: JsonObject) => {
    const recording = tape.start(input);
    const machine = machineOf(compiled, { world: recording.world(realWorld), nextReplies }, live);
    const rehearsed = isUnderstudy ? machineFor(compiled, { world: realWorld }) : undefined;
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
  const conversation = await withFormFilledIn(performance, rehearse, begin);
  const ending = conversation ? await conversation.hold(person, stop) : notBegun;
  const { isLimited } = ending;
  const next = isLimited ? 'To go on, raise the limit and run it again.' : howToGoOn(performance);
  view.end({ ...ending, next });
  await live?.end(stop);
  return isLimited ? exitCodes.runFailed : exitCodes.fine;
}

/** Whether a model gave the answers of a recording: only models report usage. */
function hasUsage({ entries }: RecordedRun): boolean {
  return entries.some(
    (entry) => entry.type === 'answer' && isRecord(entry.output) && 'usage' in entry.output,
  );
}

/** Links the machine again: time and chance come from the recording, and the inspector sees every microstep. */
function machineOf(
  compiled: Compiled,
  options: LinkOptions,
  live: Live | undefined,
): AnyStateMachine {
  if (!live) return machineFor(compiled, options);
  const behaviour = live.watched(behaviourOf(compiled));
  return link(compiled.chart!, behaviour, { ...options, fuse: false });
}

function machineFor(compiled: Compiled, options: LinkOptions): AnyStateMachine {
  return link(compiled.chart!, behaviourOf(compiled), { nextReplies: false, ...options });
}

function behaviourOf({ format }: Compiled) {
  return formatNamed(format)!.behaviour;
}

const understudyNote =
  'The understudy plays the agent. It is not a language model: it asks what is pending and reads plain answers.';

/** The ending of a conversation that the person left before it began. */
const notBegun: Held = {
  outcome: 'unfinished',
  state: '',
  deliverables: {},
  open: [],
  isLimited: false,
};

/** The conversation, once its form is filled in. @returns undefined when the person leaves instead */
async function withFormFilledIn(
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
    // Filling in the form does not remove unknown fields.
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
  // A replay cannot continue after the end of its recording.
  if (options.record !== undefined || tape.recorded)
    return 'To go on, record it again with more lines.';
  if (options.script !== undefined)
    return `To go on, add lines to ${options.script} and run it again.`;
  if (person.types) return 'Nothing is stored: run it again to start over.';
  return 'To go on, pass more lines and run it again.';
}

/** Prints every event as a line of JSON. The last one is always `conversation.ended`. */
function jsonView({ write }: Output): ConversationView {
  const line = (value: object) => write(jsonLine(value));
  return {
    begin: () => {},
    hear: () => {},
    see: line,
    cue: (state, options) => line({ type: 'understudy.cues', state, options }),
    say: () => {},
    prompt: () => '',
    end: ({ outcome, state, deliverables }) => {
      // For all other outcomes the machine has emitted this event.
      if (outcome === 'unfinished')
        line({ type: 'conversation.ended', outcome, state, deliverables });
    },
  };
}
