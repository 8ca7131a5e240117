import { visible, widthOf } from '@dramaturg/compiler/text';
import type { InstanceView } from '@dramaturg/host';
import { command, type Command } from '../../command.ts';
import { jsonText, type Output, outputTo, visibleJson, visibleText } from '../../output.ts';
import { findInstance, readFromStore } from '../gateway/open-gateway.ts';
import { fitted, paragraph } from '../../view/paragraph.ts';
import { usageText } from '../../view/usage-text.ts';
import { bytes } from '../print/bytes.ts';
import { bothDueTimes, bothTimes } from '../print/time.ts';
import { stateText, waitLines } from '../print/waits.ts';

interface ShowOptions {
  readonly json?: true;
  readonly full?: boolean;
}

export function showCommand(): Command {
  return command('show')
    .json()
    .description(
      'Shows an instance: its state, its input, its output or the error with the state that has failed, and what it waits for. Large data are shortened.',
    )
    .option('--full', 'print all data and everything that the instance waits for')
    .store()
    .instance()
    .examples(
      'dramaturg show conversations 3f2a',
      'dramaturg show conversations 3f2a --full',
      'dramaturg show conversations 3f2a --json',
    )
    .action(async (folder: string, given: string, { json, full = false }: ShowOptions) => {
      const instance = await readFromStore(folder, async (gateway) =>
        gateway.get(await findInstance(gateway, given, folder)),
      );
      const output = outputTo(process.stdout);
      if (json) output.write(jsonText(instance));
      else writeInstance(output, instance, { full, now: Date.now() });
    });
}

/** How many lines of a value are printed without `full`. */
const linesMost = 4;

interface DataOptions {
  /** Prints all of the value, a JSON value over several lines. */
  readonly full: boolean;
  /** The columns before the value. */
  readonly indent: number;
}

/** Prints a JSON value after a label, shortened to a few lines. */
function writeData(output: Output, label: string, value: unknown, options: DataOptions): void {
  const { full } = options;
  const text =
    typeof value === 'string' && full ? value : JSON.stringify(value, undefined, full ? 2 : 0);
  writeLong(output, label, full ? text : visibleJson(text), options);
}

/** Prints a string after a label, shortened to a few lines. */
function writeLong(
  output: Output,
  label: string,
  text: string,
  { full, indent }: DataOptions,
): void {
  const margin = ' '.repeat(indent);
  if (full) {
    output.write(`${label}${visibleText(text).replaceAll('\n', `\n${margin}`)}\n`);
    return;
  }
  // Most of a large value is never shown, so its width is not computed.
  const room = Math.max(20, output.width() - indent) * linesMost;
  const start = text.length > room ? text.slice(0, room) : text;
  const isWhole = start === text && widthOf(text) <= room && text.split('\n').length <= linesMost;
  const lines = start.split('\n').slice(0, linesMost).join('\n');
  const shown = isWhole ? text : fitted(`${lines}…`, room - output.width()).replace(/…*$/u, '…');
  const size = `(${bytes(Buffer.byteLength(text))}; --full shows all)`;
  if (!output.isTerminal) {
    const more = isWhole ? '' : ` ${size}`;
    output.write(`${label}${visibleText(shown).replaceAll('\n', `\n${margin}`)}${more}\n`);
    return;
  }
  const written = paragraph(output, label, indent);
  written.say(shown);
  written.end();
  if (!isWhole) output.write(`${margin}${size}\n`);
}

