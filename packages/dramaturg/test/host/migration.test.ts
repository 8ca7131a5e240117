import { isRecord, type Json } from '@dramaturg/compiler';
import { InstanceHistory } from '@dramaturg/host';
import { expect, test } from 'vitest';
import { behaviours, hosted } from '../../src/host.ts';
import { compile, type HostOptions, understudyPorts } from '../../src/index.ts';
import { places, Stage } from './stage.ts';

const whole = { from: 0, limit: 10_000 };

const name = {
  id: 'name',
  instruction: 'Ask for the name',
  deliverables: [{ key: 'name', type: 'string' }],
};
const city = {
  id: 'city',
  instruction: 'Ask for the city',
  deliverables: [{ key: 'city', type: 'string' }],
};

function plan(states: object[]) {
  return compile(JSON.stringify({ id: 'intake', title: 'Intake', states }), { format: 'plan' });
}

const facts = (tasks: object[], to: string) => ({
  id: 'facts',
  title: 'Facts',
  type: 'loose',
  tasks,
  transitions: [{ target_state_id: to, condition_type: 'all_tasks_complete' }],
});
const end = (id: string) => ({
  id,
  title: 'The end',
  tasks: [{ id: 'bye', instruction: 'Say goodbye' }],
});

const first = plan([facts([name], 'done'), end('done')]);
const later = plan([facts([name], 'done'), { ...end('done'), title: 'Goodbye' }]);
const second = plan([facts([name, city], 'farewell'), end('farewell')]);
const gone = plan([end('farewell')]);

function options(store: HostOptions['store'], said: string[] = []): HostOptions {
  return {
    store,
    definitions: { intake: first },
    ports: understudyPorts(),
    channels: { main: { deliver: ({ text }) => void said.push(text) } },
  };
}

async function replayed(stage: Stage, id: string): Promise<InstanceHistory> {
  const history = new InstanceHistory({ id, charts: await stage.host.charts(id), behaviours });
  await history.take(await stage.host.journal(id, whole));
  expect(history.departures).toEqual([]);
  return history;
}

const assessed = (stage: Stage, to: ReturnType<typeof plan>, map = {}) =>
  stage.host.assess(hosted('intake', to), map, { limit: 10 });

test.each(Object.keys(places))('%s: an instance goes on with another version', async (kind) => {
  const stage = await Stage.open(options(places[kind]!()));
  await stage.host.start('intake', { id: 'a', contact: 'ada' });
  await stage.host.settle();
  const map = { states: { done: 'farewell' } };
  expect((await assessed(stage, second, map)).items).toEqual([
    {
      id: 'a',
      state: 'WAITING_FOR_REPLY',
      version: expect.any(String) as string,
      verdict: 'migratable',
      because: ['The state "facts" has changed.', '"city" is new, and is open.'],
      losses: [],
    },
  ]);
  const before = await stage.host.get('a');
  await stage.host.define(hosted('intake', second));
  expect(await stage.host.migrate('a', { map, from: before.definition.version })).toMatchObject({
    accepted: true,
  });
  // Repeated after its answer was lost.
  const { journalLength, definition } = await stage.host.get('a');
  expect(await stage.host.migrate('a', { map })).toMatchObject({ accepted: true });
  expect(await stage.host.get('a')).toMatchObject({ journalLength, definition });
  expect(definition.version).not.toBe(before.definition.version);
  await stage.restart();
  await stage.host.receive({ contact: 'ada', text: 'My name is Ada.' });
  await stage.host.settle();
  expect((await stage.host.get('a')).state).toBe('WAITING_FOR_REPLY');
  const history = await replayed(stage, 'a');
  expect(history.view().flow).toEqual((await stage.host.get('a')).flow);
  await stage.host.receive({ contact: 'ada', text: 'My city is Lima.' });
  await stage.host.settle();
  expect(JSON.stringify((await stage.host.get('a')).flow)).not.toContain('facts');
  await replayed(stage, 'a');
  const journal = await stage.host.journal('a', whole);
  expect(journal.filter((line) => eventType(line) === 'definition.migrated')).toHaveLength(2);
});

