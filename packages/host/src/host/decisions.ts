import { isRecord, type Json } from '@dramaturg/compiler';
import { contactKey } from '../contact.ts';
import type { InstanceState } from '../instance/state.ts';
import { optionalText } from '../instance/read.ts';
import { type AskedDecision, type OpenDecision, withoutData } from '../instance/open-decisions.ts';
import type {
  DefinitionVersion,
  Page,
  PageRequest,
  RecordFilter,
  Store,
  StoreRecord,
} from '../store/contract.ts';
import { badRequest } from './request.ts';
import { openDecisionsOf } from './view.ts';

/** Which open decisions to list. Each field given has to be equal. */
export interface DecisionFilter {
  /** Those of an instance, and of all that it has called as agents. */
  readonly instance?: string;
  /** The name of the definition. */
  readonly definition?: string;
  /** The contact of the instance, as it may be written. */
  readonly contact?: string;
  /** Those that this person may decide, by name; who has a role as well is listed with `roles`. */
  readonly by?: string;
  readonly roles?: readonly string[];
}

/** An open decision of one of all instances. */
export interface DecisionSummary extends OpenDecision {
  /** What `decide` calls it: the instance, and the decision within. */
  readonly decision: string;
  readonly instance: string;
  readonly definition: DefinitionVersion;
}

/** What is decided, as `decide` takes it. */
export interface DecisionGiven {
  /** One of the options. */
  readonly decision: string;
  readonly by?: string;
  /** Roles of whoever decides. The host believes them. */
  readonly roles?: readonly string[];
  readonly comment?: string;
  /** The editable fields as they shall be: an object with the same nesting as the data. */
  readonly edited?: Json;
  /** Of a batch: the indexes of the items that are approved. */
  readonly approved?: readonly number[];
}

/** `order-1/pac454m8`: ids of instances may have slashes of their own. */
export function decisionNames(decision: string): { instance: string; id: string } {
  const slash = decision.lastIndexOf('/');
  return { instance: decision.slice(0, Math.max(slash, 0)), id: decision.slice(slash + 1) };
}

/**
 * The open decisions of all instances, the oldest instance first. Only the records of those that ask are read, and nobody
 * is woken.
 */
export async function listDecisions(
  store: Store,
  filter: DecisionFilter,
  { after, limit }: PageRequest,
): Promise<Page<DecisionSummary>> {
  const items: DecisionSummary[] = [];
  let place = placeIn(after);
  for (;;) {
    const page = await store.list(recordsOf(filter), {
      limit: 1,
      ...(place.after === undefined ? {} : { after: place.after }),
    });
    const [summary] = page.items;
    if (!summary) return { items };
    const record = await store.read(summary.id);
    const open = record && isMeant(filter, record) ? openDecisionsOf(record) : [];
    for (let index = place.skip; index < open.length; index += 1) {
      if (items.length === limit)
        return { items, next: JSON.stringify([place.after ?? null, index]) };
      const decision = withoutData(open[index]!);
      if (!mayDecide(decision, filter)) continue;
      const { id: instance, definition } = summary;
      items.push({
        decision: `${instance}/${decision.id}`,
        instance,
        definition: definition!,
        ...decision,
      });
    }
    if (page.next === undefined) return { items };
    place = { after: page.next, skip: 0 };
  }
}

/** An open decision with what it is about. */
export function openDecision(
  open: readonly AskedDecision[],
  id: string,
): AskedDecision | undefined {
  return open.find((each) => each.id === id);
}

function recordsOf({ definition, contact }: DecisionFilter): RecordFilter {
  return {
    kind: 'instance',
    asks: true,
    ...(definition === undefined ? {} : { definition: { name: definition } }),
    ...(contact === undefined ? {} : { contact: contactKey(contact) }),
  };
}

function isMeant({ instance }: DecisionFilter, { id, snapshot }: StoreRecord): boolean {
  if (instance === undefined || instance === id) return true;
  const { parent } = snapshot as unknown as InstanceState;
  return parent?.ancestors.includes(instance) === true;
}

function mayDecide(
  { approvers, excluded }: OpenDecision,
  { by, roles = [] }: DecisionFilter,
): boolean {
  if (by === undefined) return true;
  const isSame = (name: string) => name.trim().toLowerCase() === by.trim().toLowerCase();
  if (excluded?.some(({ name }) => isSame(name))) return false;
  if (!approvers) return true;
  return approvers.users.some(isSame) || approvers.roles.some((role) => roles.includes(role));
}

/** Where a page begins: behind a record, and behind some of the next one's decisions. */
function placeIn(after: string | undefined): { readonly after?: string; readonly skip: number } {
  if (after === undefined) return { skip: 0 };
  try {
    const [place, skip] = JSON.parse(after) as [unknown, unknown];
    const isPlace = place === null || typeof place === 'string';
    if (isPlace && Number.isSafeInteger(skip) && (skip as number) >= 0)
      return { ...(place === null ? {} : { after: place }), skip: skip as number };
  } catch {
    // It is told below.
  }
  throw badRequest(`${JSON.stringify(after.slice(0, 100))} is not where a page begins.`);
}

/** How much of a journal is searched for what became of a decision. */
const searched = 10_000;

/** What became of a decision that is not open, in a sentence. */
export async function fateOf(store: Store, instance: string, id: string): Promise<string> {
  const record = await store.read(instance);
  const from = Math.max(0, (record?.journalLength ?? 0) - searched);
  const lines = await store.journal(instance, { from, limit: searched });
  const events = lines.flatMap((line) => {
    const event = isRecord(line) ? line['event'] : undefined;
    return isRecord(event) && event['id'] === id ? [event] : [];
  });
  const made = events.findLast(({ type }) => type === 'decision.made');
  if (made)
    return `The decision "${id}" was made before: "${optionalText(made['decision'])}", by ${optionalText(made['by'])}.`;
  const asked = events.some(({ type }) => type === 'decision.requested');
  return asked
    ? `Nobody waits for the decision "${id}" any more.`
    : `There is no decision "${id}" in "${instance}".`;
}
