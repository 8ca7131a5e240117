import { type Chart, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { behaviours } from '../../host.ts';
import type { MadeCall } from '../../testing/scripted-ports.ts';
import { usualStart } from '../../testing/stage-options.ts';
import type { Happened } from '../../testing/stage.ts';
import {
  type Beginning,
  dueAt,
  explored,
  type Moment,
  ownEvents,
  type WaitingCall,
} from '../moment.ts';
import { doneByRows, followedBy, isPassed, questionOf, shownEvent } from '../observe-way.ts';
import type { Move, Way } from '../player.ts';
import type { Rehearsal } from '../rehearsal.ts';

/** A move that was tried on a definition, and the visible facts after it. */
export interface TriedMove {
  /** The index of the move before it; absent for a beginning. */
  readonly after?: number;
  readonly beginning?: Beginning;
  readonly move?: Move;
  readonly seen: string;
}

/** The behaviour of a definition. */
export interface Behaviours {
  /** The moves of a search, each after the move that it follows. */
  readonly tried: readonly TriedMove[];
  /** Whether every move from every distinct moment was tried. */
  readonly isComplete: boolean;
}

/** Compares the behaviour of two definitions. */
export class Comparison {
  readonly #tried: readonly TriedMove[];

  constructor(tried: readonly TriedMove[]) {
    this.#tried = tried;
  }

  /** @returns the index of the first move after which the other definition behaves differently; undefined when there is none */
  async differenceIn(other: Rehearsal): Promise<number | undefined> {
    const moments: (Moment | undefined)[] = [];
    for (const [index, { after, beginning, move, seen }] of this.#tried.entries()) {
      let moment: Moment | undefined;
      try {
        moment =
          after === undefined
            ? await begin(other, beginning!)
            : await other.player.play(moments[after]!, move!);
      } catch {
        return index;
      }
      if (seenAt(moment, other) !== seen) return index;
      moments.push(moment);
    }
    return undefined;
  }
}

async function begin({ branches, player }: Rehearsal, beginning: Beginning): Promise<Moment> {
  return player.play(await branches.begin(beginning, usualStart), { happening: {} });
}

/** The moves that lead to a tried move, and that move. */
export function wayToMove(
  tried: readonly TriedMove[],
  index: number,
): Pick<Way, 'beginning' | 'moves'> {
  const moves: Move[] = [];
  for (let at = tried[index]!; ; at = tried[at.after!]!) {
    if (at.beginning) return { beginning: at.beginning, moves };
    moves.unshift(at.move!);
  }
}

/** The facts about the moment after the last move that tests can see. Of calls that are made at the same time, they see only the next one. */
export function seenAt(
  moment: Moment,
  { chart, player }: Pick<Rehearsal, 'chart' | 'player'>,
): string {
  const { view, state, decisions, refused, events } = happenedAt(moment, chart, {
    calls: [],
    before: undefined,
    state: undefined,
  });
  const [call] = moment.calls;
  return JSON.stringify([
    view,
    state,
    decisions,
    refused,
    events.filter(isPassed).map(shownEvent),
    followedBy(events),
    chart.format === 'lifecycle' ? doneByRows(events) : [],
    player.passedCalls.map(partsOf),
    call && partsOf(call),
    moment.waits.map(partsOf),
  ]);
}

function partsOf({ port, input }: WaitingCall) {
  const {
    agent,
    tool,
    input: data,
    arguments: given,
    options,
    asks,
    directions,
    at,
    prompt,
    queries,
    keys,
    filter,
  } = input;
  const names = (list: unknown, key: string) =>
    Array.isArray(list) ? list.map((each) => Object(each)[key] as unknown) : null;
  return [
    port,
    agent,
    tool,
    data,
    given,
    names(options, 'id'),
    names(options, 'description'),
    names(asks, 'name'),
    names(asks, 'required'),
    names(directions, 'text'),
    prompt,
    at,
    queries,
    keys,
    filter,
  ];
}

/**
 * The facts that a test could expect at a moment.
 *
 * @param chart the chart of the flow, or of a lifecycle that runs by itself
 * @param calls the calls of the step
 * @param before the moment before the step
 */
export function happenedAt(
  moment: Moment,
  { format, meta }: Chart,
  {
    calls,
    before,
    state,
  }: {
    readonly calls: readonly MadeCall[];
    readonly before: Moment | undefined;
    readonly state: string | undefined;
  },
): Happened {
  const { status, ended, waits, refused } = moment;
  const flow = moment.state.flow ?? moment.state.lifecycle.snapshot;
  const { context, output, status: flowStatus } = Object(flow) as JsonObject;
  const standing = behaviours.get(format)?.standing;
  const collected = isRecord(context) ? standing?.collected?.(context) : undefined;
  const result = flowStatus === 'done' ? (output as Json) : undefined;
  const own = ownEvents(moment).map(({ source, event }) => ({
    source,
    event: event as unknown as JsonObject,
  }));
  const entered = own.findLast(
    ({ source, event }) => source === 'flow' && event['type'] === 'state.entered',
  );
  const end = own.findLast(({ event }) => event['type'] === 'workflow.ended')?.event;
  const view = {
    state: status,
    ended,
    waits: [],
    timers: moment.waits.flatMap((wait) =>
      wait.instance === explored && dueAt(wait) < Infinity ? [{ at: dueAt(wait) }] : [],
    ),
    ...(result === undefined ? {} : { output: standing?.output?.(result, meta ?? {}) ?? result }),
    ...(collected ? { collected } : {}),
    ...(end && typeof end['error'] === 'string' ? { failure: { error: end['error'] } } : {}),
  };
  return {
    view: view as unknown as Happened['view'],
    at: moment.at,
    said: linesSince(before, moment).flatMap(({ role, text }) => (role === 'agent' ? [text] : [])),
    events: own.map(({ event }) => event),
    state: (entered?.event['state'] as string | undefined) ?? state,
    calls: [...calls],
    decisions: waits.flatMap(({ port, input }) =>
      port === 'requestDecision' ? [questionOf(input)] : [],
    ) as unknown as Happened['decisions'],
    waits: [],
    refused,
  };
}

/** The new lines of all transcripts. */
function linesSince(before: Moment | undefined, { transcript, children }: Moment) {
  const known = new Map(before?.children.map(({ id, transcript: lines }) => [id, lines.length]));
  return [
    ...transcript.slice(before?.transcript.length ?? 0),
    ...children.flatMap(({ id, transcript: lines }) => lines.slice(known.get(id) ?? 0)),
  ];
}
