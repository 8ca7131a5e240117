import { isRecord, type Json } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import type { HostEvent, TranscriptLine } from '@dramaturg/host';
import type { Events } from '@dramaturg/service/client';
import { command, type Command } from '../../command.ts';
import {
  jsonLine,
  jsonText,
  type Output,
  outputTo,
  type Style,
  visibleJson,
} from '../../output.ts';
import type { ReadingGateway } from '../gateway/gateway.ts';
import { findInstance, readFromStore, runningHost } from '../gateway/open-gateway.ts';
import { readWholeNumber } from '../host-options.ts';
import { exitCodes, UsageError } from '../../usage-error.ts';
import { wordsFor } from '../restate/location.ts';
import { requireStore } from '../gateway/store-folder.ts';
import { explainFailures } from '../gateway/explain-error.ts';
import { paragraph } from '../../view/paragraph.ts';
import { localTime, localTimeMs } from '../print/time.ts';

interface LogsOptions {
  readonly journal?: true;
  readonly tail?: number;
  readonly follow?: true;
  readonly json?: true;
}

export function logsCommand(): Command {
  return command('logs')
    .json('print one JSON value; with --follow, one JSON value a line')
    .description(
      'Prints the transcript of an instance in local time: who said what, changes of the state, failed states and caught errors.',
    )
    .store()
    .instance()
    .option('--journal', 'print the journal, which has every event, instead of the transcript')
    .option('--tail <number>', 'print only this many of the last lines', readWholeNumber)
    .option('--follow', 'keep printing new lines until the instance ends')
    .examples(
      'dramaturg logs conversations 3f2a',
      'dramaturg logs conversations 3f2a --tail 20 --follow',
      'dramaturg logs conversations 3f2a --journal --json',
    )
    .action(async (folder: string, given: string, options: LogsOptions) => {
      await readFromStore(folder, async (gateway) => print(gateway, folder, given, options));
    });
}

async function print(
  gateway: ReadingGateway,
  folder: string,
  given: string,
  options: LogsOptions,
): Promise<void> {
  const output = outputTo(process.stdout);
  const id = await findInstance(gateway, given, folder);
  const log = new Log(gateway, id, options.journal === true);
  if (options.json && !options.follow) {
    const lines: Json[] = [];
    await log.skipToTail(options.tail);
    await log.rest((range) => lines.push(...range));
    output.write(jsonText(lines));
    return;
  }
  const write = writerFor(output, options);
  // Subscribes before the first lines are read, so that no event is lost in between.
  const events =
    options.follow && gateway.follow ? await gateway.follow({ instance: id }) : undefined;
  try {
    await log.skipToTail(options.tail);
    await log.rest(write);
    if (events && !(await gateway.get(id)).ended) await follow(events, () => log.rest(write));
  } finally {
    events?.close();
  }
  if (options.follow && !gateway.isServed) {
    process.stderr.write(`No host runs this store, so nothing follows. ${howToServe(folder)}\n`);
  }
}

/** Prints new lines until the instance ends or its host stops. */
async function follow(events: Events, printRest: () => Promise<void>): Promise<void> {
  for await (const { event } of events) {
    await printRest();
    if (event.type === 'instance.ended') return;
  }
  process.stderr.write('The host has stopped.\n');
}

/** @returns a function that writes lines that were read together */
function writerFor(
  output: Output,
  { json, journal }: LogsOptions,
): (lines: readonly Json[]) => void {
  if (json)
    return (lines) => {
      for (const line of lines) output.write(jsonLine(line));
    };
  if (journal)
    return (lines) => {
      for (const line of lines) writeJournalLine(output, line);
    };
  return (lines) => {
    for (const line of foldStateChanges(lines as never)) writeTranscriptLine(output, line);
  };
}

/** Reads each line of an instance once, in order. Invariant: `#from` is the number of lines read or skipped so far. */
class Log {
  readonly #gateway: ReadingGateway;
  readonly #id: string;
  readonly #isJournal: boolean;
  #from = 0;

  constructor(gateway: ReadingGateway, id: string, isJournal: boolean) {
    this.#gateway = gateway;
    this.#id = id;
    this.#isJournal = isJournal;
  }

  async skipToTail(count: number | undefined): Promise<void> {
    if (count === undefined) return;
    const { transcriptLength, journalLength } = await this.#gateway.get(this.#id);
    this.#from = Math.max(0, (this.#isJournal ? journalLength : transcriptLength) - count);
  }

