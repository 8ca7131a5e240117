import type { Json } from '@dramaturg/compiler';
import type { LoadedDefinition } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import { readJournal } from '../instance/journal-lines.ts';
import { isEqual } from '../instance/json-equal.ts';
import { stepInputIn } from '../instance/step-input.ts';
import type { StoreReader } from '../store/contract.ts';
import { birthOf } from './birth.ts';
import type { Started } from './instance-starter.ts';
import type { AddressedStart } from './options.ts';

/** Fields of a birth that the caller of a start decides. */
const compared = ['contact', 'channel', 'message', 'input', 'lifecycleInput'] as const;

/**
 * The instance of a repeated start.
 *
 * @returns undefined when no instance has the id
 * @throws HostError `host/exists` when the instance was started with other options
 */
export async function startedBefore(
  store: Pick<StoreReader, 'read' | 'journal'>,
  definition: string,
  { id, ...options }: AddressedStart & { readonly id: string },
  load: () => Promise<LoadedDefinition>,
): Promise<Started | undefined> {
  const record = await store.read(id);
  if (record?.kind !== 'instance') return undefined;
  if (record.definition?.name !== definition) throw otherwise(id, ['definition']);
  const [line = null] = await readJournal(store, id, { from: 0, limit: 1 });
  const input = stepInputIn(line)?.input;
  if (input?.type !== 'instance.started') throw otherwise(id, []);
  const { birth } = input;
  const { channel = null } = options;
  const wanted = birthOf({ ...options, id, channel }, await load());
  const isOther = birth.parent !== undefined || birth.copy !== undefined;
  const others = compared.filter((name) => !isEqual(jsonOf(birth[name]), jsonOf(wanted[name])));
  if (isOther || others.length > 0) throw otherwise(id, others);
  return { id, state: record.status };
}

function jsonOf(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}

function otherwise(id: string, fields: readonly string[]): HostError {
  const difference =
    fields.length === 0 ? 'it was started otherwise' : `it has another ${fields.join(', ')}`;
  return new HostError(
    'host/exists',
    `There is an instance ${JSON.stringify(id)} already, and ${difference}. Repeat its start as it was, or use another id.`,
  );
}
