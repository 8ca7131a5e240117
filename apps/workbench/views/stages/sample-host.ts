import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { manualClock, type ManualClock } from '@dramaturg/host/browser';
import {
  compile,
  conversationLifecycle,
  createHost,
  type Host,
  type HostOptions,
  PortError,
  type Ports,
  understudyPorts,
} from 'dramaturg';
import { moment } from '../moment.ts';

const examples = new URL('../../../../docs/examples/', import.meta.url);

/** What people write, in order. */
const people: readonly (readonly [contact: string, ...texts: string[]])[] = [
  ['maria', 'Maria', '4711-B', 'I was charged twice'],
  ['mateo', 'Mateo', '4711-B', 'The device does not start'],
  ['dara', 'Dara', 'This message makes the model fail'],
  ['chioma', 'Chioma'],
  ['elif', 'Elif', 'I want to speak to a person'],
];

/**
 * A host with conversations and workflows that began an hour before the moment of all views. Each call takes some of its time.
 *
 * @param isServed the clock of the host comes to this moment, and its timers fire
 */
export async function openSampleHost({
  isServed = false,
  ...options
}: Pick<HostOptions, 'store' | 'channels'> & { readonly isServed?: boolean }): Promise<Host> {
  const clock = manualClock({ startAt: moment - 3_600_000 });
  const packers = new Packers();
  const pass = (ms: number) => clock.set(clock.now() + ms);
  let ids = 0;
  const uuid = () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`;
  const host = await createHost({
    ...options,
    clock: { ...clock, world: { ...clock.world, uuid, random: () => 0.5 } },
    definitions: await sampleDefinitions(),
    ports: samplePorts(clock, packers),
  });
  for (const [contact, ...texts] of people) {
    await host.start('support', { id: `support-${contact}`, contact });
    await host.settle();
    for (const text of texts) {
      pass(41_000);
      await host.receive({ contact, text, id: `${contact}: ${text}` });
      await host.settle();
    }
  }
  const order = async (id: string, items: readonly string[]) => {
    await host.start('order', { id, input: { input: { items } } });
    await host.settle();
    pass(2_000);
    await host.settle();
    pass(95_000);
    const [question] = (await host.decisions({ instance: id }, { limit: 1 })).items;
    await host.decide(question!.decision, { decision: 'approve', by: 'ana' });
  };
  await order('order-1', ['vase']);
  await host.settle();
  await host.start('refund', {
    id: 'refund-1',
    input: {
      input: { customer: 'Maria', amount: 49 },
      context: { Execution: { Requestor: 'sam' } },
    },
  });
  await host.settle();
  await order('order-2', ['bell', 'lamp', 'wheel', 'pump']);
  await packers.areBusy();
  if (isServed) clock.set(moment);
  return host;
}

/** Those who pack orders: two of the items keep them busy. */
class Packers {
  readonly #busy = new Set<string>();

  async pack(item: string, signal: AbortSignal): Promise<string> {
    if (item !== 'wheel' && item !== 'pump') return item;
    this.#busy.add(item);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  }

  async areBusy(): Promise<void> {
    while (this.#busy.size < 2) await nextTurn();
  }
}

function samplePorts(clock: ManualClock, packers: Packers): Partial<Ports> {
  const pass = async (ms: number) => {
    await nextTurn();
    clock.set(clock.now() + ms);
  };
  const { reply, extract, ...others } = understudyPorts();
  const busyOrders = new Set<string>();
  return {
    ...others,
    reply: async (input, call) => {
      await pass(1_840);
      if (input.message?.includes('fail'))
        throw new PortError('port/failed', 'reply', 'The model is overloaded.');
      const answer = await reply(input, call);
      const usage = { inputTokens: 812, outputTokens: 46, model: 'understudy' };
      if (!input.message?.includes('person')) return { ...answer, usage };
      const name = 'request_human_intervention';
      return {
        ...answer,
        usage,
        toolCalls: [{ name, arguments: { reason: 'asked for a person' } }],
      };
    },
    extract: async (input, call) => {
      await pass(620);
      return extract(input, call);
    },
    runAgent: async ({ agent, input, key }, { signal }) => {
      await pass(agent === 'Price' ? 2_300 : 5_400);
      if (agent === 'Price') {
        const order = key.split('/')[0]!;
        if (busyOrders.has(order)) return { result: 120 };
        busyOrders.add(order);
        throw Object.assign(new Error(), { error: 'Busy', cause: 'Too many requests.' });
      }
      if (input === 'vase')
        throw Object.assign(new Error(), { error: 'Broken', cause: 'The vase has a crack.' });
      return { result: await packers.pack(input as string, signal) };
    },
  };
}

async function sampleDefinitions() {
  const example = async (fileName: string) =>
    compile(await readFile(new URL(fileName, examples), 'utf8'), { fileName });
  // A failed call is not repeated.
  const policies = { ...conversationLifecycle.policies, model_failure: { attempts: 1 } };
  return {
    support: {
      definition: await example('customer-intake.plan.json'),
      lifecycle: compile(JSON.stringify({ ...conversationLifecycle, policies })),
    },
    order: await example('order.asl.json'),
    refund: await example('refund.asl.json'),
  };
}
