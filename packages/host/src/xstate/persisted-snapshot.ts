import { isRecord, type Json, type PortName } from '@dramaturg/compiler';

/** Everything outside this folder that reads XState's persisted snapshots reads them through these functions. */

/** The context of a machine; null before it has begun. */
export function contextIn(snapshot: Json | undefined): Json {
  return fieldIn(snapshot, 'context');
}

/** The states of a machine; null before it has begun. */
export function stateValueIn(snapshot: Json | undefined): Json {
  return fieldIn(snapshot, 'value');
}

/** The inputs of the open calls of a port: they wait in actors of the port, at any depth. */
export function callInputsIn(
  snapshot: Json,
  port: PortName,
): readonly Readonly<Record<string, unknown>>[] {
  const found: Readonly<Record<string, unknown>>[] = [];
  const pending: Json[] = [snapshot];
  for (const machine of pending) {
    if (!isRecord(machine)) continue;
    for (const child of Object.values(isRecord(machine['children']) ? machine['children'] : {})) {
      if (!isRecord(child)) continue;
      const { src, snapshot: inner } = child as {
        readonly src?: unknown;
        readonly snapshot?: Json;
      };
      if (src !== port) {
        if (inner !== undefined) pending.push(inner);
      } else if (isRecord(inner) && inner['status'] === 'active' && isRecord(inner['input']))
        found.push(inner['input']);
    }
    pending.push(...itemsIn(machine));
  }
  return found;
}

/** The snapshots of the machines that a supervisor runs for the items of a list. */
function itemsIn({ work }: { readonly work?: unknown }): Json[] {
  const running = isRecord(work) ? work['running'] : undefined;
  if (!Array.isArray(running)) return [];
  return running.flatMap((item: unknown) =>
    isRecord(item) ? [(item['snapshot'] ?? null) as Json] : [],
  );
}

function fieldIn(snapshot: Json | undefined, name: string): Json {
  return isRecord(snapshot) ? (snapshot[name] ?? null) : null;
}
