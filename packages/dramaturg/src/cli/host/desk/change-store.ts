import { visible } from '@dramaturg/compiler';
import type { Answer, InstanceView } from '@dramaturg/host';
import { limitOptionsIn, readLimits } from '../../limits.ts';
import { type Output, outputTo } from '../../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../../usage-error.ts';
import { visibleJson } from '../../visible.ts';
import type { Desk } from './desk.ts';
import { Messages } from './sent-messages.ts';
import { openDesk, ownerName } from './open-desk.ts';
import type { HostSettings } from './open-host.ts';
import type { HostOptions } from '../host-options.ts';
import { requireStore } from './store-folder.ts';
import { told } from '../transport/failure.ts';

/** What a command has come to. */
export interface Outcome {
  /** The instance that it concerned, unless it concerned none. */
  readonly id: string | null;
  readonly answer: Answer;
  /** Why the instance has failed since, or wants a person. */
  readonly trouble?: string;
}

interface Work {
  readonly folder: string;
  readonly command: string;
  readonly options: HostOptions;
  /** More about the store, for a command that may make one. */
  readonly making?: Pick<HostSettings, 'kind'>;
  readonly work: (desk: Desk) => Promise<Outcome>;
}

/**
 * Does something with the instances of a store, lets what follows from it come to rest where this process is the host, and
 * tells what came of it.
 */
export async function doWork({ folder, command, options, making, work }: Work): Promise<ExitCode> {
  const output = outputTo(process.stdout);
  const messages = new Messages(output, options.json === true);
  try {
    const limits = await readLimits(options);
    if (!making) await requireStore(folder);
    const desk = await openDesk({
      folder,
      name: ownerName(command),
      show: messages.show,
      agents: options.agents,
      model: options.model,
      baseUrl: options.baseUrl,
      webhook: options.webhook,
      limits,
      within: options.within,
      ...making,
    });
    if (desk.isServed) noteUnused(options);
    let outcome: Outcome;
    let isSettled: boolean | undefined;
    try {
      outcome = await work(desk);
      isSettled = await desk.settle();
      outcome = await asItIsNow(desk, outcome);
    } finally {
      await desk.close();
    }
    return tell(outcome, { output, messages, options, isSettled });
  } catch (thrown) {
    const error = told(thrown, folder);
    if (options.json) writeError(output, error);
    throw error;
  }
}

/** The same for a program, as the socket of a host says it. */
function writeError({ write }: Output, error: unknown): void {
  if (!(error instanceof UsageError) || error.code === undefined) return;
  const value = { error: error.message, code: error.code };
  write(`${visibleJson(JSON.stringify(value, undefined, 2))}\n`);
}

/** A host that runs has been given its own. */
function noteUnused(options: HostOptions): void {
  const { agents, webhook, model } = options;
  const given = { '--agents': agents, '--webhook': webhook, '--model': model };
  const named = Object.entries(given).flatMap(([name, value]) => (value ? [name] : []));
  const unused = [...named, ...limitOptionsIn(options)];
  if (unused.length === 0) return;
  process.stderr.write(
    `A host runs this store: ${unused.join(' and ')} of this command is not used, but what "dramaturg serve" was given.\n`,
  );
}

/** The answer says how the instance was right after the event; what followed may have led it on. */
async function asItIsNow(desk: Desk, { id, answer }: Outcome): Promise<Outcome> {
  if (desk.isServed || id === null || !answer.accepted) return { id, answer };
  const view = await desk.get(id);
  const trouble = troubleOf(view);
  return {
    id,
    answer: { ...answer, state: view.state },
    ...(trouble === undefined ? {} : { trouble }),
  };
}

/** In the words of its lifecycle. Who cancels something knows why. */
function troubleOf({ ended, state, lifecycle }: InstanceView): string | undefined {
  const { failure_reason: failure, intervention_reason: plea } = lifecycle;
  const wantsHelp = state === 'NEEDS_HUMAN_INTERVENTION';
  const reason = ended ? failure : wantsHelp ? plea : undefined;
  return typeof reason === 'string' && reason !== 'cancelled' ? reason : undefined;
}

interface Telling {
  readonly output: Output;
  readonly messages: Messages;
  readonly options: HostOptions;
  /** Undefined where the host is another process: what instances say goes to its channels then. */
  readonly isSettled: boolean | undefined;
}

function tell(
  { id, answer, trouble }: Outcome,
  { output, messages, options, isSettled }: Telling,
): ExitCode {
  const code = answer.accepted ? exitCodes.fine : exitCodes.refused;
  if (options.json) {
    const { said } = messages;
    const here = isSettled === undefined ? {} : { settled: isSettled, messages: said };
    const value = { id, ...answer, ...(trouble === undefined ? {} : { trouble }), ...here };
    output.write(`${visibleJson(JSON.stringify(value, undefined, 2))}\n`);
    return code;
  }
  if (answer.accepted) {
    const mark = trouble === undefined ? output.paint('green', '✓') : output.paint('red', '✗');
    output.write(`${mark} ${visible(id ?? '')}: ${visible(answer.state)}\n`);
    if (trouble !== undefined) output.write(`  ${visible(trouble)}\n`);
  } else {
    tellRefusal(answer);
  }
  if (isSettled === false) {
    process.stderr.write(
      'Something is still under way: it goes on when the store is opened again.\n',
    );
  }
  return code;
}

function tellRefusal({
  state,
  code,
  because,
  accepts,
}: Answer & { readonly accepted: false }): void {
  const { write, paint } = outputTo(process.stderr);
  write(`${paint('red', 'refused:')} ${visible(because)} ${paint('dim', `(${visible(code)})`)}\n`);
  const events = accepts.join(', ');
  // Most refusals say so themselves, and some are not about the event at all.
  if (because.includes(events)) return;
  write(
    `${paint('cyan', 'hint:')} In the state ${visible(state)} it accepts ${visible(events)}.\n`,
  );
}
