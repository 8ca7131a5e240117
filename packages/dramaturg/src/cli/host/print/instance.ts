import { visible } from '@dramaturg/compiler';
import type { InstanceView } from '@dramaturg/host';
import type { Output } from '../../output.ts';
import { visibleJson } from '../../visible.ts';
import { decisionTerms } from './decision-terms.ts';
import { usageText } from '../../view/usage-text.ts';
import { bothTimes } from './time.ts';

/** Prints everything about an instance except its transcript and journal. */
export function writeInstance({ write, paint }: Output, instance: InstanceView, now: number): void {
  const { definition, contact, address, channel, decisions, timers, undelivered, calls, used } =
    instance;
  const field = (name: string, text: string) =>
    write(`  ${paint('dim', name.padEnd(nameWidth))}${visible(text)}\n`);
  const json = (value: unknown) => visibleJson(JSON.stringify(value));

  write(`${paint('bold', visible(instance.id))}\n`);
  field('definition', `${definition.name}, version ${definition.version}`);
  field('state', `${instance.state}${instance.ended ? ', ended' : ''}`);
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
  field('flow', instance.flow === null ? 'not begun' : json(instance.flow));
  field(
    'lines',
    `${instance.transcriptLength} of transcript, ${instance.journalLength} of journal`,
  );
  if (used.calls > 0) field('used', usageText(used));
  for (const { key, at } of timers) field('timer', `${bothTimes(at, now)}, ${key}`);
  for (const decision of decisions) {
    field('decision', decision.prompt);
    field('', `${instance.id}/${decision.id}: ${decisionTerms(decision)}`);
  }
  for (const id of undelivered) field('undelivered', id);
  for (const key of calls) field('open call', key);

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
}

const nameWidth = 21;

/** Fields of a lifecycle that are already shown as fields of the instance. */
const shownAbove = new Set(['instance', 'state', 'holds_contact', 'timer']);

function isBlank(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}