interface InstanceTextOptions {
  /** Prints all data and everything that the instance waits for. */
  readonly full: boolean;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/** Prints everything about an instance except its transcript and journal. */
export function writeInstance(
  output: Output,
  instance: InstanceView,
  { full, now }: InstanceTextOptions,
): void {
  const { write, paint } = output;
  const { definition, contact, address, channel, undelivered, used } = instance;
  const label = (name: string) => `  ${paint('dim', name.padEnd(nameWidth))}`;
  const field = (name: string, text: string) => write(`${label(name)}${visible(text)}\n`);
  const long = { full, indent: nameWidth + 2 };
  const json = (value: unknown) => visibleJson(JSON.stringify(value));

  write(`${paint('bold', visible(instance.id))}\n`);
  field('definition', `${definition.name}, version ${definition.version}`);
  field('state', `${instance.state}${instance.ended ? ', ended' : ''}`);
  const { owner, queue, waitingSince, notes = [] } = instance;
  if (owner) field('taken over by', `${owner.by}, until ${bothTimes(owner.until, now)}`);
  if (queue !== undefined && waitingSince !== undefined)
    field('waits for a person', bothTimes(waitingSince, now));
  if (contact !== undefined) {
    const written = address === null || address === contact ? '' : `, written ${address}`;
    const holds = instance.holdsContact ? ', held' : '';
    field('contact', `${contact}${written}${holds}`);
  }
  if (channel !== null) field('channel', channel);
  const { copyOf, parent, children } = instance;
  if (parent !== undefined) field('called by', parent);
  for (const child of children) field('has called', child);
  if (copyOf) field('copy of', `${copyOf.instance}, at "${copyOf.checkpoint}"`);
  field('created', bothTimes(instance.createdAt, now));
  field('updated', bothTimes(instance.updatedAt, now));
  if (instance.flow === null) field('flow', 'not begun');
  field(
    'lines',
    `${instance.transcriptLength} of transcript, ${instance.journalLength} of journal`,
  );
  if (used.calls > 0) field('used', usageText(used));
  for (const id of undelivered) field('undelivered', id);
  if (!isEmpty(instance.input)) writeData(output, label('input'), instance.input, long);
  const { collected = {} } = instance;
  if (!isEmpty(collected)) writeData(output, label('collected'), collected, long);
  if (instance.output !== undefined) writeData(output, label('output'), instance.output, long);
  if (instance.failure) {
    const { error, cause, state } = instance.failure;
    if (error !== null) field('error', error);
    if (cause !== null) writeLong(output, label('cause'), cause, long);
    if (state) field('failed in', stateText(state));
  }
  if (instance.timeoutAt !== undefined) field('times out', bothDueTimes(instance.timeoutAt, now));
  for (const { by, at, text } of notes) field('note', `${by}, ${bothTimes(at, now)}: ${text}`);
  writeWaits();

  const { todos, ...more } = instance.lifecycle;
  for (const todo of Array.isArray(todos) ? todos : []) {
    const { text, status } = Object(todo) as { text?: unknown; status?: unknown };
    field('todo', `${String(text)}: ${String(status)}`);
  }
  const kept = Object.entries(more).filter(
    ([name, value]) => !shownAbove.has(name) && !isBlank(value),
  );
  if (kept.length > 0) write(`\n${paint('dim', 'lifecycle')}\n`);
  for (const [name, value] of kept) field(name, typeof value === 'string' ? value : json(value));

  function writeWaits(): void {
    const { states, waits } = instance;
    const named = new Set(waits.map(({ path }) => JSON.stringify(path)));
    for (const state of states)
      if (!named.has(JSON.stringify(state.path))) field('in', stateText(state));
    const shown = full ? waits : waits.slice(0, waitsMost);
    for (const wait of shown) {
      const [subject, ...details] = waitLines(wait, instance, now);
      field('waits for', subject!);
      for (const line of details) field('', line);
    }
    if (shown.length < waits.length)
      field('', `and ${waits.length - shown.length} more; --full shows all`);
  }
}

/** How many waits are printed without `full`. */
const waitsMost = 10;

const nameWidth = 21;

/** Fields of a lifecycle that are already shown as fields of the instance. */
const shownAbove = new Set(['instance', 'state', 'holds_contact', 'timer']);

function isEmpty(value: unknown): boolean {
  return value instanceof Object && Object.keys(value).length === 0;
}

function isBlank(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}
