import { type Chart, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { behaviours } from '../host.ts';
import type { MadeCall } from '../testing/scripted-ports.ts';
import type { Happened } from '../testing/stage.ts';
import { type Moment, ownEvents } from './moment.ts';

/**
 * What a test could expect at a moment.
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
      port === 'requestDecision' ? [{ prompt: input['prompt'] }] : [],
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
