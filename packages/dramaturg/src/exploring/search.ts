import { InputError, isRecord } from '@dramaturg/compiler';
import { answersTo } from './answers.ts';
import type { Branches } from './branches.ts';
import {
  type Beginning,
  duesOf,
  hasSpoken,
  leadingWaits,
  type Moment,
  ownEvents,
} from './moment.ts';
import type { Observation } from './findings.ts';
import { happeningsAt, type Outside } from './happenings.ts';
import { choicesOf, inputsOf } from './inputs-of.ts';
import { failedMark, type Move, type Player, type Way } from './player.ts';
import { type Retried, retriesIn } from './retries.ts';
import { SearchGraph } from './search-graph.ts';
import { placeOf, rowSignatureOf, signatureOf } from './signature.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The places that inputs have led to. An input decides something when another value in its place leads to another place. */
class InputEffects {
  /** The places by input. */
  readonly #places = new Map<string, Set<string>>();

  add(input: string, place: string): void {
    const known = this.#places.get(input) ?? new Set();
    if (known.size < placesMax) known.add(place);
    this.#places.set(input, known);
  }

  /** The inputs that decide something, in the order in which they were tried first. */
  deciding(): readonly string[] {
    const groups = new Map<string, string[]>();
    for (const input of this.#places.keys()) {
      const group = groupOf(input);
      groups.set(group, [...(groups.get(group) ?? []), input]);
    }
    return [...this.#places.keys()].filter((input) => {
      const values = groups.get(groupOf(input))!;
      const effects = new Set(
        values.map((each) => [...this.#places.get(each)!].toSorted().join('\n')),
      );
      return isAlone(input) || effects.size > 1;
    });
  }
}

const placesMax = 50;

/** Named errors, decisions and times always count: a definition names them for a purpose. */
function isAlone(input: string): boolean {
  return !/ = | gives | chooses /.test(input);
}

/** The group of an input: all values of the same field of the same call. */
function groupOf(input: string): string {
  return input.replace(/(?: = | gives | chooses ).*$/s, '');
}

/** The moments with a question to people that none of the tried decisions has answered. */
class Decisions<Place> {
  readonly #accepted = new Set<Place>();
  readonly #refused = new Map<Place, string>();

  accepted(node: Place, move: Move): void {
    if (isDecision(move)) this.#accepted.add(node);
  }

