import { check } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { lifecycle } from '../src/index.ts';

/** Each mistake gives one finding, at the location to change. */

const base = {
  format: 'lifecycle',
  initial: 'OPEN',
  terminal: ['DONE'],
  states: {
    OPEN: { kind: 'initial', timer: { event: 'late', after_ms: 1000 } },
    BUSY: { kind: 'working', entry: [{ start_turn: 'first' }], holds_contact: true },
    DONE: 'terminal',
  },
  transitions: [
    { from: 'OPEN', event: 'late', to: 'BUSY' },
    { from: 'OPEN', event: 'go', guard: 'no_turn', to: 'BUSY' },
    { from: 'BUSY', event: 'stop', actions: ['close_turn', { emit: 'stopped' }], to: 'DONE' },
    { from: '*', event: 'cancel', to: 'DONE' },
  ],
  policies: { heartbeat: { interval_ms: 1000, budget: 'lifetime' }, pick_up: 'at_once' },
} as const;

/** The base with its events in a map. */
const mapped = {
  ...base,
  transitions: {
    OPEN: { late: 'BUSY', go: { guard: 'no_turn', to: 'BUSY' } },
    BUSY: { stop: 'DONE' },
    '*': { cancel: 'DONE' },
  },
};

function findings(definition: unknown): string[] {
  const { diagnostics } = check(JSON.stringify(definition), { formats: [lifecycle] });
  return diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path.join('.')}`);
}

/** A copy in which the part at a path is replaced; `undefined` removes it. */
function changed(definition: object, path: string, part: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(definition)) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop()!;
  let at = copy;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (part !== undefined) at[last] = part;
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return copy;
}

/** A copy in which a field has another name. */
function renamed(definition: object, path: string, name: string): unknown {
  const steps = path.split('.');
  const value = steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown>)[step],
    definition,
  );
  const without = changed(definition, path, undefined) as object;
  return changed(without, [...steps.slice(0, -1), name].join('.'), value);
}

test('the original has no finding', () => {
  expect(findings(base)).toEqual([]);
  expect(findings(mapped)).toEqual([]);
});

describe('one mistake is one finding', () => {
  test.each([
    ['initial', 'OPNE', 'error lifecycle/unknown-state initial'],
    ['initial', 7, 'error shape/wrong-type initial'],
    ['terminal', 'DONE', 'error shape/wrong-type terminal'],
    ['terminal', ['DONE', 'GONE'], 'error lifecycle/unknown-state terminal.1'],
    ['states', [], 'error lifecycle/no-states states'],
    ['states', 'OPEN', 'error shape/wrong-type states'],
    ['states', undefined, 'error shape/missing-field '],
    ['states.BUSY', null, 'error shape/wrong-type states.BUSY'],
    ['states.BUSY.kind', 'workin', 'error lifecycle/unknown-kind states.BUSY.kind'],
    ['states.DONE', 'terminall', 'error lifecycle/unknown-kind states.DONE'],
    ['states.BUSY.holds_contact', 'yes', 'error shape/wrong-type states.BUSY.holds_contact'],
    ['states.BUSY.entry', ['strat_turn'], 'error lifecycle/unknown-action states.BUSY.entry.0'],
    [
      'states.BUSY.entry.0',
      { start_turn: 'frist' },
      'error lifecycle/bad-argument states.BUSY.entry.0.start_turn',
    ],
    ['states.OPEN.timer', 'lat', 'warning lifecycle/unheard-event states.OPEN.timer'],
    ['states.OPEN.timer.after_ms', 0, 'error lifecycle/bad-number states.OPEN.timer.after_ms'],
    ['states.OPEN.timer.after_ms', '1000', 'error shape/wrong-type states.OPEN.timer.after_ms'],
    ['transitions.1.to', 'BUSSY', 'error lifecycle/unknown-state transitions.1.to'],
    ['transitions.2.from', 'BUSI', 'error lifecycle/unknown-state transitions.2.from'],
    ['transitions.2.from', 'DONE', 'error lifecycle/leaves-terminal-state transitions.2.from'],
    ['transitions.2.from', undefined, 'error shape/missing-field transitions.2'],
    ['transitions.2.event', 7, 'error shape/wrong-type transitions.2.event'],
    ['transitions.1.guard', 'no_trun', 'error lifecycle/unknown-guard transitions.1.guard'],
    ['transitions.1.unless', 'x', 'error shape/unread-field transitions.1.unless'],
    [
      'transitions.1.guard',
      { evnt: { a: 1 } },
      'error shape/unread-field transitions.1.guard.evnt',
    ],
    ['transitions.2.actions', 'close_turn', 'error shape/wrong-type transitions.2.actions'],
    [
      'transitions.2.actions.1',
      { emit: 5 },
      'error lifecycle/bad-argument transitions.2.actions.1.emit',
    ],
    ['transitions.1.always', 'yes', 'error shape/wrong-type transitions.1.always'],
    [
      'transitions',
      { a: { from: 'OPEN', event: 'go', to: 'DONE' } },
      'error shape/wrong-type transitions',
    ],
    ['policies.pick_up', 'at_onc', 'error shape/wrong-value policies.pick_up'],
    ['policies.strict', 'true', 'error shape/wrong-type policies.strict'],
    ['policies.heartbeat.budget', 'lifelong', 'error shape/wrong-value policies.heartbeat.budget'],
    [
      'policies.heartbeat.resume_timer',
      'restrat',
      'error shape/wrong-value policies.heartbeat.resume_timer',
    ],
    [
      'policies.heartbeat.interval_ms',
      -1,
      'error lifecycle/bad-number policies.heartbeat.interval_ms',
    ],
    ['policies.quiet_hours', '22-7', 'error shape/wrong-type policies.quiet_hours'],
    [
      'policies.quiet_hours',
      { from: '10pm', to: '08:00' },
      'error lifecycle/bad-time policies.quiet_hours.from',
    ],
    [
      'policies.reminders',
      [{ after: 'soon' }],
      'error lifecycle/bad-time policies.reminders.0.after',
    ],
    [
      'policies.reminders',
      [{ after: '2h at 09:00' }],
      'error lifecycle/bad-time policies.reminders.0.after',
    ],
    [
      'policies.reminders',
      [{ after: '2h', text: '' }],
      'error lifecycle/blank-text policies.reminders.0.text',
    ],
    ['policies.reminders', ['2h'], 'error shape/wrong-type policies.reminders.0'],
    [
      'policies.calendar',
      { holidays: ['2026-02-30'] },
      'error lifecycle/bad-time policies.calendar.holidays.0',
    ],
    [
      'policies.calendar',
      { holidays: 'holidays.ics' },
      'error lifecycle/bad-time policies.calendar.holidays',
    ],
    [
      'policies.calendar',
      {
        holidays:
          'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20261126\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH\nEND:VEVENT\nEND:VCALENDAR',
      },
      'error lifecycle/bad-time policies.calendar.holidays',
    ],
    ['policies.calendar', { holidays: 7 }, 'error shape/wrong-type policies.calendar.holidays'],
    [
      'policies.calendar',
      { holidays: ['12-25'] },
      'error lifecycle/bad-time policies.calendar.holidays.0',
    ],
    [
      'policies.calendar',
      { holidays: [20261225] },
      'error shape/wrong-type policies.calendar.holidays.0',
    ],
    [
      'policies.calendar',
      { working_days: ['monday'] },
      'error shape/wrong-value policies.calendar.working_days.0',
    ],
    ['policies.calendar', { working_days: [] }, 'error lifecycle/bad-time policies.calendar'],
    [
      'policies.quiet_hours',
      { from: '00:00', to: '24:00' },
      'error lifecycle/bad-time policies.quiet_hours',
    ],
    ['policies.words', { stop: ['STOP'] }, 'error shape/wrong-type policies.words.stop'],
    [
      'policies.words',
      { en: { stop: ['!?'] } },
      'error lifecycle/bad-word policies.words.en.stop.0',
    ],
    [
      'policies.words',
      { en: { help: ['?a'] } },
      'error lifecycle/bad-word policies.words.en.help.0',
    ],
    ['policies.words', { en_us: { stop: ['a'] } }, 'error lifecycle/bad-word policies.words.en_us'],
    [
      'policies.words',
      { en: { stop: ['Stop', 'end'] }, de: { restart: ['STOP!'] } },
      'error lifecycle/bad-word policies.words.de.restart.0',
    ],
    [
      'policies.words',
      { en: { stop: ['a'.repeat(41)] } },
      'error lifecycle/bad-word policies.words.en.stop.0',
    ],
    ['policies.words', { en: { halt: ['a'] } }, 'error shape/unread-field policies.words.en.halt'],
    ['policies.after_end', { text: ' ' }, 'error lifecycle/blank-text policies.after_end.text'],
    ['policies.after_end', 'begin', 'error shape/wrong-type policies.after_end'],
    ['policies.after_end', {}, 'error shape/missing-field policies.after_end'],
    ['policies.after_end', { text: 7 }, 'error shape/wrong-type policies.after_end.text'],
    [
      'policies.after_end',
      { text: 'Bye.', start: 'intake' },
      'error shape/unread-field policies.after_end.start',
    ],
    ['policies.time_zone', 'Berlin', 'error lifecycle/bad-time policies.time_zone'],
    ['policies.heartbeat.every', 1, 'error shape/unread-field policies.heartbeat.every'],
  ])('"%s": %j', (path, part, finding) => {
    expect(findings(changed(base, path, part))).toEqual([finding]);
  });

  test.each([
    ['states', 'sttaes', 'error shape/misspelt-field sttaes'],
    ['transitions', 'transitons', 'warning shape/misspelt-field transitons'],
    ['transitions.1.to', 'too', 'warning lifecycle/misnamed-target transitions.1.too'],
    ['transitions.1.to', 'target', 'warning lifecycle/misnamed-target transitions.1.target'],
    ['transitions.2.event', 'evnt', 'error shape/unread-field transitions.2.evnt'],
    ['transitions.2.from', 'form', 'error shape/misspelt-field transitions.2.form'],
    ['policies.heartbeat', 'heartbeet', 'error shape/unread-field policies.heartbeet'],
    ['policies.heartbeat.budget', 'bugdet', 'error shape/unread-field policies.heartbeat.bugdet'],
    ['states.BUSY.kind', 'knid', 'error shape/unread-field states.BUSY.knid'],
  ])('"%s" written as "%s"', (path, name, finding) => {
    expect(findings(renamed(base, path, name))).toEqual([finding]);
  });

  test.each([
    ['transitions.OPEN.late', 'BUSSY', 'error lifecycle/unknown-state transitions.OPEN.late'],
    ['transitions.OPEN.go.to', 'BUSSY', 'error lifecycle/unknown-state transitions.OPEN.go.to'],
    ['transitions.BUSY.stop', 'DNOE', 'error lifecycle/unknown-state transitions.BUSY.stop'],
    [
      'transitions.BUSY.stop',
      [{ to: 'DONE', guard: 'no_trun' }],
      'error lifecycle/unknown-guard transitions.BUSY.stop.0.guard',
    ],
    [
      'transitions.DONE',
      { reopen: 'OPEN', restart: 'BUSY' },
      'error lifecycle/leaves-terminal-state transitions.DONE',
    ],
    ['transitions.BUSI', { wait: 'OPEN' }, 'error lifecycle/unknown-state transitions.BUSI'],
    ['transitions.BUSY', 'DONE', 'error shape/wrong-type transitions.BUSY'],
  ])('in a map, "%s": %j', (path, part, finding) => {
    expect(findings(changed(mapped, path, part))).toEqual([finding]);
  });
});

test('an unknown state name is one finding with all of its locations', () => {
  const [finding, ...others] = check(JSON.stringify(renamed(base, 'states.BUSY', 'BUSYY')), {
    formats: [lifecycle],
  }).diagnostics;
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    code: 'lifecycle/unknown-state',
    path: ['transitions', 0, 'to'],
    hint: 'Did you mean "BUSYY"?',
    related: [{ path: ['transitions', 1, 'to'] }, { path: ['transitions', 2, 'from'] }],
  });
});

test('states from which no end can be reached are one finding', () => {
  const states = { OPEN: 'initial', A: 'normal', B: 'normal', DONE: 'terminal' };
  const transitions = [
    { from: 'OPEN', event: 'end', to: 'DONE' },
    { from: 'OPEN', event: 'a', to: 'A' },
    { from: 'A', event: 'b', to: 'B' },
    { from: 'B', event: 'a', to: 'A' },
  ];
  const [finding, ...others] = check(JSON.stringify({ states, transitions }), {
    formats: [lifecycle],
  }).diagnostics;
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    code: 'lifecycle/no-way-to-an-end',
    path: ['states', 'A'],
    message: 'From the states "A" and "B" no terminal state can be reached.',
    related: [{ path: ['states', 'B'] }],
  });
});
