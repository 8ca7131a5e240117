import { isRecord, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';
import type {
  Lifecycle,
  Policies,
  PolicyWord,
  Row,
  State,
  StateTimer,
  TimerPolicy,
} from '../definition.ts';
import { error, info } from '../problems.ts';
import { wiringOf } from '../wiring.ts';
import { mostStates } from '../limits.ts';
import { type Kind, kindOf, kindWords, wordMeanings } from '../vocabulary.ts';
import { holidaysIn } from '../icalendar.ts';
import { type Times, weekdays } from '../times.ts';
import { numberOf, optionalText, record, textsOf, tooMany, usesOf } from './fields.ts';
import { readRows } from './rows.ts';

/**
 * Brings a lifecycle of any layout into one spelling and fills in the defaults. It never fails: a part
 * of a wrong shape is left out (the shape check reports it), so that rules can check the rest. Spec: docs/formats/lifecycle.md#layouts
 */
export function normalise(value: unknown, report: Report): Lifecycle {
  const root = record(value);
  const drafts = readStates(root['states'], report);
  const isBare = root['transitions'] === undefined && root['rows'] === undefined;
  const listed = Array.isArray(root['terminal']) ? textsOf(root['terminal'], ['terminal']) : [];
  const terminal = new Set(listed.map(({ text }) => text));
  for (const { name, kind } of drafts) if (kind === 'terminal') terminal.add(name);
  const rows = isBare
    ? assumedRows(drafts, report)
    : readRows(root, new Set(drafts.map(({ name }) => name)), report);
  const returning = new Set(rows.flatMap(returningStates));
  const initial = initialOf(root, drafts, report);
  const states = drafts.map((draft) => {
    const roles = {
      terminal: terminal.has(draft.name),
      initial: draft.name === initial,
      returns: returning.has(draft.name),
    };
    return settledState(draft, roles, report);
  });
  return {
    id: optionalText(root['id']) || 'lifecycle',
    title: optionalText(root['title']) || optionalText(root['id']) || 'Lifecycle',
    description: optionalText(root['description']),
    initial,
    initialAt: typeof root['initial'] === 'string' ? ['initial'] : placeOf(initial, drafts),
    terminal: listed.map(({ text, at }) => ({ name: text, at: { path: at } })),
    states,
    statesAt: Object.hasOwn(root, 'states') ? ['states'] : [],
    hasNameless: Array.isArray(root['states']) && root['states'].length > drafts.length,
    wiring: wiringOf(root),
    rows,
    policies: readPolicies(root['policies']),
  };
}

/** The states from which a row leads back. */
function returningStates({ from, to }: Row): string[] {
  if (to?.kind !== 'previous' || from.kind !== 'states') return [];
  return from.states.map(({ name }) => name);
}

const severalInitialStates = error('several-initial-states', (first: string) => ({
  message: `There is another initial state, "${first}", but there can be only one.`,
  hint: 'Change the kind of all but one, or write "initial" to choose.',
}));

/** The state that `initial` names, else the only state of that kind. */
function initialOf(
  root: Record<string, unknown>,
  states: readonly DraftState[],
  report: Report,
): string | undefined {
  const written = root['initial'];
  const [first, ...others] = states.filter(({ kind }) => kind === 'initial');
  if (typeof written === 'string') {
    const isKnown = states.some(({ name }) => name === written);
    const other = states.find(({ name, kind }) => kind === 'initial' && name !== written);
    if (other && isKnown) {
      const problem = conflictingKind(other.name, 'initial', 'not the one named in "initial"');
      report(problem, other.at, { at: 'key' });
    }
    return written;
  }
  for (const { at } of others)
    report(severalInitialStates(first!.name), at, { at: 'key', about: [] });
  return first?.name;
}

function placeOf(name: string | undefined, states: readonly DraftState[]): Path {
  return states.find((state) => state.name === name)?.at ?? [];
}

const assumedTransitions = info('assumed-transitions', () => ({
  message:
    'The table has no transitions, so every state that is not terminal leads to every other state, on an event with the name of that state.',
  hint: 'Write "transitions" to choose which state leads where.',
}));

/** The rows of a table without rows: from every state that is not terminal to every other state. */
function assumedRows(states: readonly DraftState[], report: Report): Row[] {
  if (states.length === 0) return [];
  report(assumedTransitions(), ['states'], {
    at: 'key',
    follows: [['transitions'], ['rows'], ['states', '*', 'kind']],
  });
  return states.map(({ name, at }) => ({
    id: '',
    from: { kind: 'any', at: { path: at } },
    event: name,
    guard: undefined,
    to: { kind: 'state', name, at },
    actions: [],
    raise: undefined,
    description: '',
    at,
    eventAt: { path: at },
  }));
}

/** A state as written, before its role in the rows is known. */
interface DraftState extends Omit<State, 'kind' | 'returns'> {
  readonly kind: Kind | undefined;
}

/** States in any layout: a list of names or of objects with a name, or a map of names to kinds or objects. */
function readStates(written: unknown, report: Report): DraftState[] {
  const isList = Array.isArray(written);
  const entries: [string | number, unknown][] = isList
    ? written.map((one: unknown, index): [number, unknown] => [index, one])
    : Object.entries(record(written));
  if (entries.length > mostStates) {
    const problem = tooMany(String(entries.length), 'states', mostStates);
    report(problem, ['states']);
  }
  return entries.slice(0, mostStates).flatMap(([key, one]) => {
    const name = isList ? nameIn(one) : String(key);
    return name === undefined ? [] : [readState(name, one, isList, ['states', key], report)];
  });
}

function nameIn(one: unknown): string | undefined {
  const name = isRecord(one) ? one['name'] : one;
  return typeof name === 'string' ? name : undefined;
}

function readState(
  name: string,
  one: unknown,
  isListed: boolean,
  at: Path,
  report: Report,
): DraftState {
  const fields = record(one);
  const isWord = typeof one === 'string' && !isListed;
  const kindAt = isWord ? at : [...at, 'kind'];
  return {
    name,
    kind: readKind(isWord ? one : fields['kind'], kindAt, report),
    description: optionalText(fields['description']),
    timer: readTimer(fields['timer'], [...at, 'timer']),
    entry: usesOf(fields['entry'], [...at, 'entry']),
    holds_contact: fields['holds_contact'] !== false,
    at,
  };
}

const unknownKind = error('unknown-kind', (kind: string) => ({
  message: `There is no kind of state "${kind}".`,
  hint: () =>
    didYouMean(kind, Object.keys(kindWords)) ??
    'The kinds are initial, normal, working, waiting, suspended and terminal.',
}));

function readKind(written: unknown, at: Path, report: Report): Kind | undefined {
  if (typeof written !== 'string') return undefined;
  const kind = kindOf(written);
  if (kind === undefined) report(unknownKind(written), at);
  return kind;
}

function readTimer(written: unknown, at: Path): StateTimer | undefined {
  if (typeof written === 'string') return { event: written, after_ms: undefined, at };
  if (!isRecord(written) || typeof written['event'] !== 'string') return undefined;
  return { event: written['event'], after_ms: numberOf(written['after_ms']), at };
}

const conflictingKind = error('conflicting-kind', (name: string, kind: string, role: string) => ({
  message: `The state "${name}" is ${role}, but its kind is ${kind}.`,
  hint: 'Make the two agree, or remove one of them.',
}));

/** The kind of a state: by its own field, else by `initial`, `terminal` and the rows. */
function settledState(
  draft: DraftState,
  roles: { readonly terminal: boolean; readonly initial: boolean; readonly returns: boolean },
  report: Report,
): State {
  const { name, kind, at } = draft;
  const { terminal, initial, returns } = roles;
  if (terminal && kind !== undefined && kind !== 'terminal') {
    const problem = conflictingKind(name, kind, 'named in "terminal"');
    report(problem, at, { at: 'key' });
  }
  const inferred = returns ? 'suspended' : initial ? 'initial' : 'normal';
  return { ...draft, kind: terminal ? 'terminal' : (kind ?? inferred), returns };
}

function readPolicies(written: unknown): Policies {
  const fields = record(written);
  const heartbeat = record(fields['heartbeat']);
  const failure = record(fields['model_failure']);
  const settle = record(fields['settle']);
  const times = timesOf(fields);
  return {
    heartbeat: {
      interval_ms: numberOf(heartbeat['interval_ms']) ?? 1_800_000,
      max_followups: times.reminders?.length ?? numberOf(heartbeat['max_followups']) ?? 5,
      max_failures: numberOf(heartbeat['max_failures']) ?? 3,
      budget: heartbeat['budget'] === 'lifetime' ? 'lifetime' : 'consecutive',
      resume_timer: timerPolicy(heartbeat['resume_timer'], 'remaining'),
      restart_timer: timerPolicy(heartbeat['restart_timer'], 'deadline'),
    },
    model_failure: {
      attempts: numberOf(failure['attempts']) ?? 1,
      delay_ms: numberOf(failure['delay_ms']) ?? 5_000,
      backoff_rate: numberOf(failure['backoff_rate']) ?? 3,
      max_delay_ms: numberOf(failure['max_delay_ms']) ?? 300_000,
    },
    settle: {
      quiet_ms: numberOf(settle['quiet_ms']) ?? 0,
      most_ms: numberOf(settle['most_ms']) ?? 10_000,
    },
    fallbacks: isRecord(fields['fallbacks']) ? fallbacksOf(fields['fallbacks']) : undefined,
    overlap: fields['overlap'] === 'supersede' ? 'supersede' : 'queue',
    pick_up: fields['pick_up'] === 'when_available' ? 'when_available' : 'at_once',
    strict: fields['strict'] === true,
    times,
    words: Object.entries(record(fields['words'])).flatMap(([language, group]) =>
      wordsOf(language, record(group)),
    ),
    after_end: afterEnd(fields['after_end']),
  };
}

/** The given fields, with the defaults of their parts. */
function timesOf({ time_zone, quiet_hours, calendar, reminders }: Record<string, unknown>): Times {
  const hours = (given: unknown, from: string, to: string) => ({
    from: optionalText(record(given)['from']) || from,
    to: optionalText(record(given)['to']) || to,
  });
  const { working_days, holidays } = record(calendar);
  const texts = (given: unknown, at: string) => textsOf(given, [at]).map(({ text }) => text);
  return {
    ...(typeof time_zone === 'string' && { time_zone }),
    ...(isRecord(quiet_hours) && { quiet_hours: hours(quiet_hours, '', '') }),
    ...(isRecord(calendar) && {
      calendar: {
        ...hours(calendar, '00:00', '24:00'),
        working_days:
          working_days === undefined ? weekdays.slice(1, 6) : texts(working_days, 'days'),
        ...(typeof holidays === 'string'
          ? holidaysIn(holidays)
          : { holidays: texts(holidays, 'holidays') }),
      },
    }),
    ...(Array.isArray(reminders) && {
      reminders: reminders.map((each: unknown) => {
        const { after, text } = record(each);
        return { after: optionalText(after), ...(typeof text === 'string' && { text }) };
      }),
    }),
  };
}

function fallbacksOf(written: Record<string, unknown>): Policies['fallbacks'] {
  const texts = ['waiting', 'failed', 'language'].flatMap((name) => {
    const text = written[name];
    return typeof text === 'string' ? [[name, text]] : [];
  });
  return {
    waiting_after_ms: numberOf(written['waiting_after_ms']) ?? 30_000,
    ...(Object.fromEntries(texts) as Omit<NonNullable<Policies['fallbacks']>, 'waiting_after_ms'>),
  };
}

function afterEnd(written: unknown): Policies['after_end'] {
  if (written === 'start') return written;
  const text = record(written)['text'];
  return typeof text === 'string' ? { text } : undefined;
}

function wordsOf(language: string, group: Record<string, unknown>): PolicyWord[] {
  const says = optionalText(group['help_text']);
  return wordMeanings.flatMap((means) =>
    textsOf(group[means], ['policies', 'words', language, means]).map(({ text, at }) => ({
      text,
      means,
      ...(means === 'help' && { says }),
      at,
    })),
  );
}

function timerPolicy(written: unknown, usual: TimerPolicy): TimerPolicy {
  return written === 'deadline' || written === 'remaining' || written === 'restart'
    ? written
    : usual;
}
