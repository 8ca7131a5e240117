import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { type ExpectationName, hasPart, type TestStep, writeDuration } from './test-file.ts';
import type { Happened } from './stage.ts';

/** An expectation that does not hold. */
export interface Disappointment {
  /** One sentence for people. */
  readonly message: string;
  readonly hint?: string;
  /** The found value; absent where no value could replace the expected one. */
  readonly found?: Json;
}

type Expectation<Name extends ExpectationName> = (
  expected: NonNullable<TestStep[Name]>,
  happened: Happened,
) => Disappointment | undefined;

/** The check of each expectation of a step. Spec: docs/testing.md#expectations */
export const checks: { readonly [Name in ExpectationName]: Expectation<Name> } = {
  state: (expected, { state, view }) =>
    // A lifecycle that runs by itself has only the states of the instance.
    same('The state', expected, state ?? view.state),
  instance: (expected, { view }) => same('The instance', expected, view.state),
  said: (expected, { said }) => {
    const missing = [expected].flat().find((part) => !said.some((text) => hasPart(text, part)));
    if (missing === undefined) return undefined;
    return {
      message: `Nothing that was said has ${quoted(missing)}. ${saidList(said)}`,
      ...(said.length > 0 ? { found: said.at(-1)! } : {}),
    };
  },
  unsaid: (expected, { said }) => {
    const present = [expected].flat().find((part) => said.some((text) => hasPart(text, part)));
    if (present === undefined) return undefined;
    return { message: `${quoted(present)} was said. ${saidList(said)}` };
  },
  asks: (expected, { calls }) => {
    const last = calls.findLast(({ port }) => port === 'reply');
    const asks = (last?.input['asks'] ?? []) as readonly { readonly name: string }[];
    const names = asks.map(({ name }) => name);
    return differs('The questions of the last reply', expected, names);
  },
  collected: (expected, { view }) => differs('What is collected', expected, view.collected ?? {}),
  decisions: (expected, { decisions }) =>
    differs('The open decisions', expected, decisions as unknown as Json),
  calls: (expected, { calls }) => {
    const shown = calls.map(({ port, input }) => ({ port, ...input })) as readonly JsonObject[];
    // Calls of ports that the author does not name are left out.
    const ports = new Set<Json | undefined>(expected.map(({ port }) => port));
    const isNamed = ports.size > 0 && !ports.has(undefined);
    const relevant = isNamed ? shown.filter(({ port }) => ports.has(port)) : shown;
    return differs('The calls', expected, relevant);
  },
  emitted: (expected, { events }) => {
    const list = [expected].flat() as readonly JsonObject[];
    const missing = list.find((each) => !events.some((event) => !mismatch(each, event)));
    if (!missing) return undefined;
    const types = [...new Set(events.map(({ type }) => type as string))].join(', ');
    return {
      message: `No event is ${JSON.stringify(missing)}. Emitted: ${types || 'nothing'}.`,
    };
  },
  unemitted: (expected, { events }) => {
    const list = [expected].flat() as readonly JsonObject[];
    const present = events.find((event) => list.some((each) => !mismatch(each, event)));
    return present && { message: `This event was emitted: ${short(present)}.` };
  },
  timers: (expected, happened) => differs('The timers', expected, timersOf(happened)),
  refused: (expected, { refused }) => {
    if (refused !== undefined && hasPart(refused, expected)) return undefined;
    const because = refused === undefined ? 'It was accepted.' : `It was refused: ${refused}`;
    return { message: `This should be refused with ${quoted(expected)}. ${because}` };
  },
  outcome: (expected, happened) => {
    const outcome = outcomeOf(happened);
    if (outcome !== undefined) return same('The outcome', expected, outcome);
    return { message: `It has not ended: ${standing(happened)}`, hint: howToGoOn(happened) };
  },
  error: (expected, { view }) => same('The error', expected, view.failure?.error ?? 'no error'),
  output: (expected, happened) => {
    const { view } = happened;
    if (view.ended) return differs('The output', expected, view.output ?? null);
    return { message: `It has not ended: ${standing(happened)}`, hint: howToGoOn(happened) };
  },
};

