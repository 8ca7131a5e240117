import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { only, run } from '../run.ts';

/** Every policy, with and without edits, batches and timeouts. Agent 6 */

interface Policy {
  readonly fields: JsonObject;
  /** The people who approve, in order; the first one decides where one is enough. */
  readonly people: readonly JsonObject[];
  /** A decision that the policy refuses. */
  readonly wrong: JsonObject;
}

const ana = { by: 'ana' };
const policies: Readonly<Record<string, Policy>> = {
  anyone: { fields: {}, people: [{}], wrong: { decision: 'maybe' } },
  'a user': {
    fields: { Policy: { Approvers: { Users: ['ana'] } } },
    people: [ana],
    wrong: { by: 'bob' },
  },
  'a listed name': {
    fields: { Policy: { Approvers: ['ana'] } },
    people: [ana],
    wrong: { by: 'bob' },
  },
  'a role': {
    fields: { Policy: { Approvers: { Roles: ['legal'] } } },
    people: [{ by: 'bob', roles: ['legal'] }],
    wrong: ana,
  },
  'two people': {
    fields: { Policy: { RequiredApprovals: 2 } },
    people: [ana, { by: 'bob' }],
    wrong: {},
  },
  'all of three users': {
    fields: { Policy: { Approvers: { Users: ['ana', 'bob', 'eve'] }, RequiredApprovals: 3 } },
    people: [{ by: 'eve' }, ana, { by: 'bob' }],
    wrong: { by: 'max' },
  },
  'two, beside the policy': {
    fields: { RequiredApprovers: 2 },
    people: [ana, { by: 'bob' }],
    wrong: {},
  },
  'not the requestor': {
    fields: { Policy: { ExcludeRequestor: true } },
    people: [ana],
    wrong: { by: 'dan' },
  },
  'with a reason': {
    fields: { Policy: { RequireReason: true } },
    people: [{ comment: 'fine' }],
    wrong: { comment: ' ' },
  },
  'two of a role, not the requestor, with a reason': {
    fields: {
      Policy: {
        Approvers: { Users: ['ana'], Roles: ['legal'] },
        RequiredApprovals: 2,
        ExcludeRequestor: true,
        RequireReason: true,
      },
    },
    people: [
      { ...ana, comment: 'fine' },
      { by: 'bob', roles: ['legal'], comment: 'fine' },
    ],
    wrong: { by: 'dan', roles: ['legal'], comment: 'fine' },
  },
};

const edits: Readonly<Record<string, readonly [JsonObject, JsonObject | undefined]>> = {
  'no edits': [{}, undefined],
  'a flat edit': [{ edited: { title: 'new' } }, { title: 'new' }],
};

const items = ['a', 'b', 'c'];
const batch = (BatchMode: JsonObject) => ({ ItemsPath: '$.items', BatchMode });
const batches: Readonly<Record<string, readonly [JsonObject, JsonObject, (readonly string[])?]>> = {
  'no batch': [{}, {}],
  'a whole batch': [batch({}), {}, items],
  'a part of a batch': [
    batch({ AllowPartial: true, MinApproved: 0.5 }),
    { approved: [0, 2] },
    ['a', 'c'],
  ],
};

const ends = ['approve', 'reject', 'AutoApprove', 'AutoReject', 'Default'] as const;

const cases = Object.keys(policies).flatMap((policy) =>
  Object.keys(edits).flatMap((edit) =>
    Object.keys(batches).flatMap((list) => ends.map((end) => ({ policy, edit, list, end }))),
  ),
);

const anything = () => expect.anything() as unknown;

const input = { draft: { title: 'old' }, items };

test.each(cases)('$policy, $edit, $list: $end', async ({ policy, edit, list, end }) => {
  const { fields, people, wrong } = policies[policy]!;
  const [edited, stored] = edits[edit]!;
  const [batchFields, chosen, approved] = batches[list]!;
  const isTimeout = end !== 'approve' && end !== 'reject';
  const state = {
    Type: 'Approval',
    Prompt: 'Publish {{$.draft.title}}?',
    Editable: { Fields: ['$.draft.title'], ResultPath: '$.edited' },
    ResultPath: '$.r',
    ...fields,
    ...batchFields,
    Timeout: '1h',
    ...(isTimeout && end !== 'Default' && { OnTimeout: end }),
    ...(end === 'Default' && { Default: 'Late' }),
  };
  // The first person of several edits the data and chooses items; the next ones are asked about the result.
  const agreeing = people.map((person, index) => ({
    decision: 'approve',
    ...person,
    ...(index === 0 ? { ...edited, ...chosen } : {}),
  }));
  const decisions = [
    { decision: 'approve', ...wrong },
    ...(end === 'approve' ? agreeing : []),
    ...(end === 'reject' ? [{ decision: 'reject', ...people[0], ...edited }] : []),
  ];
  const definition = only(state);
  const { output, events, seconds } = await run(
    {
      ...definition,
      States: {
        ...(definition['States'] as JsonObject),
        ...(end === 'Default' && { Late: { Type: 'Succeed' } }),
      },
    },
    {
      input,
      decide: () => decisions.shift(),
      start: { context: { Execution: { Requestor: 'dan' } } },
    },
  );
  expect(events.filter(({ type }) => type === 'decision.refused')).toHaveLength(1);
  expect(seconds).toBe(isTimeout ? 3600 : 0);
  const ended = (output as { output?: Json } | undefined)?.output;
  expect(isRecord(ended)).toBe(true);
  const { r, edited: content, ...rest } = ended as JsonObject;
  expect(rest).toEqual(input);
  expect(content).toEqual(isTimeout ? undefined : stored);
  const isApproved = end === 'approve' || end === 'AutoApprove';
  const decision = isApproved ? 'approve' : 'reject';
  const needed = people.length;
  const last = (end === 'reject' ? people[0] : people.at(-1))!;
  const { approvals, ...record } = (r ?? {}) as JsonObject;
  const chosenItems = isTimeout ? items : (approved ?? []);
  const expected: JsonObject = {
    approval: decision,
    decision,
    approver: isTimeout ? 'system' : (last['by'] ?? 'user'),
    ...(approved && { approved: isApproved ? [...chosenItems] : [] }),
  };
  expect(record).toMatchObject(end === 'Default' ? {} : expected);
  const count = end === 'approve' ? needed : end === 'AutoApprove' ? 1 : 0;
  const isCounted = needed > 1 && end !== 'Default';
  expect(approvals ?? null).toEqual(isCounted ? Array.from({ length: count }, anything) : null);
});

test.each(
  Object.keys(policies).flatMap(
    (policy) =>
      [
        [policy, 'Fail', 1],
        [policy, 'Escalate', 2],
      ] as const,
  ),
)('nobody decides, %s: %s', async (policy, OnTimeout, hours) => {
  const state = {
    Type: 'Approval',
    Prompt: 'P',
    Timeout: '1h',
    OnTimeout,
    Escalation: { After: '3h', Notify: ['boss'] },
  };
  const { output, seconds } = await run(only({ ...state, ...policies[policy]!.fields }), {
    start: { context: { Execution: { Requestor: 'dan' } } },
  });
  expect(output).toMatchObject({ status: 'failed', error: 'States.Timeout' });
  expect(seconds).toBe(hours * 3600);
});
