import { type Chart, fromJson, isRecord, type Json } from '@dramaturg/compiler';
import type { Definition, Store } from '@dramaturg/host';

/** Records of definitions have ids that begin so, then name the definition, and after the last @ its version. */
const prefix = 'definition:';

interface Held {
  readonly chart: Json;
  /** The lifecycle it goes with; absent for a chart that is one itself. */
  readonly life?: { readonly name: string; readonly version: string };
}

/**
 * The definition of a name that was stored last. A store keeps every version that an instance was started with, so that a
 * name is enough to start another one.
 *
 * @returns undefined when none of the name was started
 */
export async function storedDefinition(
  store: Store,
  name: string,
): Promise<Definition | undefined> {
  let latest: Held | undefined;
  for (const id of await definitionIds(store)) {
    if (nameIn(id) !== name) continue;
    const held = await heldIn(store, id);
    // A lifecycle that others go with is nobody's definition.
    if (held && (held.life || chartOf(held.chart).format === 'lifecycle')) latest = held;
  }
  if (!latest) return undefined;
  const life = latest.life;
  const lifeHeld = life && (await heldIn(store, `${prefix}${life.name}@${life.version}`));
  return {
    name,
    chart: chartOf(latest.chart),
    life: lifeHeld ? chartOf(lifeHeld.chart) : 'own',
  };
}

/** The oldest first. */
async function definitionIds(store: Store): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await store.list(
      { kind: 'definition' },
      { limit: 1_000, ...(after === undefined ? {} : { after }) },
    );
    ids.push(...page.items.map(({ id }) => id));
    if (page.next === undefined) return ids;
    after = page.next;
  }
}

function nameIn(id: string): string {
  return id.slice(prefix.length, id.lastIndexOf('@'));
}

async function heldIn(store: Store, id: string): Promise<Held | undefined> {
  const record = await store.read(id);
  return isRecord(record?.snapshot) ? (record.snapshot as unknown as Held) : undefined;
}

/** What a store holds is data (H8): it is read as a stranger's chart would be. */
function chartOf(chart: Json): Chart {
  return fromJson(JSON.stringify(chart));
}