/** The time until each timer of the instance is due, as an author writes it; the next one first. */
export function timersOf({ view, at }: Pick<Happened, 'view' | 'at'>): string[] {
  const times = [...new Set(view.timers.map((timer) => timer.at))];
  return times.toSorted((one, other) => one - other).map((due) => writeDuration(due - at));
}

/** How an instance has ended: the outcome of a conversation, the status of a workflow, else the state. */
export function outcomeOf({ view, events }: Happened): string | undefined {
  if (!view.ended) return undefined;
  const end = events.findLast(({ type }) => type === 'workflow.ended');
  if (typeof end?.['status'] === 'string') return end['status'];
  const { outcome } = Object(view.output) as { readonly outcome?: unknown };
  return typeof outcome === 'string' ? outcome : view.state;
}

function standing({ view }: Happened): string {
  const [wait] = view.waits;
  if (!wait) return `it is ${view.state}.`;
  if (wait.for === 'timer') return `it waits until ${new Date(wait.at).toISOString()}.`;
  if (wait.for === 'decision') return `it waits for a decision: ${JSON.stringify(wait.prompt)}.`;
  if (wait.for === 'message') return 'it waits for a message.';
  return `it waits for ${wait.for === 'items' ? 'its items' : `the ${wait.for}`}.`;
}

function howToGoOn({ view }: Happened): string {
  const waits = view.waits.map((wait) => wait.for);
  if (waits.includes('decision')) return 'Decide before this step: "- decide: approve".';
  if (waits.includes('token'))
    return 'Give the token back before this step: "- task: { completes: {} }".';
  if (waits.includes('timer')) return 'Let time pass before this step: "- later: to the end".';
  return 'Add what is missing before this step.';
}

function same(what: string, expected: string, found: string): Disappointment | undefined {
  if (found === expected) return undefined;
  return { message: `${what} is ${quoted(found)}, expected ${quoted(expected)}.`, found };
}

function differs(what: string, expected: Json, found: Json): Disappointment | undefined {
  const difference = mismatch(expected, found);
  if (!difference) return undefined;
  const { path } = difference;
  const at = path.length === 0 ? '' : ` at ${path.join('.')}`;
  return {
    message: `${what}${at}: found ${short(difference.found)}, expected ${short(difference.expected)}.`,
    found: partOf(expected, found),
  };
}

/** The found value, without fields that the author did not ask about. */
function partOf(expected: Json, found: Json): Json {
  if (!isRecord(expected) || !isRecord(found)) return found;
  return Object.fromEntries(
    Object.entries(expected).map(([key, value]) => [key, partOf(value, found[key] ?? null)]),
  );
}

const longest = 200;

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function quoted(text: string): string {
  return text.startsWith('/') ? text : JSON.stringify(text);
}

function saidList(said: readonly string[]): string {
  if (said.length === 0) return 'Nothing was said.';
  return `Said: ${said.map((text) => JSON.stringify(text)).join(', ')}.`;
}

/** A place in which a value differs from the expected one. */
interface Mismatch {
  readonly path: readonly (string | number)[];
  readonly expected: unknown;
  readonly found: unknown;
}

/**
 * Compares a value with the expected one: an object may have further fields, a list is compared item by item, and `null` also
 * matches an absent field.
 *
 * @returns the first difference, or undefined
 */
function mismatch(
  expected: Json,
  found: unknown,
  path: Mismatch['path'] = [],
): Mismatch | undefined {
  if (isRecord(expected) && isRecord(found)) {
    for (const [key, value] of Object.entries(expected)) {
      const own = Object.hasOwn(found, key) ? found[key] : undefined;
      const difference = mismatch(value, own, [...path, key]);
      if (difference) return difference;
    }
    return undefined;
  }
  if (Array.isArray(expected) && Array.isArray(found)) {
    if (expected.length !== found.length) return { path, expected, found };
    for (const [index, value] of expected.entries()) {
      const difference = mismatch(value, found[index], [...path, index]);
      if (difference) return difference;
    }
    return undefined;
  }
  return expected === (found ?? null) ? undefined : { path, expected, found };
}
