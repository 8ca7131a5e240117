import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { usualStart } from '../testing/stage-options.ts';
import { sourceOf } from './answers.ts';
import { named } from './data-with.ts';
import type { Explored } from './explorer.ts';
import { type AnswerMove, failedMark, type Move, stepsOf, type Way } from './player.ts';
import type { Rehearsal } from './rehearsal.ts';
import { processorMs } from './search.ts';

/** Attempts for each way: a long way with large data must not hold up the others. */
const attemptsMax = 80;

/**
 * Removes from a way what its reasons do not need: steps, answers that the understudy gives as well, and parts of data. The
 * person's words become the values that are extracted from them.
 *
 * @param until the time, of `processorMs`, after which nothing more is removed
 */
export async function shortenWay(
  way: ChosenWay,
  { replay, rehearsal }: Pick<Explored, 'replay' | 'rehearsal'>,
  until: number,
): Promise<ChosenWay> {
  let attempts = 0;
  let current: Pick<Way, 'beginning' | 'moves'> = way;
  const isEnough = async (candidate: Pick<Way, 'beginning' | 'moves'>): Promise<boolean> => {
    attempts += 1;
    if (attempts > attemptsMax || processorMs() > until) return false;
    if (!stepsOf(candidate.moves)) return false;
    try {
      const units = await replay(candidate);
      const failsOnly = units.has(failedMark) && !way.units.has(failedMark);
      return !failsOnly && way.reasons.every((reason) => units.has(reason));
    } catch {
      // The way cannot be played without this part.
      return false;
    }
  };
  const attempt = async (candidate: Pick<Way, 'beginning' | 'moves'>): Promise<boolean> => {
    if (!(await isEnough(candidate))) return false;
    current = candidate;
    return true;
  };
  for (let index = 0; index < groupsOf(current.moves).length;) {
    const groups = groupsOf(current.moves);
    const moves = groups.toSpliced(index, 1).flat();
    if (groups.length === 1 || !(await attempt({ ...current, moves }))) index += 1;
  }
  await attempt({ ...current, beginning: { ...current.beginning, input: {} } });
  current = { ...current, moves: spoken(current.moves) };
  for (const [index, move] of current.moves.entries()) {
    await shrinkTask(
      index,
      () => current.moves,
      (list) => attempt({ ...current, moves: list }),
    );
    if (!('answer' in move) || move.answer === undefined) continue;
    const { port } = move;
    const moves = current.moves.with(index, { port, answer: undefined });
    if (await attempt({ ...current, moves })) continue;
    const flat = flatExtraction(move.answer);
    if (flat)
      await attempt({ ...current, moves: current.moves.with(index, { port, answer: flat }) });
    await shrinkAnswer(
      index,
      () => current.moves,
      (list) => attempt({ ...current, moves: list }),
    );
  }
  await shrinkInput(
    () => current.beginning.input,
    (input) => attempt({ ...current, beginning: { ...current.beginning, input } }),
  );
  // This adds what tests compare, so it is tried after any number of attempts.
  attempts = 0;
  const distinct = await withDistinctAnswers(current, rehearsal);
  if (distinct) await attempt(distinct);
  return { ...way, ...current, moves: spoken(current.moves) };
}

/** The way with the results of agents and tools that would return their input: texts in them say whose they are. */
async function withDistinctAnswers(
  { beginning, moves }: Pick<Way, 'beginning' | 'moves'>,
  { branches, player, vocabulary }: Rehearsal,
): Promise<Pick<Way, 'beginning' | 'moves'> | undefined> {
  const distinct: Move[] = [];
  let moment = await player.play(await branches.begin(beginning, usualStart), { happening: {} });
  for (const move of moves) {
    const [call] = moment.calls;
    let after = await player.play(moment, move);
    const { agent, tool } = call?.input ?? {};
    const name = agent ?? tool;
    let next = move;
    if (
      'answer' in move &&
      move.answer === undefined &&
      after.answered &&
      call &&
      typeof name === 'string'
    ) {
      const answer = named(after.answered, vocabulary, sourceOf(name, call)) as JsonObject;
      if (JSON.stringify(answer) !== JSON.stringify(after.answered)) {
        next = { ...move, answer };
        after = await player.play(moment, next);
      }
    }
    distinct.push(next);
    moment = after;
  }
  return distinct.every((move, index) => move === moves[index])
    ? undefined
    : { beginning, moves: distinct };
}

/** `{ name: Ada }` for `{ value: { deliverables: { name: Ada } } }`, as authors write it. */
function flatExtraction({ extract }: JsonObject): JsonObject | undefined {
  const value = isRecord(extract) ? extract['value'] : undefined;
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).map(([name, inner]): JsonObject =>
    isRecord(inner) ? inner : { [name]: inner },
  );
  return { extract: Object.assign({}, ...entries) as JsonObject };
}

/** A happening with the answers that follow from it. */
function groupsOf(moves: readonly Move[]): Move[][] {
  const groups: Move[][] = [];
  for (const move of moves)
    if ('happening' in move || groups.length === 0) groups.push([move]);
    else groups.at(-1)!.push(move);
  return groups;
}

/** Makes the person say the values that are then extracted. */
function spoken(moves: readonly Move[]): readonly Move[] {
  return moves.map((move, index) => {
    if (!('happening' in move) || move.happening.person === undefined) return move;
    const next = moves[index + 1];
    const extracted = next && 'answer' in next ? next.answer?.['extract'] : undefined;
    const person = extracted === undefined ? '' : wordsIn(extracted);
    return person === '' ? move : { happening: { person } };
  });
}

