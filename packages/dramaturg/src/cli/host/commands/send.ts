import { type EventObject, isRecord } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import type { WrittenContact } from '@dramaturg/host';
import { type Command, command, examples } from '../../command.ts';
import { readJsonArgument, readText, standardInput } from '../../files.ts';
import { exitCodes, UsageError } from '../../usage-error.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { findInstance } from '../gateway/open-gateway.ts';
import { contactChannelOption, type HostOptions, withHostOptions } from '../host-options.ts';
import { runOperation, type Outcome } from './run-operation.ts';

interface SendOptions extends HostOptions {
  readonly event?: string | undefined;
  readonly from?: string | undefined;
  readonly channel?: string;
}

export function sendCommand(): Command {
  return withHostOptions(command('send').json())
    .description('Sends an instance a message from its contact, or another event.')
    .usage('[options] <store> <id> <text>')
    .store()
    .argument(
      '<words...>',
      'the instance and the text; with --event only the instance, with --from only the text; "-" as the text reads standard input',
    )
    .option(
      '--event <json>',
      'send this event instead of a message: inline JSON, or a file with JSON',
    )
    .option('--from <contact>', 'send the message to the instance that holds this contact')
    .option(...contactChannelOption)
    .addHelpText(
      'after',
      `
If the state of the instance does not allow this, the command prints why and exits with 6.
${examples([
  'dramaturg send conversations 3f2a "My name is Ada"',
  'dramaturg send conversations --from "+56 9 1234 5678" --channel twilio "My name is Ada"',
  `dramaturg send conversations 3f2a --event '{"type": "decision.made", "decision": "approve"}'`,
])}`,
    )
    .action(async (folder: string, words: string[], options: SendOptions) => {
      const send = await sendingOf(folder, words, options);
      return runOperation({ folder, command: 'send', options, operation: send });
    });
}

async function sendingOf(
  folder: string,
  words: readonly string[],
  { event, from, channel }: SendOptions,
): Promise<(gateway: Gateway) => Promise<Outcome>> {
  if (event !== undefined && from !== undefined) {
    throw new UsageError(
      '--event and --from cannot be used together: an event needs an instance, not a contact.',
      'Leave out --from and name the instance, or leave out --event.',
    );
  }
  const alone = event !== undefined || from !== undefined;
  const [first, second] = words as [string, string | undefined];
  if (words.length !== (alone ? 1 : 2)) throw wrongWords(words, { event, from });
  if (event !== undefined) {
    const sent = await eventGiven(event);
    return async (gateway) => {
      const id = await findInstance(gateway, first, folder);
      return { id, answer: await gateway.send(id, { event: sent }) };
    };
  }
  const text = await textGiven(alone ? first : second!);
  if (from !== undefined) return (gateway) => receive(gateway, { contact: from, channel }, text);
  return async (gateway) => {
    const id = await findInstance(gateway, first, folder);
    return { id, answer: await gateway.send(id, { event: { type: 'message.received', text } }) };
  };
}

async function receive(gateway: Gateway, from: WrittenContact, text: string): Promise<Outcome> {
  const routed = await gateway.receive({ ...from, text });
  if (routed.instance === null) {
    if (routed.code === 'host/busy')
      throw new UsageError(
        'Too many messages of the contact wait. The message was not stored.',
        `Send it again in ${(routed.retryAfterMs ?? 1_000) / 1_000} s.`,
        exitCodes.refused,
        routed.code,
      );
    throw new UsageError(
      `No instance holds the contact "${visible(from.contact)}". The message was not stored.`,
      'Start a conversation: dramaturg start <store> <definition> --contact <contact>.',
      exitCodes.refused,
      routed.code,
    );
  }
  const { instance, ...answer } = routed;
  return { id: instance, answer };
}

async function eventGiven(given: string): Promise<EventObject> {
  const hint = `Write it like this: --event '{"type": "decision.made", "decision": "approve"}'.`;
  const event = await readJsonArgument(given, '--event', hint);
  if (isRecord(event) && typeof event['type'] === 'string') return event as EventObject;
  throw new UsageError('The event is not a JSON object with a "type".', hint);
}

async function textGiven(given: string): Promise<string> {
  return given === standardInput ? (await readText(standardInput)).trimEnd() : given;
}

function wrongWords(
  words: readonly string[],
  { event, from }: Pick<SendOptions, 'event' | 'from'>,
): UsageError {
  if (event !== undefined) {
    return new UsageError(
      '--event takes the store and the instance only.',
      `Write: dramaturg send <store> <id> --event '{"type": ...}'.`,
    );
  }
  if (from !== undefined) {
    return new UsageError(
      '--from takes the store and the text only.',
      'Write: dramaturg send <store> --from <contact> "<text>".',
    );
  }
  return words.length < 2
    ? new UsageError(
        'The text of the message is missing.',
        'Write: dramaturg send <store> <id> "<text>".',
      )
    : new UsageError(
        'The message has several words without quotes.',
        'Put quotes around the text: dramaturg send <store> <id> "<text>".',
      );
}
