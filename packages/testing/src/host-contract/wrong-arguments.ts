import { expect } from 'vitest';
import type { Host } from '@dramaturg/host';
import { rehearsalCharts } from './rehearsal.ts';
import type { Fact, HostStage } from './stage.ts';

const { job: chart } = rehearsalCharts;

/** Correct arguments by operation. Each test replaces or leaves out some of them. */
const operations = {
  acts: [{}, { limit: 1 }],
  addNote: ['a', 'Eva', 'A note.'],
  announce: ['http://127.0.0.1'],
  announced: [],
  assess: [{ name: 'chat', chart, lifecycle: 'own' }, {}, { limit: 1 }],
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
  Exclude<keyof Host, 'activeCount' | 'definitions' | 'settle' | 'stop' | 'stopped' | symbol>,
  readonly unknown[]
>;

const wrong: readonly unknown[] = [undefined, null, 0, '', 'x', true, [], {}, [null], () => {}];

export function wrongArguments(fact: Fact): void {
  fact(
    'no operation throws an error without a code for a missing or wrong argument',
    async (stage) => {
      await stage.greeted('a', 'ada');
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