async function shrinkAnswer(
  index: number,
  moves: () => readonly Move[],
  attempt: (moves: readonly Move[]) => Promise<boolean>,
): Promise<void> {
  const { port, answer } = moves()[index] as AnswerMove & { readonly answer: JsonObject };
  if (answer[port] === undefined || port === 'reply') return;
  await shrink(answer[port], (value) =>
    attempt(moves().with(index, { port, answer: { [port]: value } })),
  );
}

/** Removes unneeded parts from the result of a task. */
async function shrinkTask(
  index: number,
  moves: () => readonly Move[],
  attempt: (moves: readonly Move[]) => Promise<boolean>,
): Promise<void> {
  const move = moves()[index]!;
  const { task, ...happening } = 'happening' in move ? move.happening : {};
  if (task?.completes === undefined) return;
  await shrink(task.completes, (completes) =>
    attempt(moves().with(index, { happening: { ...happening, task: { ...task, completes } } })),
  );
}

async function shrinkInput(
  input: () => JsonObject,
  attempt: (input: JsonObject) => Promise<boolean>,
): Promise<void> {
  await shrink(input(), (value) => attempt(value as JsonObject));
}

/**
 * Removes fields and items one after another, the outer ones first, as long as the remaining data are enough. Objects that are
 * left empty become different texts: a test sees which of them the definition has read.
 */
async function shrink(whole: Json, attempt: (value: Json) => Promise<boolean>): Promise<void> {
  let value = whole;
  const pending: (readonly string[])[] = [[]];
  for (const path of pending) {
    const part = partAt(value, path);
    if (typeof part !== 'object' || part === null) continue;
    // The last item first, so that the places of the others stay.
    for (const name of Object.keys(part).toReversed()) {
      const smaller = withoutPath(value, [...path, name]);
      if (await attempt(smaller)) value = smaller;
      else pending.push([...path, name]);
    }
  }
  const told = withTexts(value);
  if (JSON.stringify(told) !== JSON.stringify(value)) await attempt(told);
}

function withTexts(value: Json, field = '', item = ''): Json {
  if (Array.isArray(value))
    return value.map((each, index) => withTexts(each, field, `${item} ${index + 1}`));
  if (!isRecord(value)) return value;
  if (field !== '' && Object.keys(value).length === 0) return `some ${field}${item}`;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withTexts(inner, name, item)]),
  );
}

function partAt(value: Json, path: readonly string[]): Json | undefined {
  let part: Json | undefined = value;
  for (const name of path)
    part =
      typeof part === 'object' && part !== null && Object.hasOwn(part, name)
        ? (part as JsonObject)[name]
        : undefined;
  return part;
}

function withoutPath(value: Json, [name, ...rest]: readonly string[]): Json {
  if (name === undefined || typeof value !== 'object' || value === null) return value;
  const inner = (each: Json) => withoutPath(each, rest);
  if (Array.isArray(value)) {
    const index = Number(name);
    return rest.length === 0 ? value.toSpliced(index, 1) : value.with(index, inner(value[index]));
  }
  return Object.fromEntries(
    Object.entries(value as JsonObject).flatMap(([key, each]) => {
      if (key !== name) return [[key, each]];
      return rest.length === 0 ? [] : [[key, inner(each)]];
    }),
  );
}

/** The values of an extraction as a person says them: `Ada, yes, 42`. Lists name tasks and are not said. */
function wordsIn(extracted: Json): string {
  const words: string[] = [];
  const pending: Json[] = [extracted];
  for (const value of pending) {
    if (typeof value === 'string' || typeof value === 'number') words.push(String(value));
    else if (typeof value === 'boolean') words.push(value ? 'yes' : 'no');
    else if (isRecord(value)) pending.push(...Object.values(value));
  }
  return words.slice(0, 8).join(', ').slice(0, 200);
}

/** A way with the units that it is kept for. */
export interface ChosenWay extends Way {
  /** Units that no way chosen before it reaches. */
  readonly reasons: readonly string[];
}

/**
 * Chooses few ways that reach all goals: each time the way to most of the remaining ones, and of several the shortest.
 *
 * @param ways a way to each unit
 * @param goals the units that have to be reached, in the order of the definition
 */
export function selectWays(
  ways: ReadonlyMap<string, Way>,
  goals: Iterable<string>,
): readonly ChosenWay[] {
  const missing = new Set([...goals].filter((goal) => ways.has(goal)));
  const candidates = new Set([...missing].map((goal) => ways.get(goal)!));
  const chosen: ChosenWay[] = [];
  while (missing.size > 0) {
    let best: { readonly way: Way; readonly reasons: readonly string[] } | undefined;
    for (const way of candidates) {
      const reasons = [...missing].filter((goal) => way.units.has(goal));
      if (reasons.length === 0) candidates.delete(way);
      else if (!best || isBetter(reasons, way, best)) best = { way, reasons };
    }
    if (!best) break;
    candidates.delete(best.way);
    for (const reason of best.reasons) missing.delete(reason);
    chosen.push({ ...best.way, reasons: best.reasons });
  }
  return chosen;
}

function isBetter(
  reasons: readonly string[],
  { moves, units }: Way,
  best: { readonly way: Way; readonly reasons: readonly string[] },
): boolean {
  if (reasons.length !== best.reasons.length) return reasons.length > best.reasons.length;
  const hasFailed = units.has(failedMark);
  if (hasFailed !== best.way.units.has(failedMark)) return !hasFailed;
  return moves.length < best.way.moves.length;
}
