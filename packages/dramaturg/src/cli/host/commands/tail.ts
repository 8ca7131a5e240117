import { visible } from '@dramaturg/compiler/text';
import type { HostEvent } from '@dramaturg/host';
import { type Command, command } from '../../command.ts';
import { outputTo, jsonLine } from '../../output.ts';
import { exitCodes, UsageError } from '../../usage-error.ts';
import { findInstance, runningHost } from '../gateway/open-gateway.ts';
import { wordsFor } from '../restate/location.ts';
import { requireStore } from '../gateway/store-folder.ts';
import { writeEventLine } from '../print/log-lines.ts';
import { explainFailures } from '../gateway/explain-error.ts';

export function tailCommand(): Command {
  return command('tail')
    .json('print every event as a line of JSON')
    .description('Prints the events of a running host as they happen, until it stops or Ctrl+C.')
    .store()
    .argument('[id]', 'only events of this instance: its id, or the first characters of it')
    .examples('dramaturg tail conversations', 'dramaturg tail conversations 3f2a --json')
    .action(
      async (folder: string, given: string | undefined, { json }: { readonly json?: true }) => {
        await explainFailures(folder, () => tail(folder, given, json === true));
      },
    );
}

/** The hint for a store that no host runs. */
export function howToServe(folder: string): string {
  return `"dramaturg serve ${wordsFor(folder)}" starts one.`;
}

async function tail(folder: string, given: string | undefined, isJson: boolean): Promise<void> {
  await requireStore(folder);
  const host = await runningHost(folder);
  if (!host) {
    throw new UsageError(
      `No host runs the store "${visible(folder)}", so it has no events.`,
      `${howToServe(folder)} "dramaturg logs ${visible(folder)} <id> --journal" prints past events.`,
      exitCodes.storeUnusable,
      'host/not-running',
    );
  }
  const instance = given === undefined ? undefined : await findInstance(host, given, folder);
  const output = outputTo(process.stdout);
  const events = await host.follow(instance === undefined ? {} : { instance });
  if (!isJson) process.stderr.write('Waiting for events. Ctrl+C stops the command.\n');
  let hasEnded = false;
  for await (const event of events) {
    hasEnded = instance !== undefined && event.event.type === 'instance.ended';
    if (isJson) output.write(jsonLine(event));
    else writeEventLine(output, withTextOnce(event), event.instance);
  }
  process.stderr.write(hasEnded ? 'The instance has ended.\n' : 'The host has stopped.\n');
}

/** Removes the text from the event of a conversation: its lifecycle emits the same message with the text. */
export function withTextOnce(hostEvent: HostEvent): HostEvent {
  const { source, event } = hostEvent;
  if (source !== 'flow' || event.type !== 'message.sent') return hostEvent;
  const { text: _text, ...rest } = event;
  return { ...hostEvent, event: rest };
}
