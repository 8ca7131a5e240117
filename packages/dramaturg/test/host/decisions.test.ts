import { manualClock, type ManualClock } from '@dramaturg/host';
import { describe, expect, test } from 'vitest';
import {
  compile,
  type HostOptions,
  type JsonObject,
  type OutgoingMessage,
} from '../../src/index.ts';
import { places, Stage } from './stage.ts';

/** Decisions of people, through a host that is stopped and started at every step. */

function approval(fields: JsonObject = {}): JsonObject {
  return { Type: 'Approval', Prompt: 'Go on?', ResultPath: '$.r', End: true, ...fields };
}

const one = { StartAt: 'Ask', States: { Ask: approval() } };

/** Two branches that ask, and three items that ask. */
const many = {
  StartAt: 'All',
  States: {
    All: {
      Type: 'Parallel',
      Branches: [
        { StartAt: 'Left', States: { Left: approval({ Prompt: 'Left?' }) } },
        { StartAt: 'Right', States: { Right: approval({ Prompt: 'Right?' }) } },
        {
          StartAt: 'Items',
          States: {
            Items: {
              Type: 'Map',
              ItemsPath: '$.items',
              MaxConcurrency: 0,
              Iterator: {
                StartAt: 'Item',
                States: { Item: approval({ Prompt: 'Item {{$.name}}?', ResultPath: '$' }) },
              },
              End: true,
            },
          },
        },
      ],
      End: true,
    },
  },
};

const chain = {
  StartAt: 'First',
  States: { First: approval({ End: false, Next: 'Second' }), Second: approval() },
};
delete (chain.States.First as Record<string, unknown>)['End'];

const policy = {
  StartAt: 'Ask',
  States: {
    Ask: approval({
      Editable: { Fields: ['$.title'], ResultPath: '$.edited' },
      Policy: { Approvers: { Users: ['ana'], Roles: ['legal'] }, RequiredApprovals: 2 },
      Notifications: {
        Channels: [
          { Type: 'desk', To: 'ana' },
          { Type: 'pigeon', To: 'bob' },
        ],
      },
      Timeout: '2h',
      OnTimeout: 'AutoReject',
    }),
  },
};

/** After an hour, Zoe may decide too; after a day, it is approved. */
const escalating = {
  StartAt: 'Ask',
  States: {
    Ask: approval({
      Policy: { Approvers: { Users: ['ana', 'bob'] }, RequiredApprovals: 2 },
      Escalation: {
        Levels: [
          { After: '1h', Notify: [], EscalateTo: 'zoe' },
          { After: '24h', Notify: [], AutoApprove: true },
        ],
      },
      Timeout: '48h',
      OnTimeout: 'AutoReject',
    }),
  },
};

const definitions = Object.fromEntries(
  Object.entries({ one, many, chain, policy, escalating }).map(([name, definition]) => [
    name,
    compile(JSON.stringify(definition), { format: 'asl', options: { dialect: 'agent' } }),
  ]),
);

async function idsOf({ host }: Stage): Promise<string[]> {
  return (await host.decisions()).items.map(({ decision }) => decision);
}

