import { isRecord, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';
import type { State, StateTimer } from '../definition.ts';
import { mostStates } from '../limits.ts';
import { error } from '../problems.ts';
import { type Kind, kindOf, kindWords } from '../vocabulary.ts';
import { numberOf, optionalText, record, tooMany, usesOf } from './fields.ts';

/** A state as written, before its role in the rows is known. */
export interface DraftState extends Omit<State, 'kind' | 'returns'> {
  readonly kind: Kind | undefined;
}

/** States in any layout: a list of names or of objects with a name, or a map of names to kinds or objects. */
export function readStates(written: unknown, report: Report): DraftState[] {
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

export const conflictingKind = error(
  'conflicting-kind',
  (name: string, kind: string, role: string) => ({
    message: `The state "${name}" is ${role}, but its kind is ${kind}.`,
    hint: 'Make the two agree, or remove one of them.',
  }),
);

/** The kind of a state: by its own field, else by `initial`, `terminal` and the rows. */
export function settledState(
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