  refused(node: Place, move: Move, because: string): void {
    if (isDecision(move) && !this.#refused.has(node)) this.#refused.set(node, because);
  }

  /** The moments at which every decision was refused, with the reason. */
  undecidable(): readonly { readonly node: Place; readonly because: string }[] {
    return [...this.#refused].flatMap(([node, because]) =>
      this.#accepted.has(node) ? [] : [{ node, because }],
    );
  }
}

function isDecision(move: Move): boolean {
  return 'happening' in move && move.happening.decide !== undefined;
}

export interface SearchBounds {
  /** The most moves that are tried. */
  readonly steps: number;
  /** Ends the search earlier; on a slow machine the result may then depend on the machine. */
  readonly seconds: number;
}

/** The processor time of this process in milliseconds: a search ends at the same place on a busy machine. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** `data`: ways that are too long, or data that are too large. `counts`: a limit of the definition is higher than the search counts. */
export type SearchBound = 'steps' | 'seconds' | 'data' | 'counts';

export interface SearchResult {
  /** A short way to each unit that was reached. */
  readonly ways: ReadonlyMap<string, Way>;
  /** The inputs that decide where the definition goes. */
  readonly inputs: readonly string[];
  readonly steps: number;
  /** The bound at which the search has ended; undefined when all was reached, or every move from every distinct moment was tried. */
  readonly endedAt?: SearchBound;
  /** Why no instance could begin. */
  readonly refusal?: string;
  readonly failures: ReadonlyMap<string, number>;
  /** Why a run has stopped, in a sentence for people, by the key of the last state that it entered. */
  readonly stopsIn: ReadonlyMap<string, string>;
  readonly observations: readonly Observation[];
}

export interface SearchOptions {
  readonly branches: Branches;
  readonly player: Player;
  readonly vocabulary: Vocabulary;
  readonly outside: Outside;
  readonly beginnings: readonly Beginning[];
  readonly startAt: number;
  readonly bounds: SearchBounds;
  /** The search ends early when all of these are reached. */
  readonly goals: ReadonlySet<string>;
  /** Takes the units that were reached since the last time. */
  readonly takeUnits: () => ReadonlySet<string>;
  readonly onProgress?: (steps: number, reached: number) => void;
  /** Receives each beginning and each move that was accepted, with the moment before it. */
  readonly onTried?: (tried: Tried) => void;
}

export interface Tried {
  readonly moment: Moment;
  readonly before?: Moment;
  readonly beginning: Beginning;
  readonly move?: Move;
}

interface Node {
  readonly moment: Moment;
  readonly beginning: Beginning;
  readonly parent?: Node;
  readonly move?: Move;
  readonly units: ReadonlySet<string>;
  readonly depth: number;
  readonly retried?: Retried | undefined;
  /** Distinguishes its moment; undefined when its data are too large. */
  readonly key: string | undefined;
}

interface Attempt {
  readonly from: Node;
  readonly move: Move;
}

/** The attempts from the moments of a place, and those from the moments whose usual move was not tried: a list for each moment. */
interface Queue {
  tried: number;
  readonly attempts: Attempt[][];
  readonly fresh: Attempt[][];
}

const depthMax = 120;
/** Moves after the last new input, once every goal is reached. */
const idleMax = 60;
const nodesMax = 30_000;
/** The most moves of a loop that is repeated, and the most such loops of one place. */
const lapMax = 4;
const lapsMax = 12;
/** The most moments without an end that are examined: there is one finding for each state. */
const stuckMax = 500;

/**
 * Searches the moments of an instance for units that were not reached yet. Moments of one place wait in one queue, and the places take turns,
 * the least tried first: so a state with many answers does not hold up the others. The same definition and bounds give the same
 * result.
 */
export class Search {
  readonly #options: SearchOptions;
  readonly #ways = new Map<string, Node>();
  readonly #known = new Set<string>();
  readonly #places = new Map<string, Queue>();
  readonly #laps = new Map<string, Set<string>>();
  readonly #failures = new Map<string, number>();
  /** The places that each input has led to. */
  readonly #inputs = new InputEffects();
  readonly #graph = new SearchGraph<Node>();
  readonly #decisions = new Decisions<Node>();
  readonly #observations: Observation[] = [];
  readonly #stopsIn = new Map<string, string>();
  #steps = 0;
  /** The last step that has reached something new. */
  #newest = 0;
  #endedAt: SearchBound | undefined;

  constructor(options: SearchOptions) {
    this.#options = options;
    // Moments count as the same long before such a limit is reached.
    if (options.vocabulary.hasUncountedLimit) this.#endedAt = 'counts';
  }

