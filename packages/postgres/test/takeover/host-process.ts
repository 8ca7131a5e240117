/**
 * A process for tests: a host that waits for its store, works as soon as it has it, and waits again when it has lost it. Prints
 * a line of JSON for each event.
 *
 * Arguments: URL of the store, name of the host, file to which the channel appends deliveries.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createHost, type Host } from '@dramaturg/host';
import { chartOf, rehearsalBehaviour, rehearsalCharts } from '@dramaturg/testing';
import { conversationLifecycle, lifecycle } from '@dramaturg/lifecycle';
import { postgresStore } from '@dramaturg/postgres';

const [url, name, deliveries] = process.argv.slice(2) as [string, string, string];
const conversation = chartOf(conversationLifecycle, lifecycle);
const stopping = new AbortController();
let current: Host | undefined;
let count = 0;

process.once('SIGTERM', () => {
  stopping.abort();
  void current?.stop({ within: 1_000 });
});
while (!stopping.signal.aborted) {
  await serve().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
}

async function serve(): Promise<void> {
  const host = await createHost({
    store: postgresStore(url, {
      standby: {
        signal: stopping.signal,
        onWaiting: (holder) => print({ type: 'waiting', holder: holder?.owner }),
      },
    }),
    name,
    definitions: [{ name: 'chat', chart: rehearsalCharts.chat, lifecycle: conversation }],
    behaviours: new Map([
      ['rehearsal', rehearsalBehaviour],
      [conversation.format, lifecycle.behaviour],
    ]),
    ports: { reply: async () => ({ text: 'Hello.' }) },
    channels: {
      main: {
        deliver: ({ id }) => {
          const line = { id, by: name, pid: process.pid, at: Date.now() };
          appendFileSync(deliveries, `${JSON.stringify(line)}\n`);
        },
      },
    },
    onError: (error, doing) => print({ type: 'trouble', doing, message: String(error) }),
  });
  current = host;
  print({ type: 'ready' });
  void work(host);
  const loss = await host.stopped;
  print({ type: loss ? 'lost' : 'stopped', message: loss?.message });
}

async function work(host: Host): Promise<void> {
  const over = new AbortController();
  void host.stopped.then(() => over.abort());
  while (!over.signal.aborted) {
    const id = `${name}-${process.pid}-${(count += 1)}`;
    try {
      await host.start('chat', { id, contact: id });
      print({ type: 'stored', id });
    } catch (error) {
      print({ type: 'refused', message: String(error) });
    }
    await pause(20);
  }
}

function print(event: object): void {
  process.stdout.write(`${JSON.stringify({ ...event, at: Date.now() })}\n`);
}
