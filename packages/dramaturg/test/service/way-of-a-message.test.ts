import { readFile } from 'node:fs/promises';
import { Lane, Serial, TaskQueue } from '@dramaturg/host/engine';
import { memoryStore, type Store } from 'dramaturg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { served } from './stage.ts';

/** The functions with a name that called the caller of this function, the first one first. Frames of other packages are left out. */
function namedCallers(): readonly string[] {
  const stack = new Error('Only its stack is used.').stack!.split('\n').slice(1);
  return stack
    .filter((frame) => /packages\/.*\/src\//.test(frame))
    .flatMap((frame) => /at (?:async )?(?:Object\.)?([\w.#]+) \(/.exec(frame)?.[1] ?? [])
    .toReversed();
}

/** The queues that end a call chain: what they run later has a stack of its own. */
const queues = [
  [Serial, 'run'],
  [TaskQueue, 'step'],
  [Lane, 'add'],
] as const;

/** Calls `pass` with the stations of a call, from the last queue, each time that it reaches the next one. */
function watchQueues(pass: (end: string, stations: readonly string[]) => void): void {
  for (const [queue, name] of queues) {
    const own = (queue.prototype as never)[name] as (...given: unknown[]) => unknown;
    const spy = vi.spyOn(queue.prototype as never, name) as ReturnType<typeof vi.fn>;
    spy.mockImplementation(function (this: unknown, ...given: unknown[]) {
      const station = `${queue.name}.${name}`;
      pass(station, [...namedCallers(), station]);
      return own.apply(this, given);
    });
    onTestFinished(() => spy.mockRestore());
  }
}

/** The two ways on the page of the architecture: from the socket to the store, and from there to the channel. */
async function describedWays(): Promise<readonly (readonly string[])[]> {
  const page = await readFile(new URL('../../../../docs/architecture.md', import.meta.url), 'utf8');
  const [, block = ''] = /## The way of a message\n[^]*?```text\n([^]*?)```/.exec(page) ?? [];
  const ways = block.split(/^(?=store)/m);
  return ways.map((way) => way.split('→').map((station) => station.trim()));
}

test('a message passes the stations that the page of the architecture lists', async () => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  onTestFinished(() => void (Error.stackTraceLimit = stackTraceLimit));
  const passes: { readonly end: string; readonly stations: readonly string[] }[] = [];
  const pass = (end: string, stations: readonly string[]) => passes.push({ end, stations });
  const memory = memoryStore();
  const store = {
    ...memory,
    open: async (...given: Parameters<typeof memory.open>): Promise<Store> => {
      const opened = await memory.open(...given);
      const own = opened.commit.bind(opened);
      const commit: Store['commit'] = (change) => {
        pass('store', namedCallers());
        return own(change);
      };
      return Object.assign(opened, { commit });
    },
  };
  const deliver = async () => void pass('channel', namedCallers());
  const { ask, host } = await served({}, { store, channels: { main: { deliver } } });
  await ask('POST', '/instances', { definition: 'intake', contact: 'ada', channel: 'main' });
  await host.settle();
  watchQueues(pass);
  passes.length = 0;
  await ask('POST', '/messages', { contact: 'ada', channel: 'main', text: 'Hello', id: '1' });
  await host.settle();

  const upTo = (end: string) => passes.find((each) => each.end === end)?.stations ?? [];
  const toStore = [...upTo('Serial.run'), ...upTo('TaskQueue.step'), ...upTo('store')];
  const speaking = passes.find(({ stations }) => stations.includes('MessageSender.apply'));
  const queued = speaking?.stations ?? [];
  const toChannel = [...queued.slice(queued.indexOf('Runner.#apply')), ...upTo('channel')];
  expect(await describedWays()).toEqual([
    ['socket', ...toStore, 'store'],
    ['store', ...toChannel, 'channel'],
  ]);
});
