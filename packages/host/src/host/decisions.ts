import { badRequest } from '../errors.ts';
import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { WrittenContact } from '../contact.ts';
import type { HostError } from '../errors.ts';
import { optionalText } from '../instance/read.ts';
import { type AskedDecision, type OpenDecision, withoutData } from '../instance/open-decisions.ts';
import type {
  DefinitionVersion,
  Page,
  PageRequest,
  RecordFilter,
  StoreReader,
  StoreRecord,
} from '../store/contract.ts';
import { listWithin } from './list-within.ts';
import { openDecisionsOf } from './view.ts';
import { stateOf } from '../instance/snapshot-parts.ts';
import { readJournal } from '../instance/journal-lines.ts';

/** Selects open decisions. All given fields have to match. */
export interface DecisionFilter extends Partial<WrittenContact> {
  /** Decisions of an instance and of all its descendants. */
  readonly instance?: string;
  /** The name of the definition. */
  readonly definition?: string;
  /** Decisions that this person may make, by name or by one of the `roles`. */
  readonly by?: string;
  readonly roles?: readonly string[];
}

/** An open decision of any instance. */
export interface DecisionSummary extends OpenDecision {
  /** The name for `decide`: the instance, and the id of the decision. */
  readonly decision: string;
  readonly instance: string;
  readonly definition: DefinitionVersion;
}

/** A decision as `decide` accepts it. */
export interface DecisionGiven {
  /** One of the options. */
  readonly decision: string;
  readonly by?: string;
  /** Roles of the person. The host does not check them. */
  readonly roles?: readonly string[];
  readonly comment?: string;
  /** New values of editable fields: by the last names of their paths, by their paths, or nested like the data. */
  readonly edited?: Json;
  /** Further facts, which the decision's record stores. */
  readonly data?: JsonObject;
  /** The indexes of the approved items of a batch. */
  readonly approved?: readonly number[];
}

/** Splits `order-1/pac454m8` at the last slash: ids of instances may contain slashes. */
export function decisionNames(decision: string): { instance: string; id: string } {
  if (typeof decision !== 'string') throw unnamedDecision();
  const slash = decision.lastIndexOf('/');
  return { instance: decision.slice(0, Math.max(slash, 0)), id: decision.slice(slash + 1) };
}

export function unnamedDecision(): HostError {
  return badRequest('A decision is named by its instance and its own id: "order-1/pac454m8".');
}

/**
 * Lists the open decisions of all instances, the oldest instance first. Reads only records with open decisions, and loads no
 * instance.
 */
export function listDecisions(
  store: StoreReader,
  filter: DecisionFilter,
  page: PageRequest,
): Promise<Page<DecisionSummary>> {
  return listWithin<DecisionSummary>(
    store,
    recordsOf(filter),
    page,
    async (summary, first, items) => {
      const record = await store.read(summary.id);
      const open = record && isMeant(filter, record) ? openDecisionsOf(record) : [];
      for (let index = first; index < open.length; index += 1) {
        if (items.length === page.limit) return index;
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
      return undefined;
    },
  );
}

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
    ...(contact === undefined ? {} : { contact }),
  };
}

function isMeant({ instance }: DecisionFilter, record: StoreRecord): boolean {
  if (instance === undefined || instance === record.id) return true;
  return stateOf(record).parent?.ancestors.includes(instance) === true;
}

function mayDecide(
  { approvers, excluded }: OpenDecision,
  { by, roles = [] }: DecisionFilter,
): boolean {
  if (by === undefined) return true;
  const bare = (name: string) => name.trim().toLowerCase();
  if (excluded?.some(({ name }) => bare(name) === bare(by))) return false;
  if (!approvers) return true;
  return approvers.users.includes(by) || approvers.roles.some((role) => roles.includes(role));
}

/** How many journal lines are searched for the outcome of a decision. */
const searchedMax = 10_000;

/** A sentence about the outcome of a decision that is not open. */
export async function fateOf(store: StoreReader, instance: string, id: string): Promise<string> {
  const record = await store.read(instance);
  const from = Math.max(0, (record?.journalLength ?? 0) - searchedMax);
  const lines = await readJournal(store, instance, { from, limit: searchedMax });
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
