import type { Host } from '@dramaturg/host';
import { expect } from 'vitest';
import { rehearsalCharts } from './rehearsal.ts';
import { type Fact, type HostStage, until, refuses } from './stage.ts';

const names = [
  '__proto__',
  'constructor',
  '../../outside',
  'a/b\\c',
  'CON',
  '%2e%2e',
  "'; DROP TABLE records; --",
  '💥\n\t\u0000',
  ' spaces ',
  'x'.repeat(200),
];

/** H8: input from outside is data. */
export function hostileInput(fact: Fact): void {
  fact('H8: any text is an id, and stays one instance', async (stage) => {
    for (const id of names) await stage.host.start('chat', { id, contact: id });
    await stage.reopen();
    for (const id of names) expect((await stage.host.get(id)).id).toBe(id);
    expect((await stage.host.list({}, { limit: 100 })).items).toHaveLength(names.length);
  });

  fact('the longest id holds a conversation', async (stage) => {
    const id = 'x'.repeat(200);
    await stage.greeted(id, 'ada');
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.agent.answer('Good.');
    await stage.reaches(id, 'WAITING_FOR_REPLY');
    expect(await stage.host.intervene(id, 'A note.')).toMatchObject({ accepted: true });
    expect(stage.channel.texts).toEqual([`Hello from ${id}.`, 'Good.', 'A note.']);
  });

  fact('the longest id has children as deep as any other', async (stage) => {
    await stage.reopen({ definitionOf: (agent) => (agent === 'first' ? 'job' : undefined) });
    await stage.host.start('job', { id: 'x'.repeat(200) });
    const ids = async () => (await stage.host.list({}, { limit: 100 })).items.map(({ id }) => id);
    await until(async () => (await ids()).length === 17, 'all children');
    const deepest = (await ids()).at(-1)!;
    await until(async () => (await stage.host.get(deepest)).ended, 'the deepest to end');
    expect((await stage.host.get(deepest)).lifecycle['failure_reason']).toContain('16 levels deep');
  });

  fact.greeted('H8: any text is a message', async (stage) => {
    for (const text of names) await stage.host.receive({ contact: 'ada', text });
    await stage.reopen();
    const said = await stage.said('a');
    for (const text of names) expect(said).toContain(`contact: ${text}`);
  });

  fact.greeted('H8: events that only a host may send are refused from outside', async (stage) => {
    const before = await stage.host.get('a');
    for (const type of ['agent.ended', 'turn.ended', 'manual_send', 'prior_instance_terminal'])
      await refuses(stage.host.send('a', { type }), 'host/bad-request');
    for (const type of ['', '*', 'xstate.stop', 'xstate.done.actor.timer'])
      await refuses(stage.host.send('a', { type }), 'host/bad-request');
    expect(await stage.host.get('a')).toEqual(before);
  });

  fact.greeted('H8: invalid input is refused with a message', async (stage) => {
    const { host } = stage;
    for (const event of [
      { type: 'message.received' },
      { type: 'message.received', text: '' },
      { type: 'message.received', text: 7 },
      { type: 'message.received', text: 'x'.repeat(200_000) },
      { type: 'toString' },
    ])
      expect(await host.send('a', event)).toMatchObject({
        accepted: false,
        because: expect.stringMatching(/\.$/) as string,
      });
    for (const id of ['', ' ', '.', '..', 'x'.repeat(201), 'definition:chat', 'host:alive'])
      await refuses(host.start('chat', { id }), 'host/bad-request');
    await refuses(host.start('chat', { contact: ' ' }), 'host/bad-request');
    for (const at of [undefined, null, {}, { checkpoint: undefined }, { checkpoint: '' }])
      await expect(host.fork('a', at as never)).rejects.toMatchObject({
        code: 'host/bad-request',
        message: expect.stringMatching(/"step", or at a "checkpoint"/) as string,
      });
    for (const read of ['transcript', 'journal'] as const)
      await expect(host[read]('a', undefined as never)).rejects.toMatchObject({
        code: 'store/bad-request',
        message: expect.stringMatching(/\{ from, limit \}/) as string,
      });
    await expect(host.start('chat', { channel: 'pigeon' })).rejects.toThrow(/pigeon.*main/);
    await expect(
      host.start('chat', { lifecycleInput: { heartbeat_config: { interval_ms: 3_000_000_000 } } }),
    ).rejects.toThrow(/interval_ms/);
    expect((await host.list()).items).toHaveLength(1);
  });
}