  async run(): Promise<SearchResult> {
    const { bounds, onProgress } = this.#options;
    const until = processorMs() + bounds.seconds * 1000;
    const refusal = await this.#begin(until);
    for (;;) {
      const attempt = this.#next();
      if (!attempt || (this.#hasAll() && this.#steps - this.#newest > idleMax)) break;
      if (this.#steps >= bounds.steps || processorMs() > until) {
        this.#endedAt = this.#steps >= bounds.steps ? 'steps' : 'seconds';
        break;
      }
      this.#steps += 1;
      if (this.#steps % 250 === 0) onProgress?.(this.#steps, this.#reached());
      const node = await this.#try(attempt);
      if (node && !this.#hasAll()) await this.#goAround(node, until);
    }
    return {
      ways: new Map([...this.#ways].map(([unit, node]) => [unit, wayTo(node)])),
      inputs: this.#inputs.deciding(),
      observations: this.#observed(),
      steps: this.#steps,
      ...(this.#endedAt && !this.#hasAll() ? { endedAt: this.#endedAt } : {}),
      failures: this.#failures,
      stopsIn: this.#stopsIn,
      ...(refusal === undefined || this.#known.size > 0 ? {} : { refusal }),
    };
  }

  #observed(): readonly Observation[] {
    const { hasUncountedLimit } = this.#options.vocabulary;
    const stuck = hasUncountedLimit ? [] : this.#graph.withoutEnd().slice(0, stuckMax);
    return [
      ...this.#observations,
      ...this.#decisions
        .undecidable()
        .filter(({ node }) => this.#graph.isTried(node.key))
        .map(({ node, because }) => ({ kind: 'undecidable' as const, way: wayTo(node), because })),
      ...stuck.map((node) => ({ kind: 'no-end' as const, way: wayTo(node) })),
    ];
  }

  async #begin(until: number): Promise<string | undefined> {
    const { branches, player, beginnings, startAt, takeUnits } = this.#options;
    let refusal: string | undefined;
    for (const beginning of beginnings) {
      if (this.#known.size > 0 && processorMs() > until) {
        this.#endedAt = 'seconds';
        break;
      }
      takeUnits();
      try {
        const begun = await branches.begin(beginning, startAt);
        const moment = await player.play(begun, { happening: {} });
        const key = this.#signatureOf(moment);
        const choices = choicesOf(beginning);
        for (const choice of choices) this.#inputs.add(choice, placeOf(moment));
        const units = new Set([...takeUnits(), ...choices]);
        const node = { moment, beginning, units, depth: 0, key };
        this.#add(node);
        this.#observe(node);
      } catch (error) {
        refusal ??= error instanceof Error ? error.message : String(error);
        if (!(error instanceof InputError)) this.#note(error);
      }
    }
    return refusal;
  }

  /** @returns the moment after the move, if it is a new one */
  async #try({ from, move }: Attempt): Promise<Node | undefined> {
    const { player, takeUnits, vocabulary } = this.#options;
    takeUnits();
    try {
      const moment = await player.play(from.moment, move);
      const inputs = inputsOf(from.moment, move, moment, vocabulary);
      const retries = retriesIn(moment, move, from.retried);
      const units = new Set([...takeUnits(), ...inputs, ...retries.units]);
      if (moment.refused !== undefined) {
        for (const input of inputs) this.#inputs.add(input, placeOf(moment));
        this.#reach({ ...from, moment, parent: from, move, units, depth: from.depth + 1 });
        this.#graph.tried(from.key!, undefined);
        this.#decisions.refused(from, move, moment.refused);
        return undefined;
      }
      this.#decisions.accepted(from, move);
      const key = this.#signatureOf(moment);
      if (hasFailed(moment)) units.add(failedMark);
      for (const input of inputs) this.#inputs.add(input, placeOf(moment));
      const { beginning, depth } = from;
      const { answered } = moment;
      const made = 'answer' in move && answered ? { ...move, usual: answered } : move;
      const node: Node = {
        moment,
        beginning,
        parent: from,
        move: made,
        units,
        depth: depth + 1,
        key,
        retried: retries.retried,
      };
      for (const unit of retries.units) this.#inputs.add(unit, placeOf(moment));
      const isNew = key !== undefined && !this.#known.has(key);
      this.#add(node);
      // An operator can always end a child: a definition needs another way to continue.
      const isLost = key === undefined || !this.#known.has(key);
      this.#graph.tried(from.key!, isOfOperator(move) ? undefined : key, isLost);
      this.#observe(node);
      return isNew && this.#known.has(key) ? node : undefined;
    } catch (error) {
      this.#graph.tried(from.key!, undefined, true);
      this.#note(error);
      return undefined;
    }
  }

  /** Repeats the moves that have led back to a place, until they lead elsewhere or to a known moment: a limit may end them. */
  async #goAround(node: Node, until: number): Promise<void> {
    const place = placeOf(node.moment);
    const lap = lapTo(node, place);
    if (!lap) return;
    const kind = lap.isCounted ? `${place} counted` : place;
    const laps = this.#laps.get(kind) ?? new Set();
    const name = JSON.stringify(lap.moves.map(withoutTime));
    if (laps.has(name) || laps.size >= lapsMax) return;
    this.#laps.set(kind, laps.add(name));
    let at: Node | undefined = node;
    for (let index = 0; at && !this.#hasAll(); index += 1) {
      const isBack = index % lap.moves.length === 0;
      if (isBack && placeOf(at.moment) !== place) return;
      if (this.#steps >= this.#options.bounds.steps || processorMs() > until) return;
      const attempt = this.#take(at, lap.moves[index % lap.moves.length]!);
      if (!attempt) return;
      this.#steps += 1;
      at = await this.#try(attempt);
    }
  }

  /** Takes a move from a moment out of its queue; undefined when it was tried, or is not possible. */
  #take(from: Node, move: Move): Attempt | undefined {
    const { attempts = [] } = this.#places.get(placeOf(from.moment)) ?? {};
    const name = withoutTime(move);
    const own = attempts.find(([first]) => first?.from === from) ?? [];
    const index = own.findIndex((each) => withoutTime(each.move) === name);
    return index < 0 ? undefined : own.splice(index, 1)[0];
  }

  #add(node: Node): void {
    const { moment, parent, beginning, move } = node;
    this.#options.onTried?.({
      moment,
      beginning,
      ...(parent && move ? { before: parent.moment, move } : {}),
    });
    const isNew = this.#reach(node);
    const { key } = node;
    if (key === undefined || node.depth >= depthMax || this.#known.size >= nodesMax) {
      this.#endedAt ??= 'data';
      return;
    }
    if (this.#known.has(key)) return;
    this.#known.add(key);
    const name = placeOf(node.moment);
    const place = this.#places.get(name) ?? { tried: 0, attempts: [], fresh: [] };
    this.#places.set(name, place);
    const attempts = this.#movesAt(moment).map((next) => ({ from: node, move: next }));
    this.#graph.add(key, node, attempts.length, hasEnded(moment) || mayGoOnByItself(moment));
    if (isNew) place.attempts.unshift(attempts);
    else place.attempts.push(attempts);
    place.fresh.push(attempts);
  }

  /** Keeps the way to units that were not reached before. @returns whether one of them is a goal */
  #reach(node: Node): boolean {
    let isNew = false;
    for (const unit of node.units) {
      if (this.#ways.has(unit)) continue;
      this.#ways.set(unit, node);
      this.#newest = this.#steps;
      isNew ||= this.#options.goals.has(unit);
    }
    return isNew;
  }

  #movesAt(moment: Moment): readonly Move[] {
    const { vocabulary, outside } = this.#options;
    const [call] = moment.calls;
    if (!call) return happeningsAt(moment, outside).map((happening) => ({ happening }));
    // Nobody has spoken yet, so no condition can hold.
    const isOpening = call.input['fallback'] !== undefined && !hasSpoken(moment);
    const answers = isOpening
      ? [{ [call.port]: call.input['fallback']! }]
      : answersTo(call, vocabulary, outside.triesRows);
    return answers.map((answer) => ({ port: call.port, answer }));
  }

  #next(): Attempt | undefined {
    let best: Queue | undefined;
    for (const [name, place] of this.#places) {
      while (place.attempts[0]?.length === 0) place.attempts.shift();
      if (place.attempts.length === 0) this.#places.delete(name);
      else if (!best || place.tried < best.tried) best = place;
    }
    if (!best) return undefined;
    best.tried += 1;
    // Every fourth turn is for the usual move of the next moment, so that the many moves of a first one do not hold it up.
    const next = best.tried % 4 === 0 ? best.fresh.shift() : undefined;
    return next?.shift() ?? best.attempts[0]!.shift();
  }

  #hasAll(): boolean {
    const { goals } = this.#options;
    return this.#ways.size >= goals.size && [...goals].every((goal) => this.#ways.has(goal));
  }

