import type { RecordFilter, RecordSummary } from '@dramaturg/host/store';
import type { ServiceNames } from '../names.ts';
import type { Ingress } from '../restate/ingress.ts';

/** Maximum number of a contact's instances that are read one by one. More are searched with SQL. */
const membersMax = 200;

/** Number of instances that are read in parallel. */
const askedAtOnce = 16;

/**
 * Lists the instances of a contact, unordered. Reads the objects of the contact and of its instances, so the cost does not depend
 * on the number of other instances.
 *
 * @returns undefined when the contact has too many of them
 */
export async function instancesOfContact(
  contact: string,
  ingress: Ingress,
  names: ServiceNames,
): Promise<readonly RecordSummary[] | undefined> {
  const target = { service: names.contact, key: contact, handler: 'members' };
  const ids = await ingress.call<readonly string[]>(target, null);
  if (ids.length > membersMax) return undefined;
  const found: RecordSummary[] = [];
  for (let from = 0; from < ids.length; from += askedAtOnce) {
    const asked = ids
      .slice(from, from + askedAtOnce)
      .map((key) =>
        ingress.call<RecordSummary | null>(
          { service: names.instance, key, handler: 'summary' },
          null,
        ),
      );
    for (const summary of await Promise.all(asked)) if (summary) found.push(summary);
  }
  return found;
}

export function matches(
  {
    kind,
    contact,
    parent,
    status,
    ended,
    questions = 0,
    attention = {},
    definition,
  }: RecordSummary,
  filter: RecordFilter,
): boolean {
  const { name, version } = filter.definition ?? {};
  const pairs = [
    [filter.kind, kind],
    [filter.contact, contact],
    [filter.parent, parent],
    [filter.status, status],
    [filter.ended, ended],
    [filter.asks, questions > 0],
    [filter.queue, attention.queue],
    [filter.owner, attention.owner],
    [name, definition?.name],
    [version, definition?.version],
  ];
  const { actedSince = -Infinity } = filter;
  if ((attention.actedAt ?? -Infinity) < actedSince) return false;
  return pairs.every(([wanted, found]) => wanted === undefined || wanted === found);
}