const { job: chart } = rehearsalCharts;

/** Correct arguments by operation. Each test replaces or leaves out some of them. */
const operations = {
  acts: [{}, { limit: 1 }],
  addNote: ['a', 'Eva', 'A note.'],
  announce: ['http://127.0.0.1'],
  announced: [],
  assess: [{ name: 'chat', chart, lifecycle: 'own' }, {}, { limit: 1 }],
  attachment: ['a', { key: 'none' }],
  backup: ['copy'],
  cancel: ['none', 'no reason', {}],
  chart: ['chat'],
  charts: ['a'],
  checkpoints: ['a'],
  cursor: [{}],
  damaged: [],
  decide: ['a/1', { option: 'yes' }],
  decision: ['a/1'],
  decisions: [{}, { limit: 1 }],
  define: [{ name: 'other', chart, lifecycle: 'own' }],
  draft: ['a', { by: 'Eva' }],
  erase: [{ contact: 'nobody' }],
  events: [{}],
  export: [{ contact: 'nobody' }],
  fork: ['a', { step: 1 }],
  get: ['a'],
  handBack: ['a', { by: 'Eva' }],
  inbox: [{}, { limit: 1 }],
  intervene: ['none', 'Hello.', {}],
  items: ['a', {}, { limit: 1 }],
  journal: ['a', { from: 0, limit: 1 }],
  learn: [],
  list: [{}, { limit: 1 }],
  migrate: ['a', {}],
  pause: ['a', {}],
  queues: [],
  readerPosition: ['reader'],
  ready: [],
  receive: [{ contact: 'eve', text: 'Hi.' }],
  renewClaim: ['a', { by: 'Eva' }],
  reportDelivery: [{ instance: 'a', message: 'm', status: 'read' }],
  reportError: [new Error('none'), 'testing'],
  resume: ['a', {}],
  send: ['a', { type: 'message.received', text: 'Hi.' }],

  start: ['chat', { id: 'b' }],
  takeOver: ['a', { by: 'Eva' }],
  transcript: ['a', { from: 0, limit: 1 }],
  undoMigration: ['a'],
  verify: [() => {}],
} satisfies Record<
  Exclude<
    keyof Host,
    'activeCount' | 'definitions' | 'keepsFiles' | 'settle' | 'stop' | 'stopped' | symbol
  >,
  readonly unknown[]
>;

const wrong: readonly unknown[] = [undefined, null, 0, '', 'x', true, [], {}, [null], () => {}];

export function wrongArguments(fact: Fact): void {
  fact.greeted(
    'no operation throws an error without a code for a missing or wrong argument',
    async (stage) => {
      const problems: string[] = [];
      for (const [name, right] of Object.entries(operations))
        for (const given of variantsOf(right)) {
          // Skipped, because the backup would be written.
          if (name === 'backup' && typeof given[0] === 'string') continue;
          const error = await errorOf(stage, name as keyof typeof operations, given);
          if (typeof (error as { code?: unknown })?.code === 'string' || error === undefined)
            continue;
          problems.push(
            `${name}(${given.map((each) => show(each)).join(', ')}): ${(error as Error).message}`,
          );
        }
      for (const name of ['settle', 'stop'] as const)
        expect(await errorOf(stage, name, [null])).toMatchObject({ code: 'host/bad-request' });
      expect(problems).toEqual([]);
    },
  );
}

function* variantsOf(right: readonly unknown[]): Generator<readonly unknown[]> {
  for (let count = 0; count < right.length; count += 1) yield right.slice(0, count);
  for (const [index, value] of right.entries()) {
    for (const other of wrong) yield right.with(index, other);
    if (typeof value !== 'object') continue;
    for (const key of Object.keys(value as object))
      for (const other of wrong) yield right.with(index, { ...value, [key]: other });
  }
}

async function errorOf(
  { host }: HostStage,
  name: keyof typeof operations | 'settle' | 'stop',
  given: readonly unknown[],
): Promise<unknown> {
  try {
    const operation = host[name] as (...values: unknown[]) => unknown;
    const result: unknown = await operation.apply(host, [...given]);
    // The function runs only when the iteration begins.
    if (name === 'export') await (result as AsyncGenerator).next();
    if (name === 'events') await (result as AsyncGenerator).return(undefined);
    return undefined;
  } catch (error) {
    return error;
  }
}

function show(value: unknown): string {
  return typeof value === 'function' ? 'function' : (JSON.stringify(value) ?? 'undefined');
}
