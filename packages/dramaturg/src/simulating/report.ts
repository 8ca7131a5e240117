import { createHash } from 'node:crypto';
import type { Compiled } from '@dramaturg/compiler';
import type { UsageTotal } from '@dramaturg/host';
import { noUsage } from '@dramaturg/host/engine';
import { statePlace } from '../testing/coverage/unit-watch.ts';
import { addTotal, type Simulated } from './situation.ts';
import { conversationName } from './simulate.ts';

/** How the conversations of a simulation went. It is also the file `run.json`. */
export interface SimulationReport extends SimulationSettings {
  /** The version of the form of this file. */
  readonly simulation: 1;
  readonly score: Score;
  readonly personas: readonly PersonaSummary[];
  /** Places where conversations ended without a good end, the most frequent first. */
  readonly stuck: readonly Stuck[];
  /** The usage of models. Absent without a model. */
  readonly used?: UsageTotal;
  readonly conversations: readonly Simulated[];
}

export interface SimulationSettings {
  /** The file of the definition. */
  readonly definition: string;
  /** Changes with each change of the definition's text. */
  readonly version: string;
  /** The model of the agent, or `understudy`; for a workflow, the module of its agents, or `none`. */
  readonly agent: string;
  /** The file of the lifecycle of the conversations, or `built-in`. Absent if time does not pass in them. */
  readonly lifecycle?: string;
  /** The model of the persons, or `rules`. */
  readonly persons: string;
  /** The personas as the caller named them: built-in names, and files. */
  readonly cast: readonly string[];
  readonly seed: number;
  /** Conversations of each persona. */
  readonly runs: number;
  readonly turnsMax: number;
}

export interface Score extends Share {
  readonly good: number;
  readonly conversations: number;
  /** The number of different conversations, which the interval is computed from. */
  readonly different: number;
}

export interface PersonaSummary {
  readonly persona: string;
  readonly conversations: number;
  readonly good: number;
  /** How often each outcome was reached. */
  readonly endings: Readonly<Record<string, number>>;
  /** Messages of the person in a conversation, on average. */
  readonly messages: number;
  /** Reminders in all its conversations. Absent where no time passes. */
  readonly reminders?: number;
  /** How long a conversation takes from the start to the end, on average, in milliseconds. Absent where no time passes. */
  readonly waitedMs?: number;
  /** Calls of ports in all its conversations. */
  readonly calls: number;
}

export interface Stuck {
  readonly outcome: string;
  readonly state: string;
  readonly because: string;
  readonly line?: number;
  readonly column?: number;
  /** Names of the conversations. */
  readonly conversations: readonly string[];
}

export function reportOf(
  settings: SimulationSettings,
  compiled: Compiled,
  conversations: readonly Simulated[],
): SimulationReport {
  const used = usageOf(conversations);
  return {
    simulation: 1,
    ...settings,
    score: scoreOf(conversations),
    personas: groupsBy(conversations, ({ persona }) => persona).map(summaryOf),
    stuck: stuckOf(conversations, compiled),
    ...(used.requests > 0 ? { used } : {}),
    conversations,
  };
}

/** Changes with each change of a definition's text. */
export function versionOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function scoreOf(conversations: readonly Simulated[]): Score {
  const good = conversations.filter(({ ending }) => ending.isGood).length;
  const words = conversations.map(({ turns }) =>
    turns.map(({ person, happening, agent }) => [person ?? happening ?? '', ...agent]),
  );
  const different = new Set(words.map((each) => JSON.stringify(each))).size;
  const share = conversations.length === 0 ? 0 : good / conversations.length;
  const interval = shareWithInterval(share, different);
  return { ...interval, good, conversations: conversations.length, different };
}

function summaryOf(conversations: readonly Simulated[]): PersonaSummary {
  const endings: Record<string, number> = {};
  for (const { ending } of conversations)
    endings[ending.outcome] = (endings[ending.outcome] ?? 0) + 1;
  const messages = sum(conversations.map(messagesIn)) / conversations.length;
  return {
    persona: conversations[0]!.persona,
    conversations: conversations.length,
    good: conversations.filter(({ ending }) => ending.isGood).length,
    endings: Object.fromEntries(
      Object.entries(endings).toSorted(([, one], [, other]) => other - one),
    ),
    messages: Math.round(messages * 10) / 10,
    ...timesOf(conversations),
    calls: sum(conversations.flatMap(({ turns }) => turns.map(({ calls }) => calls))),
  };
}

function timesOf(
  conversations: readonly Simulated[],
): Pick<PersonaSummary, 'reminders' | 'waitedMs'> {
  if (conversations[0]?.waitedMs === undefined) return {};
  const waitedMs = sum(conversations.map((each) => each.waitedMs ?? 0)) / conversations.length;
  return {
    reminders: sum(conversations.map(({ reminders = 0 }) => reminders)),
    waitedMs: Math.round(waitedMs),
  };
}

function messagesIn({ turns }: Simulated): number {
  return turns.filter(({ person }) => person !== undefined).length;
}

function stuckOf(conversations: readonly Simulated[], compiled: Compiled): readonly Stuck[] {
  const bad = conversations.filter(({ ending }) => !ending.isGood);
  const groups = groupsBy(bad, ({ ending: { outcome, state, because } }) =>
    JSON.stringify([outcome, state, because]),
  );
  return groups
    .map((group) => {
      const { outcome, state, because = '' } = group[0]!.ending;
      return {
        outcome,
        state,
        because,
        ...statePlace(compiled, state),
        conversations: group.map(({ persona, number }) => conversationName(persona, number)),
      };
    })
    .toSorted((one, other) => other.conversations.length - one.conversations.length);
}

function usageOf(conversations: readonly Simulated[]): UsageTotal {
  return conversations
    .flatMap(({ used, usedByPerson }) => [used, usedByPerson])
    .reduce<UsageTotal>((total, each) => (each ? addTotal(total, each) : total), noUsage);
}

/** Items with the same key, in the order of the first of each. */
function groupsBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** A share with the bounds of its 95 % confidence interval, each from 0 to 1. */
interface Share {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** The quantile of the normal distribution for 95 %. */
const quantile = 1.96;

/**
 * The interval of Wilson's score, which holds for few runs too.
 *
 * @param share from 0 to 1
 * @param count the number of independent runs
 */
export function shareWithInterval(share: number, count: number): Share {
  if (count === 0) return { share: 0, low: 0, high: 1 };
  const square = quantile ** 2 / count;
  const middle = (share + square / 2) / (1 + square);
  const spread =
    (quantile / (1 + square)) * Math.sqrt((share * (1 - share)) / count + square / (4 * count));
  return { share, low: Math.max(0, middle - spread), high: Math.min(1, middle + spread) };
}
