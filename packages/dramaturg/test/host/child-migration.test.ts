import { InstanceHistory } from '@dramaturg/host';
import { describe, expect, test } from 'vitest';
import { behaviours, hosted } from '../../src/host.ts';
import { compile, type JsonObject, understudyPorts } from '../../src/index.ts';
import { agents, places, Stage } from './stage.ts';

/** Definitions that call others, of which one gets a new version while the call is open. */

const workflow = (states: Readonly<Record<string, JsonObject>>, start: string) =>
  compile(JSON.stringify({ StartAt: start, States: states }), {
    format: 'asl',
    options: { dialect: 'agent' },
  });

const call = { Type: 'Task', Agent: 'workflow:review', ResultPath: '$.review' };

const order = (after: JsonObject, caller: JsonObject = call, state = 'Review') =>
  workflow(
    {
      [state]: { ...caller, Next: 'After' },
      After: { Type: 'Pass', ResultPath: '$.after', ...after },
    },
    state,
  );

const ask = { Type: 'Approval', Prompt: 'Take it?', ResultPath: '$.decided', Next: 'Last' };

const review = (last: string, question: JsonObject = ask, state = 'Ask') =>
  workflow(
    { [state]: question, Last: { Type: 'Pass', Result: last, ResultPath: '$.last', End: true } },
    state,
  );

const intake = (...keys: readonly string[]) =>
  compile(
    JSON.stringify({
      id: 'intake',
      title: 'Intake',
      states: [
        {
          id: 'facts',
          title: 'Facts',
          tasks: keys.map((key) => ({
            id: key,
            instruction: `Ask for the ${key}`,
            deliverables: [{ key, type: 'string', description: `What is your ${key}?` }],
          })),
        },
      ],
    }),
    { format: 'plan' },
  );

const end = { Result: 'first', End: true };
const definitions = { order: order(end), review: review('first') };