describe.each(Object.keys(places))('on %s', (kind) => {
  const stageWith = (more: Partial<HostOptions> = {}) =>
    Stage.open({ store: places[kind]!(), definitions, ...more });

  test('a decision tells who has approved so far, its deadline, and what its escalation will do', async () => {
    const stage = await stageWith();
    await stage.host.start('escalating', { id: 'e', input: {} });
    await stage.host.settle();
    const hour = 3_600_000;
    const [first] = (await stage.host.decisions()).items;
    const { until } = first!;
    expect(first).toMatchObject({
      approvals: { required: 2, given: [] },
      escalations: [
        { at: until! - 47 * hour, to: 'zoe' },
        { at: until! - 24 * hour, approves: true },
      ],
    });
    await stage.host.decide(first!.decision, { decision: 'approve', by: 'ana', comment: 'Fine.' });
    await stage.host.settle();
    const [second] = (await stage.host.decisions()).items;
    expect(second).toMatchObject({
      approvals: { required: 2, given: [{ by: 'ana', comment: 'Fine.', at: expect.any(String) }] },
      excluded: [{ name: 'ana', because: 'has approved it already' }],
    });
  });

  test('any number of decisions can be open, each with its own id, also after a restart', async () => {
    const stage = await stageWith();
    const items = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    await stage.host.start('many', { id: 'm/1', input: { input: { items } } });
    await stage.host.settle();
    const before = (await stage.host.decisions()).items;
    expect(before.map(({ prompt }) => prompt).toSorted()).toEqual([
      'Item a?',
      'Item b?',
      'Item c?',
      'Left?',
      'Right?',
    ]);
    expect(new Set(before.map(({ decision }) => decision)).size).toBe(5);
    expect(before[0]!.decision).toMatch(/^m\/1\/[0-9a-z]{8}$/);
    await stage.restart();
    expect((await stage.host.decisions()).items).toEqual(before);
    for (const { decision, prompt } of before) {
      const answer = await stage.host.decide(decision, { decision: 'approve', by: prompt });
      expect(answer).toMatchObject({ accepted: true });
      await stage.restart();
    }
    expect(await stage.output('m/1')).toMatchObject([
      { r: { approver: 'Left?' } },
      { r: { approver: 'Right?' } },
      [{ approver: 'Item a?' }, { approver: 'Item b?' }, { approver: 'Item c?' }],
    ]);
    expect(await idsOf(stage)).toEqual([]);
  });

  test('a decision is made once, in the state that asked for it', async () => {
    const stage = await stageWith();
    await stage.host.start('chain', { id: 'c' });
    await stage.host.settle();
    const [first] = await idsOf(stage);
    const given = { decision: 'approve', by: 'ana' };
    const answers = await Promise.all([
      stage.host.decide(first!, given),
      stage.host.decide(first!, given),
    ]);
    expect(answers).toMatchObject([
      { accepted: true },
      {
        accepted: false,
        because: `The decision "${first!.slice(2)}" was made before: "approve", by ana.`,
      },
    ]);
    const [second, ...others] = await idsOf(stage);
    expect(others).toEqual([]);
    expect(second).not.toBe(first);
    await stage.restart();
    expect(await stage.host.decide(first!, given)).toMatchObject({ accepted: false });
    expect(await idsOf(stage)).toEqual([second]);
  });

  test('an invalid decision is refused with a sentence and changes nothing', async () => {
    const stage = await stageWith();
    await stage.host.start('one', { id: 'o' });
    await stage.host.start('one', { id: 'p' });
    await stage.host.settle();
    const [mine, other] = await idsOf(stage);
    const { journalLength } = await stage.host.get('o');
    const because = async (decision: string, given: object) => {
      const answer = await stage.host.decide(decision, { decision: 'approve', ...given });
      return answer.accepted ? undefined : answer.because;
    };
    expect(await because(mine!, { decision: 'maybe' })).toBe(
      '"maybe" is not one of the options: approve, reject.',
    );
    expect(await because(mine!, { edited: { a: 1 } })).toContain('may not be changed');
    expect(await because(mine!, { decision: 7 })).toContain('The decision has a wrong form.');
    expect(await because('o/zzzzzz', {})).toBe('There is no decision "zzzzzz" in "o".');
    await expect(stage.host.decide('nobody/zzzzzz', { decision: 'approve' })).rejects.toThrow(
      'There is no instance "nobody".',
    );
    await expect(stage.host.decide('o', { decision: 'approve' })).rejects.toThrow(
      /named by its instance/,
    );
    expect((await stage.host.get('o')).journalLength).toBe(journalLength);
    await stage.host.cancel('p');
    expect(await because(other!, {})).toMatch(/any more|has ended/);
    expect(await idsOf(stage)).toEqual([mine]);
  });

  test('lists have filters and pages, and load no instance', async () => {
    const stage = await stageWith({ maxActive: 0 });
    for (let index = 0; index < 7; index += 1) {
      const input = { input: { items: [{ name: 'x' }] } };
      await stage.host.start(index % 2 === 0 ? 'one' : 'many', { id: `i${index}`, input });
    }
    await stage.host.start('one', { id: 'paused' });
    await stage.host.settle();
    await stage.host.pause('paused');
    await stage.restart();
    const { activeCount } = stage.host;
    const all = await idsOf(stage);
    expect(all).toHaveLength(4 + 3 * 3);
    const paged: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await stage.host.decisions({}, { limit: 2, ...(after ? { after } : {}) });
      expect(page.items.length).toBeLessThanOrEqual(2);
      paged.push(...page.items.map(({ decision }) => decision));
      after = page.next;
      if (after === undefined) break;
    }
    expect(paged).toEqual(all);
    expect((await stage.host.decisions({ definition: 'one' })).items).toHaveLength(4);
    expect((await stage.host.decisions({ instance: 'i1' })).items).toHaveLength(3);
    expect(stage.host.activeCount).toBe(activeCount);
    expect((await stage.host.get('i1')).decisionsOpen).toBe(3);
    await expect(stage.host.decisions({}, { limit: 1, after: 'x' })).rejects.toThrow(/page begins/);
  });

  test('approvers are enforced, and earlier approvals survive restarts', async () => {
    const stage = await stageWith({ clock: manualClock({ startAt: 1_000 }) });
    await stage.host.start('policy', { id: 'p', input: { input: { title: 'Old', price: 1 } } });
    await stage.host.settle();
    const [open] = (await stage.host.decisions()).items;
    expect(open).toMatchObject({
      approvers: { users: ['ana'], roles: ['legal'] },
      editable: ['$.title'],
      isNamed: true,
      until: 1_000 + 7_200_000,
    });
    const { decision } = open!;
    expect(await stage.host.decision(decision)).toMatchObject({ data: { title: 'Old', price: 1 } });
    const decide = (given: object, id = decision) =>
      stage.host.decide(id, { decision: 'approve', ...given });
    expect(await decide({})).toMatchObject({ accepted: false });
    expect(await decide({ by: 'bob' })).toMatchObject({ accepted: false });
    expect(await decide({ by: 'ana', edited: { price: 2 } })).toMatchObject({ accepted: false });
    expect(await decide({ by: 'ana', edited: { title: 'New' } })).toMatchObject({ accepted: true });
    await stage.restart();
    expect((await stage.host.decisions({ by: 'Ana' })).items).toEqual([]);
    const [edited] = (await stage.host.decisions({ by: 'bob', roles: ['legal'] })).items;
    expect(await stage.host.decision(edited!.decision)).toMatchObject({
      data: { title: 'New', price: 1 },
    });
    expect(await decide({ by: 'ana' }, edited!.decision)).toMatchObject({
      accepted: false,
      because: '"ana" has approved it already, so somebody else has to decide.',
    });
    // Bob decided on the version before the edit.
    expect(await decide({ by: 'bob', roles: ['legal'] })).toMatchObject({
      accepted: false,
      because: `Nobody waits for the decision "${decision.slice(2)}" any more.`,
    });
    expect(await decide({ by: 'bob', roles: ['legal'] }, edited!.decision)).toMatchObject({
      accepted: true,
    });
    await stage.host.settle();
    expect(await stage.output('p')).toMatchObject({
      edited: { title: 'New' },
      r: { approver: 'bob', approvals: [{ approver: 'ana' }, { approver: 'bob' }] },
    });
  });

  test('a notice is sent once, through its channel', async () => {
    const taken: OutgoingMessage[] = [];
    const channels = {
      main: { deliver() {} },
      desk: { deliver: (m: OutgoingMessage) => void taken.push(m) },
    };
    const stage = await stageWith({ channels });
    await stage.host.start('policy', { id: 'p', input: { input: { title: 'Old' } } });
    await stage.host.settle();
    await stage.restart();
    await stage.host.settle();
    expect(taken).toMatchObject([
      { role: 'notice', contact: 'ana', text: 'Go on?', instance: 'p' },
    ]);
    const journal = await stage.host.journal('p', { from: 0, limit: 100 });
    const text = JSON.stringify(journal);
    expect(text).toContain('"channel":"pigeon"');
  });

  test('an overdue decision gets its default, also when no host was running', async () => {
    const clock: ManualClock = manualClock({ startAt: 1_000 });
    const stage = await stageWith({ clock });
    await stage.host.start('policy', { id: 'p', input: { input: { title: 'Old' } } });
    await stage.host.settle();
    await stage.host.stop({ within: 0 });
    clock.set(clock.now() + 3 * 3_600_000);
    await stage.open();
    await stage.host.settle();
    expect(await stage.output('p')).toMatchObject({
      r: { approval: 'reject', approver: 'system' },
    });
  });
});
