import type { Json } from '@dramaturg/compiler';
import type { Difference } from '../../layout.ts';
import type { Trace, TraceEvent } from './case-file.ts';
import { type Leeway, mismatch, withRecorderTexts } from './compare.ts';

/**
 * Compares the entered and left states with the recording. An ordered trace is compared event by event, including data. For
 * other traces only the number of times that each name occurs is compared.
 */
export function traceDifference(
  { ordered, events }: Trace,
  actualEvents: readonly TraceEvent[],
  leeway: Leeway,
): Difference | undefined {
  return ordered ? inOrder(events, actualEvents, leeway) : asMultiset(events, actualEvents);
}

function inOrder(
  events: readonly TraceEvent[],
  actualEvents: readonly TraceEvent[],
  leeway: Leeway,
): Difference | undefined {
  for (let index = 0; index < Math.max(events.length, actualEvents.length); index += 1) {
    const [expected, actual] = [events[index], actualEvents[index]];
    const path = `trace[${index}]`;
    if (eventText(expected) !== eventText(actual))
      return {
        expected: `${path}: ${eventText(expected)}`,
        actual: `${path}: ${eventText(actual)}`,
      };
    const found = mismatch(
      `${path} ${eventText(expected)}`,
      expected as unknown as Json,
      actual as unknown as Json,
      withRecorderTexts(leeway, expected),
    );
    if (found) return found;
  }
  return undefined;
}

function asMultiset(
  events: readonly TraceEvent[],
  actualEvents: readonly TraceEvent[],
): Difference | undefined {
  const [expected, actual] = [tally(events), tally(actualEvents)];
  for (const name of new Set([...expected.keys(), ...actual.keys()])) {
    const [often, found] = [expected.get(name) ?? 0, actual.get(name) ?? 0];
    if (often !== found)
      return { expected: `trace: ${often} × ${name}`, actual: `trace: ${found} × ${name}` };
  }
  return undefined;
}

function tally(events: readonly TraceEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(eventText(event), (counts.get(eventText(event)) ?? 0) + 1);
  return counts;
}

function eventText(event: TraceEvent | undefined): string {
  if (!event) return 'the end';
  return 'enter' in event ? `enter ${event.enter} (${event.type})` : `exit ${event.exit}`;
}