  /** Reads all lines that exist by now and were not read yet. */
  async rest(take: (lines: readonly Json[]) => void): Promise<void> {
    for (;;) {
      const range = { from: this.#from, limit: 500 };
      const lines: readonly Json[] = this.#isJournal
        ? await this.#gateway.journal(this.#id, range)
        : await this.#gateway.transcript(this.#id, range);
      if (lines.length === 0) return;
      this.#from += lines.length;
      take(lines);
    }
  }
}

export function tailCommand(): Command {
  return command('tail')
    .json('print every event as a line of JSON')
    .description('Prints the events of a running host as they happen, until it stops or Ctrl+C.')
    .store()
    .argument('[id]', 'only events of this instance: its id, or the first characters of it')
    .examples('dramaturg tail conversations', 'dramaturg tail conversations 3f2a --json')
    .action(
      async (folder: string, given: string | undefined, { json }: { readonly json?: true }) => {
        await explainFailures(folder, () => tail(folder, given, json === true));
      },
    );
}

/** The hint for a store that no host runs. */
export function howToServe(folder: string): string {
  return `"dramaturg serve ${wordsFor(folder)}" starts one.`;
}

async function tail(folder: string, given: string | undefined, isJson: boolean): Promise<void> {
  await requireStore(folder);
  const host = await runningHost(folder);
  if (!host) {
    throw new UsageError(
      `No host runs the store "${visible(folder)}", so it has no events.`,
      `${howToServe(folder)} "dramaturg logs ${visible(folder)} <id> --journal" prints past events.`,
      exitCodes.storeUnusable,
      'host/not-running',
    );
  }
  const instance = given === undefined ? undefined : await findInstance(host, given, folder);
  const output = outputTo(process.stdout);
  const events = await host.follow(instance === undefined ? {} : { instance });
  if (!isJson) process.stderr.write('Waiting for events. Ctrl+C stops the command.\n');
  let hasEnded = false;
  for await (const event of events) {
    hasEnded = instance !== undefined && event.event.type === 'instance.ended';
    if (isJson) output.write(jsonLine(event));
    else writeEventLine(output, withTextOnce(event), event.instance);
  }
  process.stderr.write(hasEnded ? 'The instance has ended.\n' : 'The host has stopped.\n');
}

/** Removes the text from the event of a conversation: its lifecycle emits the same message with the text. */
export function withTextOnce(hostEvent: HostEvent): HostEvent {
  const { source, event } = hostEvent;
  if (source !== 'flow' || event.type !== 'message.sent') return hostEvent;
  const { text: _text, ...rest } = event;
  return { ...hostEvent, event: rest };
}

const colours: Readonly<Record<TranscriptLine['role'], Style>> = {
  agent: 'cyan',
  contact: 'green',
  manual: 'yellow',
  system: 'dim',
};

/** Writes a line of a transcript: time, role, and text in its own column, with the report of its delivery. */
function writeTranscriptLine(output: Output, line: TranscriptLine): void {
  const { at, role, text, delivery } = line;
  const { paint } = output;
  const when = localTime(at);
  const label = `${paint('dim', when)}  ${paint(colours[role] ?? 'dim', visible(role).padEnd(8))} `;
  const said = paragraph(output, label, when.length + 11);
  said.say(text);
  if (delivery) said.say(` ${noteOf(delivery)}`);
  said.end();
}

/** Several changes of the state in a row are one line: `WAITING_FOR_REPLY → WAITING_FOR_AGENT → ACTIVE`, with the time of the last. */
export function foldStateChanges(lines: readonly TranscriptLine[]): readonly TranscriptLine[] {
  const folded: TranscriptLine[] = [];
  for (const line of lines) {
    const before = folded.at(-1);
    const text = before && joinedChanges(before, line);
    if (text === undefined) folded.push(line);
    else folded[folded.length - 1] = { ...line, text };
  }
  return folded;
}

const arrow = ' → ';

/** @returns undefined unless the second line starts in the state in which the first one ends */
function joinedChanges(first: TranscriptLine, second: TranscriptLine): string | undefined {
  if (first.role !== 'system' || second.role !== 'system') return undefined;
  const at = second.text.indexOf(arrow);
  if (at < 0) return undefined;
  const state = second.text.slice(0, at);
  const reached = first.text.split(arrow).at(-1);
  return reached === state ? `${first.text}${second.text.slice(at)}` : undefined;
}

function noteOf({ status, reason }: NonNullable<TranscriptLine['delivery']>): string {
  return reason === undefined ? `(${status})` : `(${status}: ${reason})`;
}

/** Writes a line of a journal, or an event of a host: time, instance, source, type and fields. */
function writeEventLine(
  { write, paint }: Output,
  { at, source, event }: Pick<HostEvent, 'at' | 'source' | 'event'>,
  instance?: string,
): void {
  const { type, ...fields } = event;
  const rest = Object.keys(fields).length > 0 ? ` ${visibleJson(JSON.stringify(fields))}` : '';
  const whose = instance === undefined ? '' : `${visible(instance)}  `;
  write(
    `${paint('dim', localTimeMs(at))}  ${whose}${paint('dim', visible(source).padEnd(9))} ${visible(type)}${paint('dim', rest)}\n`,
  );
}

/** Writes a line of a stored journal. A line that is not an event is printed as JSON. */
function writeJournalLine(output: Output, line: Json): void {
  const fields = isRecord(line) ? line : {};
  if (typeof fields['at'] === 'number' && isRecord(fields['event']))
    writeEventLine(output, fields as never);
  else output.write(jsonLine(line));
}