  #signatureOf(moment: Moment): string | undefined {
    const { vocabulary, outside } = this.#options;
    const isOfRows = outside.triesRows || !isRecord(moment.state.flow);
    return isOfRows ? rowSignatureOf(moment, vocabulary) : signatureOf(moment, vocabulary);
  }

  #reached(): number {
    return [...this.#options.goals].filter((goal) => this.#ways.has(goal)).length;
  }

  #observe(node: Node): void {
    const reason = whyStopped(node.moment);
    if (reason !== undefined) {
      const { units } = wayTo(node);
      const state = [...units].findLast((unit) => unit.startsWith('state '));
      if (state !== undefined && !this.#stopsIn.has(state)) this.#stopsIn.set(state, reason);
    }
    const kind = faultIn(node.moment);
    if (kind) this.#observations.push({ kind, way: wayTo(node) });
  }

  #note(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#failures.set(message, (this.#failures.get(message) ?? 0) + 1);
  }
}

/** The moves since an earlier moment at the same place, and whether the moments differ in numbers only. */
function lapTo(
  node: Node,
  place: string,
): { readonly moves: readonly Move[]; readonly isCounted: boolean } | undefined {
  const moves: Move[] = [];
  for (let at = node; at.parent && moves.length < lapMax; at = at.parent) {
    moves.unshift(at.move!);
    if (placeOf(at.parent.moment) === place)
      return { moves, isCounted: withoutNumbers(at.parent) === withoutNumbers(node) };
  }
  return undefined;
}

