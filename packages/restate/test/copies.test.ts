import { asl } from '@dramaturg/asl';
import type { Host } from '@dramaturg/host';
import { chartOf, rehearsalBehaviour, rehearsalCharts, until } from '@dramaturg/testing';
import { freePort, sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { restateHost, type RestateHostOptions } from '../src/index.ts';
import { lifecycles } from './lifecycles.ts';

const reason = whyNoRestate();

const research = {
  StartAt: 'Collect',
  States: {
    Collect: { Type: 'Task', Agent: 'Collect', ResultPath: '$.found', Next: 'Keep' },
    Keep: { Type: 'Checkpoint', Name: 'collected', TTL: '1d', Next: 'Brief' },
    Brief: { Type: 'Checkpoint', Name: 'brief', TTL: '1s', Next: 'Judge' },
    Judge: { Type: 'Task', Agent: 'Judge', ResultPath: '$.verdict', End: true },
  },
};

/** A Map of items that make no calls: a step starts 1,024 of them. */
const many = {
  StartAt: 'Each',
  States: {
    Each: {
      Type: 'Map',
      ItemsPath: '$.items',
      ItemProcessor: { StartAt: 'Do', States: { Do: { Type: 'Pass', End: true } } },
      End: true,
    },
  },
};

async function open(options: Partial<RestateHostOptions>): Promise<Host> {
  const { ingress, admin } = await sharedRestate();
  const host = await restateHost({
    ingress,
    admin,
    namespace: `copies-${process.pid}-${Math.random()}`,
    handlers: { port: await freePort() },
    definitions: [
      { name: 'chat', chart: rehearsalCharts.chat, lifecycle: lifecycles.conversation },
      { name: 'research', chart: chartOf(research, asl), lifecycle: lifecycles.workflow },
      { name: 'many', chart: chartOf(many, asl), lifecycle: lifecycles.workflow },
    ],
    behaviours: new Map([
      ['rehearsal', rehearsalBehaviour],
      ['asl', asl.behaviour],
      [lifecycles.conversation.format, lifecycles.behaviour],
    ]),
    ...options,
  });
  onTestFinished(() => host.stop({ within: 0 }));
  return host;
}

async function reaches(host: Host, id: string, state: string): Promise<void> {
  await until(async () => (await host.get(id)).state === state, `${id} to reach ${state}`);
}

async function saidBy(host: Host, id: string): Promise<string[]> {
  const lines = await host.transcript(id, { from: 0, limit: 100 });
  return lines.filter(({ role }) => role !== 'system').map(({ text }) => text);
}

describe.skipIf(reason !== undefined)(`copies on Restate${reason ? ` (${reason})` : ''}`, () => {
  test('a fork goes on from a step, and its original is not changed', async () => {
    const host = await open({
      ports: { reply: async ({ message }) => ({ text: `To ${message ?? 'nobody'}.` }) },
      channels: { main: { deliver: async () => {} } },
    });
    await host.start('chat', { id: 'a', contact: 'ada' });
    await reaches(host, 'a', 'WAITING_FOR_REPLY');
    await host.receive({ contact: 'ada', text: 'one' });
    await reaches(host, 'a', 'WAITING_FOR_REPLY');
    expect(await host.settle()).toBe(true);
    const before = await host.get('a');
    expect(await host.fork('a', { step: 2, id: 'b' })).toMatchObject({ id: 'b' });
    await reaches(host, 'b', 'WAITING_FOR_REPLY');
    expect(await saidBy(host, 'b')).toEqual(['To nobody.']);
    await host.send('b', { type: 'message.received', text: 'two' });
    await until(async () => (await saidBy(host, 'b')).length === 3, 'the answer to the copy');
    expect(await saidBy(host, 'b')).toEqual(['To nobody.', 'two', 'To two.']);
    expect(await host.get('a')).toEqual(before);
    expect((await host.list()).items.map(({ id }) => id)).toEqual(['a', 'b']);
    expect((await host.list({ contact: 'ada' })).items.map(({ id }) => id)).toEqual(['a']);
    await expect(host.start('chat', { id: '..' })).rejects.toMatchObject({
      code: 'host/bad-request',
    });
    await expect(host.fork('a', { step: 2, id: 'b' })).rejects.toMatchObject({
      code: 'host/exists',
    });
    await expect(host.fork('a', { step: 99, id: 'c' })).rejects.toMatchObject({
      code: 'host/bad-request',
    });
    await expect(host.get('c')).rejects.toMatchObject({ code: 'host/unknown-instance' });
  });

  test('a fork in the middle of items without calls starts the others', async () => {
    const host = await open({});
    const items = Array.from({ length: 2500 }, (_, index) => index);
    await host.start('many', { id: 'm', input: { input: { items } } });
    await reaches(host, 'm', 'COMPLETED');
    await host.fork('m', { step: 1, id: 'n' });
    await reaches(host, 'n', 'COMPLETED');
    expect((await host.get('n')).output).toEqual(items);
  });

  test('a save point outlives its run, begins a copy, and expires', async () => {
    const asked: string[] = [];
    let verdict = 'bad';
    const host = await open({
      ports: {
        runAgent: async ({ agent }) => {
          asked.push(agent);
          if (agent === 'Judge' && verdict === 'bad') throw new Error('no verdict');
          return { result: agent === 'Judge' ? verdict : 'much' };
        },
      },
    });
    await host.start('research', { id: 'r', input: { input: { topic: 'tea' } } });
    await until(async () => (await host.get('r')).ended, 'the run to fail');
    const isExpired = async () => (await host.checkpoints('r')).length === 1;
    await until(isExpired, 'the second save point to expire');
    expect(await host.checkpoints('r')).toMatchObject([{ name: 'collected' }]);
    await expect(host.fork('r', { checkpoint: 'brief', id: 'late' })).rejects.toMatchObject({
      code: 'host/unknown-checkpoint',
    });
    verdict = 'good';
    await host.fork('r', { checkpoint: 'collected', id: 'again' });
    await until(async () => (await host.get('again')).ended, 'the copy to end');
    expect(await host.get('again')).toMatchObject({
      copyOf: { instance: 'r', checkpoint: 'collected' },
      output: { topic: 'tea', found: 'much', verdict: 'good' },
    });
    expect(asked.filter((agent) => agent === 'Collect')).toHaveLength(1);
  });
});
