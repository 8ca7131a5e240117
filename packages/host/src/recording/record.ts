import {
  askPort,
  type Chart,
  type JsonObject,
  type Port,
  type PortError,
  type PortName,
  type Ports,
  unprovided,
} from '@dramaturg/compiler';
import { versionOf } from '../definitions/definition.ts';
import { type Entry, formVersion, type Header, portNames } from './entry.ts';
import { thrownBy } from './recorded-error.ts';
import type { Recording } from './recording.ts';
import { type Busy, Turns } from './inbound-queue.ts';

export interface RecordOptions {
  /** Takes text to be added to the recording: whole lines. */
  readonly write: (lines: string) => void;
  readonly chart: Chart;
  /** The actor's input. */
  readonly input: JsonObject;
  /** Given by a clock that goes on by itself when nothing moves. */
  readonly busy?: Busy;
}

/** Records a run. Nothing is written before its first call, so that one that cannot begin leaves nothing behind. */
export function record({ write, chart, input, busy }: RecordOptions): Recording {
  const turns = new Turns(busy);
  const head: Header = {
    type: 'recording',
    version: formVersion,
    format: chart.format,
    chart: versionOf(chart),
    input,
  };
  let unwritten = `${JSON.stringify(head)}\n`;
  let isOver = false;
  let failed: { readonly error: unknown } | undefined;

  const note = (entry: Entry) => {
    if (!isOver) unwritten += `${JSON.stringify(entry)}\n`;
  };
  const flush = () => {
    const lines = unwritten;
    unwritten = '';
    if (lines === '' || failed) return;
    try {
      write(lines);
    } catch (error) {
      // The run is nobody's to spoil: it goes on, and `finish` tells.
      failed = { error };
    }
  };
  const happen = (entry: Entry, then: () => void = () => {}) =>
    turns.take(() => {
      note(entry);
      flush();
      then();
    });
  const recorded =
    (port: PortName, answer: Port<PortName>): Port<PortName> =>
    async (asked, call) => {
      const { key } = asked;
      note({ type: 'call', port, key, input: asked });
      flush();
      try {
        const output = await askPort(port, answer, asked, {
          get signal() {
            return call.signal;
          },
          transcript: call.transcript,
          maxTokens: call.maxTokens,
          onText: (text) => void happen({ type: 'text', port, key, text }, () => call.onText(text)),
        });
        await happen({ type: 'answer', port, key, output });
        return output as never;
      } catch (error) {
        // Whatever a port throws, `askPort` has made it one of these.
        await happen({ type: 'failure', port, key, thrown: thrownBy(error as PortError) });
        throw error;
      }
    };

  return {
    world: ({ now, random, uuid }) => ({
      now: () => noted('now', now()),
      random: () => noted('random', random()),
      uuid: () => noted('uuid', uuid()),
    }),
    ports: <Given extends Partial<Ports>>(ports: Given) =>
      Object.fromEntries(
        portNames.map((port) => [port, recorded(port, ports[port] ?? unprovided(port))]),
      ) as unknown as Given,
    line: async (next) => {
      const text = await next();
      await happen(text === undefined ? { type: 'left' } : { type: 'said', text });
      return text;
    },
    events: (send) => (event) => void happen({ type: 'event', event }, () => send(event)),
    stops: (signal) => {
      const stop = new AbortController();
      const stopped = () => void happen({ type: 'stopped' }, () => stop.abort(signal.reason));
      if (signal.aborted) stopped();
      signal.addEventListener('abort', stopped, { once: true });
      return stop.signal;
    },
    finish: async () => {
      if (isOver) return;
      await turns.over();
      note({ type: 'end' });
      isOver = true;
      flush();
      if (failed) throw failed.error;
    },
  };

  function noted<Value>(type: 'now' | 'random' | 'uuid', value: Value): Value {
    note({ type, value } as Entry);
    return value;
  }
}
