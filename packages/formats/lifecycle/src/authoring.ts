import type { Authoring, NameReference } from '@dramaturg/compiler/format';
import { actionWords, guardWords } from './vocabulary.ts';

const argumentMeanings = {
  none: 'An action.',
  reason: 'An action; its argument is a reason.',
  event: 'An action; its argument is the name of an event.',
  turn: 'An action; its argument is kinds of turns.',
} as const;

const actions = Object.fromEntries(
  Object.entries(actionWords).map(([word, argument]) => [word, argumentMeanings[argument]]),
);
const guards = Object.fromEntries(guardWords.map((word) => [word, 'A guard.']));

const anyState = { '*': 'Any state that is not terminal.' };
const previous = { $previous: 'The state before the current one.' };

/** Rows in a list, or under any keys. */
const rows = ['transitions', 'rows'].flatMap((list) => [
  [list, '#'],
  [list, '*'],
]);

/** States by a list of names, a list of states, or an object of them; rows by a list, or by state and event. */
const references: readonly NameReference[] = [
  { noun: 'state', at: ['initial'] },
  { noun: 'state', at: ['terminal', '#'] },
  ...rows.flatMap((row): readonly NameReference[] => [
    { noun: 'state', at: [...row, 'from'], words: anyState },
    { noun: 'state', at: [...row, 'from', '#'] },
    { noun: 'state', at: [...row, 'to'], words: previous },
    { noun: 'event', at: [...row, 'event'] },
    { noun: 'event', at: [...row, 'event', '#'] },
  ]),
  { noun: 'state', at: ['transitions', '*'], part: 'key', words: anyState },
  { noun: 'state', at: ['transitions', '*', '*'], words: previous },
  { noun: 'state', at: ['transitions', '*', '*', 'to'], words: previous },
  { noun: 'state', at: ['transitions', '*', '*', '#', 'to'], words: previous },
  { noun: 'event', at: ['transitions', '*', '*'], part: 'key' },
  { noun: 'event', at: ['**', 'raise'] },
  { noun: 'event', at: ['**', 'timer'] },
  { noun: 'event', at: ['**', 'timer', 'event'] },
  { noun: 'guard', at: ['**', 'guard'], words: guards },
  { noun: 'action', at: ['**', 'actions', '#'], words: actions },
  { noun: 'action', at: ['**', 'entry', '#'], words: actions },
  // An action with an argument is a key.
  { noun: 'action', at: ['**', 'actions', '#', '*'], part: 'key', words: actions },
  { noun: 'action', at: ['**', 'entry', '#', '*'], part: 'key', words: actions },
];

/** The names of a lifecycle. */
export const authoring: Authoring = {
  declarations: [
    { noun: 'state', at: ['states', '#'], name: ['name'], kind: ['kind'], title: ['description'] },
    { noun: 'state', at: ['states', '#'] },
    { noun: 'state', at: ['states', '*'], kind: ['kind'], title: ['description'] },
  ],
  references,
  sections: {
    '': 'lifecycle.md#layouts',
    states: 'lifecycle.md#states',
    initial: 'lifecycle.md#states',
    terminal: 'lifecycle.md#states',
    transitions: 'lifecycle.md#rows',
    rows: 'lifecycle.md#rows',
    guard: 'lifecycle.md#guards',
    actions: 'lifecycle.md#actions',
    entry: 'lifecycle.md#actions',
    policies: 'lifecycle.md#policies',
  },
};