describe.each(Object.keys(places))('on %s', (kind) => {
  async function begun() {
    const { ports } = agents();
    const stage = await Stage.open({ store: places[kind]!(), definitions, ports });
    await stage.host.start('order', { id: 'o', input: { input: {} } });
    await stage.host.settle();
    const [child] = (await stage.host.get('o')).children;
    return { stage, child: child! };
  }

  async function decided(stage: Stage): Promise<JsonObject> {
    const [open] = (await stage.host.decisions({ instance: 'o' })).items;
    expect(
      await stage.host.decide(open!.decision, { decision: 'approve', by: 'ana' }),
    ).toMatchObject({ accepted: true });
    await stage.host.settle();
    expect((await stage.host.get('o')).state).toBe('COMPLETED');
    return (await stage.output('o')) as JsonObject;
  }

  async function isReplayable(stage: Stage, ...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const history = new InstanceHistory({ id, charts: await stage.host.charts(id), behaviours });
      await history.take(await stage.host.journal(id, { from: 0, limit: 10_000 }));
      expect(history.departures).toEqual([]);
    }
  }

  test('the called definition gets a new version, and answers its caller', async () => {
    const { stage, child } = await begun();
    const next = hosted('review', review('second'));
    const assessed = await stage.host.assess(next, {}, { limit: 10 });
    expect(assessed.items).toMatchObject([{ id: child, verdict: 'compatible' }]);
    await stage.host.define(next);
    expect(await stage.host.migrate(child)).toMatchObject({ accepted: true });
    await stage.restart();
    expect(await decided(stage)).toMatchObject({ review: { last: 'second' }, after: 'first' });
    await isReplayable(stage, 'o', child);
  });

  test('a caller gets a new version while its call is open, and takes the answer', async () => {
    const { stage, child } = await begun();
    const next = hosted('order', order({ Result: 'second', End: true }));
    const assessed = await stage.host.assess(next, {}, { limit: 10 });
    expect(assessed.items).toMatchObject([{ id: 'o', verdict: 'compatible' }]);
    await stage.host.define(next);
    expect(await stage.host.migrate('o')).toMatchObject({ accepted: true });
    expect((await stage.host.get('o')).children).toEqual([child]);
    await stage.restart();
    expect(await decided(stage)).toMatchObject({ review: { last: 'first' }, after: 'second' });
    await isReplayable(stage, 'o', child);
  });

  test('both get a new version, with new names of the states that call and are called', async () => {
    const { stage, child } = await begun();
    await stage.host.define(hosted('order', order({ Result: 'second', End: true }, call, 'Check')));
    await stage.host.define(hosted('review', review('second', ask, 'Question')));
    const renamed = { o: { Review: 'Check' }, [child]: { Ask: 'Question' } };
    for (const [id, states] of Object.entries(renamed))
      expect(await stage.host.migrate(id, { map: { states } })).toMatchObject({ accepted: true });
    await stage.restart();
    expect((await stage.host.list({ parent: 'o' })).items.map(({ id }) => id)).toEqual([child]);
    expect(await decided(stage)).toMatchObject({ review: { last: 'second' }, after: 'second' });
    await isReplayable(stage, 'o', child);
  });

  test('a migration of either is undone while the call is open', async () => {
    const { stage, child } = await begun();
    await stage.host.define(hosted('order', order({ Result: 'second', End: true })));
    await stage.host.define(hosted('review', review('second')));
    for (const id of ['o', child]) {
      expect(await stage.host.migrate(id)).toMatchObject({ accepted: true });
      expect(await stage.host.undoMigration(id)).toMatchObject({ accepted: true });
    }
    await stage.restart();
    expect(await decided(stage)).toMatchObject({ review: { last: 'first' }, after: 'first' });
    await isReplayable(stage, 'o', child);
  });

  test('a call that the new version of the caller does not make blocks it, and the call goes on', async () => {
    const { stage, child } = await begun();
    await stage.host.define(hosted('order', order(end, { Type: 'Wait', Seconds: 5 })));
    expect(await stage.host.migrate('o')).toMatchObject({
      accepted: false,
      code: 'migration/blocked',
    });
    await stage.host.define(hosted('review', workflow({ Last: { Type: 'Succeed' } }, 'Last')));
    expect(await stage.host.migrate(child)).toMatchObject({
      accepted: false,
      because: 'There is no state "Ask" any more.',
    });
    expect(await decided(stage)).toMatchObject({ review: { last: 'first' }, after: 'first' });
  });

  test('a caller that goes on calls the version that is current then', async () => {
    const { stage, child } = await begun();
    const again = { ...call, ResultPath: '$.again' };
    const twice = workflow(
      {
        Review: { ...call, Next: 'Again' },
        Again: { ...again, Next: 'After' },
        After: { Type: 'Pass', ...end },
      },
      'Review',
    );
    await stage.host.define(hosted('order', twice));
    await stage.host.define(hosted('review', review('second')));
    expect(await stage.host.migrate('o')).toMatchObject({ accepted: true });
    const [open] = (await stage.host.decisions({ instance: 'o' })).items;
    await stage.host.decide(open!.decision, { decision: 'approve', by: 'ana' });
    await stage.host.settle();
    const children = (await stage.host.list({ parent: 'o' })).items;
    expect(children.map(({ id, ended }) => [id === child, ended])).toEqual([
      [true, true],
      [false, false],
    ]);
    const version = async (id: string) => (await stage.host.get(id)).definition.version;
    expect(await version(children[1]!.id)).not.toBe(await version(child));
    await stage.restart();
    await decided(stage);
    await isReplayable(stage, 'o', ...children.map(({ id }) => id));
  });

  test('a caller that would call another definition now keeps its open call, or is blocked on request', async () => {
    const { stage, child } = await begun();
    const other = hosted('order', order(end, { ...call, Agent: 'workflow:audit' }));
    const verdicts = async (map: object) =>
      (await stage.host.assess(other, map, { limit: 10 })).items.map(({ verdict }) => verdict);
    expect(await verdicts({})).toEqual(['migratable']);
    expect(await verdicts({ calls: 'block' })).toEqual(['blocked']);
    await stage.host.define(other);
    expect(await stage.host.migrate('o')).toMatchObject({ accepted: true });
    await stage.restart();
    expect((await stage.host.get('o')).children).toEqual([child]);
    expect(await decided(stage)).toMatchObject({ review: { last: 'first' } });
    await isReplayable(stage, 'o', child);
  });

  test('a called conversation gets a new version, and goes on with its person', async () => {
    const said: string[] = [];
    const talk = { Type: 'Task', Agent: 'plan:intake', ResultPath: '$.said', End: true };
    const stage = await Stage.open({
      store: places[kind]!(),
      definitions: { desk: workflow({ Talk: talk }, 'Talk'), intake: intake('name') },
      ports: understudyPorts(),
      channels: { main: { deliver: ({ text }) => void said.push(text) } },
    });
    await stage.host.start('desk', { id: 'd', contact: 'ada', input: { input: {} } });
    await stage.host.settle();
    const [child] = (await stage.host.get('d')).children;
    await stage.host.define(hosted('intake', intake('name', 'city')));
    expect(await stage.host.migrate(child!)).toMatchObject({ accepted: true });
    await stage.restart();
    for (const text of ['Ada', 'Lima']) {
      await stage.host.receive({ contact: 'ada', text });
      await stage.host.settle();
    }
    await stage.until(async () => (await stage.host.get('d')).ended, 'the end');
    expect(await stage.output('d')).toMatchObject({
      said: { deliverables: { name: 'Ada', city: 'Lima' } },
    });
    await isReplayable(stage, 'd', child!);
  });
});
