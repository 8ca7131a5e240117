import { visible } from '@dramaturg/compiler/text';
import type { Answer, InstanceView, OutgoingMessage } from '@dramaturg/host';
import { limitOptionsIn, readLimits } from '../../limits.ts';
import { type Output, outputTo, jsonText } from '../../output.ts';
import { type ExitCode, exitCodes } from '../../usage-error.ts';
import { explainFailures } from '../gateway/explain-error.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { openGateway, ownerName } from '../gateway/open-gateway.ts';
import type { HostSettings } from '../gateway/open-host.ts';
import { type Show, showWith } from '../gateway/provider-channels.ts';
import { requireStore } from '../gateway/store-folder.ts';
import type { HostOptions } from '../host-options.ts';
import { localTime } from '../print/time.ts';

/** The result of an operation on an instance. */
export interface Outcome {
  /** The id of the instance; null when the operation concerned none. */
  readonly id: string | null;
  readonly answer: Answer;
  /** Why the instance has failed since, or needs a person. */
  readonly trouble?: string;
}

interface Operation {
  readonly folder: string;
  readonly command: string;
  readonly options: HostOptions & { readonly channel?: string };
  /** Settings of a new store, for a command that may create one. */
  readonly newStore?: Pick<HostSettings, 'kind'> | undefined;
  readonly operation: (gateway: Gateway) => Promise<Outcome>;
}

/**
 * Opens a store, does something with its instances, and prints the outcome. Where this process is the host, it waits until
 * everything that follows has settled.
 */
export async function runOperation({
  folder,
  command,
  options,
  newStore,
  operation,
}: Operation): Promise<ExitCode> {
  const output = outputTo(process.stdout);
  const messages = new SentMessages(output, options.json === true);
  return explainFailures(folder, async () => {
    if (!newStore) await requireStore(folder);
    const gateway = await openFor({ folder, command, options, newStore }, messages.show);
    let outcome: Outcome;
    let isSettled: boolean | undefined;
    try {
      outcome = await operation(gateway);
      isSettled = await gateway.settle();
      outcome = await withCurrentState(gateway, outcome);
    } finally {
      await gateway.close();
    }
    return printOutcome(outcome, { output, messages, options, isSettled });
  });
}

/** Opens a store for a command that changes instances, or finds the host that runs it. */
export async function openFor(
  { folder, command, options, newStore }: Omit<Operation, 'operation'>,
  show: HostSettings['show'],
): Promise<Gateway> {
  const limits = await readLimits(options);
  const gateway = await openGateway({
    ...options,
    folder,
    name: ownerName(command),
    show,
    limits,
    settleTimeoutMs: options.within,
    contactChannel: options.channel,
    ...newStore,
  });
  if (gateway.isServed) warnOfUnusedOptions(options);
  return gateway;
}

/** A running host has its own agents, model, webhook, timeout and limits. */
function warnOfUnusedOptions(options: HostOptions): void {
  const { agents, s3, webhook, model, callTimeout, mcpServer, mcpConfig } = options;
  const given = {
    '--agents': agents,
    '--s3': s3,
    '--mcp-server': mcpServer,
    '--mcp-config': mcpConfig,
    '--webhook': webhook,
    '--model': model,
    '--call-timeout': callTimeout,
  };
  const named = Object.entries(given).flatMap(([name, value]) => (value ? [name] : []));
  const unused = [...named, ...limitOptionsIn(options)];
  if (unused.length === 0) return;
  const are = unused.length === 1 ? 'is' : 'are';
  process.stderr.write(
    `A host runs this store, so ${unused.join(' and ')} ${are} ignored: the options of "dramaturg serve" apply.\n`,
  );
}

/** The answer has the state right after the event; later steps may have changed it. */
async function withCurrentState(gateway: Gateway, { id, answer }: Outcome): Promise<Outcome> {
  if (gateway.isServed || id === null || !answer.accepted) return { id, answer };
  const view = await gateway.get(id);
  const trouble = troubleIn(view);
  return {
    id,
    answer: { ...answer, state: view.state },
    ...(trouble === undefined ? {} : { trouble }),
  };
}

/** The reason that the lifecycle gives. Undefined for a cancelled instance: the person who cancelled it knows the reason. */
function troubleIn({ ended, state, lifecycle }: InstanceView): string | undefined {
  const { failure_reason: failure, intervention_reason: intervention } = lifecycle;
  const needsPerson = state === 'NEEDS_HUMAN_INTERVENTION';
  const reason = ended ? failure : needsPerson ? intervention : undefined;
  return typeof reason === 'string' && reason !== 'cancelled' ? reason : undefined;
}

interface Presentation {
  readonly output: Output;
  readonly messages: SentMessages;
  readonly options: HostOptions;
  /** Undefined where the host is another process, which sends messages to its own channels. */
  readonly isSettled: boolean | undefined;
}

function printOutcome(
  { id, answer, trouble }: Outcome,
  { output, messages, options, isSettled }: Presentation,
): ExitCode {
  const code = answer.accepted ? exitCodes.fine : exitCodes.refused;
  if (options.json) {
    const settling = isSettled === undefined ? {} : { settled: isSettled, messages: messages.sent };
    const value = { id, ...answer, ...(trouble === undefined ? {} : { trouble }), ...settling };
    output.write(jsonText(value));
    return code;
  }
  if (answer.accepted) {
    const mark = trouble === undefined ? output.paint('green', '✓') : output.paint('red', '✗');
    const { owner } = answer;
    const has = owner ? `, ${owner.by} has it until ${localTime(owner.until)}` : '';
    output.write(`${mark} ${visible(id ?? '')}: ${visible(answer.state)}${visible(has)}\n`);
    if (trouble !== undefined) output.write(`  ${visible(trouble)}\n`);
  } else {
    printRefusal(answer);
  }
  if (isSettled === false) {
    process.stderr.write(
      'Some work is still running: it continues when the store is opened again.\n',
    );
  }
  return code;
}

function printRefusal({
  state,
  code,
  because,
  accepts,
}: Answer & { readonly accepted: false }): void {
  const { write, paint } = outputTo(process.stderr);
  write(`${paint('red', 'refused:')} ${visible(because)} ${paint('dim', `(${visible(code)})`)}\n`);
  const events = accepts.join(', ');
  // Most refusals list the events themselves, and some are not about the event at all.
  if (because.includes(events)) return;
  write(
    `${paint('cyan', 'hint:')} In the state ${visible(state)} it accepts ${visible(events)}.\n`,
  );
}

/** The messages that instances send while a command runs: shown immediately, or collected for the JSON at the end. */
export class SentMessages {
  readonly sent: OutgoingMessage[] = [];
  readonly show: Show;

  constructor({ write }: Output, isJson: boolean) {
    const shown = showWith(write);
    this.show = (message) => {
      this.sent.push(message);
      if (!isJson) shown(message);
    };
  }
}