function withoutNumbers({ key }: Node): string | undefined {
  return key?.replaceAll(/\b\d+/g, '');
}

/**
 * A move in words. How much time passes does not matter: the pauses between attempts become longer. Nor does which turn an event
 * belongs to.
 */
function withoutTime(move: Move): string {
  if ('answer' in move) return JSON.stringify([move.port, move.answer]);
  const { later, ...happening } = move.happening;
  return later === undefined
    ? JSON.stringify(happening, (name, value: unknown) => (name === 'turn' ? null : value))
    : 'later';
}

function isOfOperator(move: Move): boolean {
  return 'happening' in move && move.happening.operator !== undefined;
}

/** Whether the definition has come to its end, or a person has taken over, also from a child: a lifecycle may continue. */
function hasEnded({ ended, status, state: { flow }, children }: Moment): boolean {
  const isHandedOver = (one: { readonly ended: boolean; readonly status: string }) =>
    !one.ended && one.status === 'NEEDS_HUMAN_INTERVENTION';
  return (
    ended ||
    isHandedOver({ ended, status }) ||
    children.some(isHandedOver) ||
    Object(flow)['status'] === 'done'
  );
}

/**
 * Whether more can happen than the search tries: a host repeats a failed turn, and a later timer fires although a loop repeats
 * before it.
 */
function mayGoOnByItself(moment: Moment): boolean {
  return (
    duesOf(leadingWaits(moment)).length > 1 ||
    moment.events.some(
      ({ event }) => event.type.startsWith('turn.') && event.type.includes('failed'),
    )
  );
}

function wayTo(node: Node): Way {
  const nodes: Node[] = [];
  for (let at: Node | undefined = node; at; at = at.parent) nodes.unshift(at);
  const units = new Set<string>();
  for (const unit of nodes.flatMap((each) => [...each.units])) {
    // A unit that is reached again moves to the end.
    units.delete(unit);
    units.add(unit);
  }
  const moves = nodes.flatMap(({ move }) => (move ? [move] : []));
  const isRefused = node.moment.refused !== undefined;
  return { beginning: node.beginning, moves, units, ...(isRefused ? { isRefused } : {}) };
}

/** Why a run has stopped, in a sentence for people; undefined when it may continue. */
function whyStopped(moment: Moment): string | undefined {
  const failure = failureOf(moment);
  return failure === undefined
    ? undefined
    : `Runs fail in this state: ${failure.slice(0, longestCause)}`;
}

export function hasFailed(moment: Moment): boolean {
  return failureOf(moment) !== undefined;
}

/** A longer cause is shortened. */
const longestCause = 300;

/** The error and the cause with which a run has failed. */
function failureOf(moment: Moment): string | undefined {
  const end = ownEvents(moment).find(({ event }) => event.type === 'workflow.ended')?.event;
  if (end?.['status'] !== 'failed') return undefined;
  return [end['error'], end['cause']].filter((part) => typeof part === 'string').join(', ');
}

/** The fault of a definition that the end of a run shows. */
function faultIn(moment: Moment): Observation['kind'] | undefined {
  const end = ownEvents(moment).find(({ event }) => event.type === 'workflow.ended')?.event;
  if (end?.['error'] === 'States.StepLimitExceeded') return 'no-progress';
  // Amazon's workflows fail with `States.Runtime` when no rule holds.
  const hasNoRule =
    end?.['error'] === 'States.NoChoiceMatched' ||
    String(end?.['cause']).startsWith('No rule of the Choice holds');
  return hasNoRule ? 'no-choice' : undefined;
}
