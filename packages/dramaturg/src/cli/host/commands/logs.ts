import type { Events } from '@dramaturg/service/client';
import type { Json } from '@dramaturg/compiler';
import { type Command, command } from '../../command.ts';
import { type Output, outputTo, jsonText, jsonLine } from '../../output.ts';
import type { ReadingGateway } from '../gateway/gateway.ts';
import { findInstance, readFromStore } from '../gateway/open-gateway.ts';
import { readWholeNumber } from '../host-options.ts';
import { foldStateChanges, writeJournalLine, writeTranscriptLine } from '../print/log-lines.ts';
import { howToServe } from './tail.ts';

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
