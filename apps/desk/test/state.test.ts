import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { queues } from '../page/src/service/protocol.ts';
import { attention } from '../page/src/ui/use-notifications.ts';
import { durationText } from '../page/src/state/duration.ts';
import { addressOf, type Route, routeOf } from '../page/src/state/route.ts';
import { viewsIn, withView } from '../page/src/state/saved-views.ts';
import { progressIn } from '../page/src/ui/decisions/decision-card.tsx';

const text = fc.string({ minLength: 1, unit: 'grapheme' });
const filter = fc.record(
  { queue: fc.constantFrom(...queues), q: text, state: text, definition: text, owner: text },
  { requiredKeys: ['queue'] },
);
const routes: fc.Arbitrary<Route> = fc.oneof(
  filter.map((each) => ({ view: 'queue' as const, filter: each })),
  fc
    .tuple(filter, text)
    .map(([each, conversation]) => ({ view: 'queue' as const, filter: each, conversation })),
  text.map((decision) => ({
    view: 'decisions' as const,
    filter: { queue: 'needsPerson' as const },
    decision,
  })),
);

test('every route is what its address says, whatever the ids and filters contain', () => {
  fc.assert(
    fc.property(routes, (route) => {
      const { pathname, search } = new URL(addressOf(route), 'http://desk');
      // A browser removes "." and ".." from a path. Ids of instances are never one of them.
      fc.pre(!['.', '..'].includes(route.conversation ?? route.decision ?? ''));
      expect(routeOf(pathname, search)).toEqual(route);
    }),
  );
});

test('an unknown address is the first queue', () => {
  expect(routeOf('/desk/nothing/here/at/all', '')).toEqual({
    view: 'queue',
    filter: { queue: 'needsPerson' },
  });
  expect(routeOf('/desk/conversations/%E0%A4%A', '').conversation).toBe('%E0%A4%A');
});

test('stored views that are damaged or of another page are left out', () => {
  const view = { name: 'Mine', filter: { queue: 'all', owner: 'ana' } };
  const others = [null, 'x', { name: 1 }, { name: 'x', filter: { queue: 'none' } }];
  expect(viewsIn(JSON.stringify([view, ...others]))).toEqual([view]);
  for (const broken of ['{', '{}', 'null', null]) expect(viewsIn(broken)).toEqual([]);
});

test('a view replaces the one with its name, and needs a name', () => {
  const all = { name: 'All', filter: { queue: 'all' as const } };
  const paused = { name: ' All ', filter: { queue: 'paused' as const } };
  expect(withView([all], paused)).toEqual([{ name: 'All', filter: { queue: 'paused' } }]);
  expect(withView([all], { ...paused, name: ' ' })).toEqual([all]);
});

test('attention is asked for what is new, and not when the page opens or a count falls', () => {
  const counts = { needsPerson: 1, decisions: 1, failed: 1, paused: 1, setAside: 0, all: 9 };
  expect(attention(undefined, counts)).toBeUndefined();
  expect(attention(counts, { ...counts, needsPerson: 0, paused: 5, all: 20 })).toBeUndefined();
  expect(attention(counts, { ...counts, needsPerson: 3, failed: 2 })).toBe(
    '3 conversations need a person. 2 conversations have failed.',
  );
});

test('a time span is written in its largest unit', () => {
  const minute = 60_000;
  const spans = [-5, 59_999, minute, 59 * minute, 60 * minute, 47 * 60 * minute, 49 * 60 * minute];
  expect(spans.map(durationText)).toEqual(['0 s', '59 s', '1 min', '59 min', '1 h', '47 h', '2 d']);
});

const line = (type: string, id: string, at = 0, state = 'Approve') => ({
  type,
  id,
  at,
  state,
  source: 'flow',
});

test('an edit makes a decision with a new id, and the approvals before belong to it', () => {
  const lines = [
    line('decision.requested', 'other', 1, 'Elsewhere'),
    line('decision.requested', 'first', 1),
    line('decision.recorded', 'first', 2),
    line('decision.requested', 'second', 2),
    line('decision.recorded', 'other', 3, 'Elsewhere'),
    line('decision.recorded', 'second', 3),
    line('decision.requested', 'third', 3),
  ];
  expect(progressIn(lines, 'third').map(({ id, at }) => [id, at])).toEqual([
    ['first', 1],
    ['first', 2],
    ['second', 2],
    ['second', 3],
    ['third', 3],
  ]);
});

test('the progress of a decision is its own events only', () => {
  const lines = [
    line('decision.requested', 'a'),
    line('decision.recorded', 'b'),
    line('state.entered', 'a'),
    line('decision.escalated', 'a'),
  ];
  expect(progressIn(lines, 'a').map(({ type }) => type)).toEqual([
    'decision.requested',
    'decision.escalated',
  ]);
});
