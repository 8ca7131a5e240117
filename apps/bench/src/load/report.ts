import type { KillResult } from './kill-run.ts';
import type { LoadResult } from './load-run.ts';

/** A figure, with its goal if it has one. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal: string;
  readonly holds: boolean;
}

export function loadGoals(result: LoadResult): readonly Figure[] {
  const { messages, perSecond, acknowledgement, errors, streams, memory, memoryGrowth } = result;
  const failed = Object.values(errors).reduce((sum, count) => sum + count, 0);
  return [
    plain('messages', messages, ''),
    plain('messages a second', perSecond, ''),
    plain('acknowledgement, median', acknowledgement.p50, 'ms'),
    plain('acknowledgement, 99th percentile', acknowledgement.p99, 'ms'),
    exactly('messages that were not acknowledged', failed, '', 0),
    plain('open streams', streams.open, ''),
    plain('events while they are open', streams.events, ''),
    exactly('of these on every stream, once', 100 * streams.complete, '%', 100),
    plain('delay of an event, median', streams.delay.p50, 'ms'),
    plain('delay of an event, 99th percentile', streams.delay.p99, 'ms'),
    plain('resident memory of the service, largest', Math.max(...memory), 'MB'),
    atMost('live data on its heap, late over early with streams', memoryGrowth, '', 1.1),
  ];
}

export function killGoals(result: KillResult): readonly Figure[] {
  const { kills, messages, events, lost, doubled, messagesLost, back } = result;
  return [
    plain('kills', kills, ''),
    plain('messages', messages, ''),
    plain('events on the streams', events, ''),
    exactly('events lost', lost, '', 0),
    exactly('events doubled', doubled, '', 0),
    exactly('acknowledged messages lost', messagesLost, '', 0),
    plain('from the kill until all streams are back, median', back.p50, 'ms'),
    plain('the same, 99th percentile', back.p99, 'ms'),
    atMost('the same, longest', back.max, 'ms', 1_000),
  ];
}

/** The figures as a table. */
export function printed(figures: readonly Figure[]): string {
  return figures
    .map(({ name, value, unit, goal, holds }) => {
      const number = `${Number(value.toPrecision(4))} ${unit}`.trim();
      const verdict = goal === '' ? '' : `${goal}: ${holds ? 'met' : 'missed'}`;
      return `${name.padEnd(60)}${number.padStart(12)}  ${verdict}`.trimEnd();
    })
    .join('\n');
}

function plain(name: string, value: number, unit: string): Figure {
  return { name, value, unit, goal: '', holds: true };
}

function exactly(name: string, value: number, unit: string, goal: number): Figure {
  return { name, value, unit, goal: `${goal} ${unit}`.trim(), holds: value === goal };
}

function atMost(name: string, value: number, unit: string, goal: number): Figure {
  return { name, value, unit, goal: `at most ${goal} ${unit}`.trim(), holds: value <= goal };
}