function eventType(line: Json): unknown {
  return isRecord(line) && isRecord(line['event']) ? line['event']['type'] : undefined;
}

test('an instance whose state has not changed is compatible, and one whose state is gone is blocked', async () => {
  const stage = await Stage.open(options(places['memory']!()));
  await stage.host.start('intake', { id: 'a', contact: 'ada' });
  await stage.host.settle();
  expect((await assessed(stage, later)).items).toMatchObject([
    { verdict: 'compatible', because: [] },
  ]);
  expect((await assessed(stage, gone)).items).toMatchObject([
    { verdict: 'blocked', because: ['There is no state "facts" any more.'] },
  ]);
  await stage.host.define(hosted('intake', gone));
  expect(await stage.host.migrate('a')).toMatchObject({
    accepted: false,
    code: 'migration/blocked',
    because: 'There is no state "facts" any more.',
  });
  expect(await stage.host.migrate('a', { from: 'other' })).toMatchObject({
    code: 'migration/other-version',
  });
});

test('a migration is undone while it is the last step', async () => {
  const stage = await Stage.open(options(places['memory']!()));
  await stage.host.start('intake', { id: 'a', contact: 'ada' });
  await stage.host.settle();
  const before = await stage.host.get('a');
  await stage.host.define(hosted('intake', second));
  await stage.host.migrate('a', { map: { states: { done: 'farewell' } } });
  expect(await stage.host.undoMigration('a')).toMatchObject({ accepted: true });
  const after = await stage.host.get('a');
  expect([after.definition, after.flow]).toEqual([before.definition, before.flow]);
  expect(await stage.host.undoMigration('a')).toMatchObject({ code: 'migration/not-last' });
  await replayed(stage, 'a');
  await stage.host.migrate('a', { map: { states: { done: 'farewell' } } });
  await stage.host.receive({ contact: 'ada', text: 'My name is Ada.' });
  await stage.host.settle();
  expect(await stage.host.undoMigration('a')).toMatchObject({ code: 'migration/not-last' });
  await replayed(stage, 'a');
});

test('data get new names, and values that do not fit their new declaration are lost', async () => {
  const two = (key: string, declared: object) =>
    plan([
      facts([{ ...name, deliverables: [{ key, type: 'string', ...declared }] }, city], 'done'),
      end('done'),
    ]);
  const stage = await Stage.open({
    ...options(places['memory']!()),
    definitions: { intake: two('name', {}) },
  });
  await stage.host.start('intake', { id: 'a', contact: 'ada' });
  await stage.host.settle();
  await stage.host.receive({ contact: 'ada', text: 'My name is Ada.' });
  await stage.host.settle();
  const collected = async () => (await stage.host.get('a')).collected;
  expect(JSON.stringify(await collected())).toContain('"name"');
  const asNumber = two('name', { type: 'number' });
  expect((await assessed(stage, asNumber)).items).toMatchObject([
    {
      verdict: 'migratable',
      losses: ['The value of "name", which does not fit its new declaration.'],
    },
  ]);
  expect((await assessed(stage, two('full_name', {}))).items).toMatchObject([
    {
      verdict: 'migratable',
      because: expect.arrayContaining([
        '"name" is not declared any more. Its value is kept.',
      ]) as string[],
    },
  ]);
  const map = { data: { name: 'full_name' } };
  await stage.host.define(hosted('intake', two('full_name', {})));
  expect(await stage.host.migrate('a', { map })).toMatchObject({ accepted: true });
  expect(JSON.stringify(await collected())).toContain('"full_name"');
  await replayed(stage, 'a');
  await stage.host.undoMigration('a');
  await replayed(stage, 'a');
  // What follows the values by their events, such as the views of Postgres, has the new names too.
  const journal = await stage.host.journal('a', whole);
  const reported = journal.flatMap((line) => {
    const { event } = line as { readonly event: { type: string; deliverable?: string } };
    const { type, deliverable } = event;
    return deliverable === undefined ? [] : `${type} ${deliverable}`;
  });
  expect(reported).toEqual([
    'deliverable.collected name',
    'deliverable.withdrawn name',
    'deliverable.collected full_name',
    'deliverable.withdrawn full_name',
    'deliverable.collected name',
  ]);
});

test('a history that was begun before a migration follows it', async () => {
  const stage = await Stage.open(options(places['memory']!()));
  await stage.host.start('intake', { id: 'a', contact: 'ada' });
  await stage.host.settle();
  const charts = await stage.host.charts('a');
  const rereadCharts = () => stage.host.charts('a');
  await stage.host.define(hosted('intake', second));
  await stage.host.migrate('a', { map: { states: { done: 'farewell' } } });
  await stage.host.undoMigration('a');
  const history = new InstanceHistory({ id: 'a', charts, rereadCharts, behaviours });
  await history.take(await stage.host.journal('a', whole));
  expect(history.departures).toEqual([]);
  const late = new InstanceHistory({ id: 'a', charts, behaviours });
  await expect(late.take(await stage.host.journal('a', whole))).rejects.toMatchObject({
    code: 'host/unknown-definition',
  });
});

test('a fork before a migration has the first version, and one after it the second', async () => {
  const stage = await Stage.open(options(places['memory']!()));
  await stage.host.start('intake', { id: 'a', contact: 'ada' });
  await stage.host.settle();
  const { definition, flow } = await stage.host.get('a');
  const { steps } = await replayed(stage, 'a');
  await stage.host.define(hosted('intake', second));
  await stage.host.migrate('a', { map: { states: { done: 'farewell' } } });
  const { definition: migrated } = await stage.host.get('a');
  await stage.host.fork('a', { step: steps, id: 'before' });
  await stage.host.fork('a', { step: steps + 1, id: 'after' });
  expect(await stage.host.get('before')).toMatchObject({ definition, flow });
  expect(await stage.host.get('after')).toMatchObject({ definition: migrated });
  await replayed(stage, 'after');
});

test('a workflow keeps its open question and its timer under the new version', async () => {
  const workflow = (prompt: string, last: object) =>
    compile(
      JSON.stringify({
        StartAt: 'Ask',
        States: {
          Ask: {
            Type: 'Approval',
            Prompt: prompt,
            Options: ['approve', 'refuse'],
            Timeout: '2h',
            Next: 'Last',
          },
          Last: last,
        },
      }),
      { format: 'asl' },
    );
  const succeed = { Type: 'Succeed' };
  const stage = await Stage.open({
    ...options(places['memory']!()),
    definitions: { order: workflow('Send?', succeed) },
  });
  await stage.host.start('order', { id: 'w', input: { input: { sum: 3 } } });
  await stage.host.settle();
  const { decisions, timers } = await stage.host.get('w');
  const made = workflow('Send?', { Type: 'Pass', Result: 'new', End: true });
  expect((await stage.host.assess(hosted('order', made))).items).toMatchObject([
    { verdict: 'compatible' },
  ]);
  await stage.host.define(hosted('order', made));
  expect(await stage.host.migrate('w')).toMatchObject({ accepted: true });
  expect(await stage.host.get('w')).toMatchObject({ decisions, timers });
  expect(
    await stage.host.decide(`w/${decisions[0]!.id}`, { decision: 'approve', by: 'ana' }),
  ).toMatchObject({ accepted: true });
  await stage.host.settle();
  expect((await stage.host.get('w')).state).toBe('COMPLETED');
  const events = await stage.events('w');
  expect(JSON.stringify(events.filter(({ type }) => type === 'workflow.ended'))).toContain('"new"');
  await replayed(stage, 'w');
  expect(await stage.host.migrate('w', {})).toMatchObject({
    accepted: false,
    code: 'instance/ended',
  });
});

test.each([
  { map: { states: { done: 3 } } },
  { map: { data: [] } },
  { map: { calls: 'perhaps' } },
  { map: { statess: {} } },
  { map: null },
  { other: 1 },
])('a malformed migration is refused: %j', async (given) => {
  const stage = await Stage.open(options(places['memory']!()));
  await stage.host.start('intake', { id: 'a' });
  await expect((async () => stage.host.migrate('a', given as never))()).rejects.toMatchObject({
    code: expect.stringMatching(/^host\/(bad-request|unknown-option)$/) as string,
  });
});
