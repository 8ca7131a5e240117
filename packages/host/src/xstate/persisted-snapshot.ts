import { isRecord, type Json, type PortName, portSchemas } from '@dramaturg/compiler';
import { mayStartMore, runningItemsOf } from '@dramaturg/compiler/machine';

/** Code outside this folder reads XState's persisted snapshots only through these functions. */

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
  for (const { src, snapshot: inner } of actorsIn(snapshot))
    if (src === port && isRecord(inner) && inner['status'] === 'active' && isRecord(inner['input']))
      found.push(inner['input']);
  return found;
}

/** Whether a supervisor of items pauses before it starts more, at any depth. */
export function pausesIn(snapshot: Json): boolean {
  for (const { snapshot: inner } of actorsIn(snapshot)) if (mayStartMore(inner)) return true;
  return false;
}

interface PersistedActor {
  readonly src?: unknown;
  readonly snapshot: Json;
}

/** The actors of a machine and of its items, at any depth. */
function* actorsIn(snapshot: Json): Generator<PersistedActor> {
  const machines: Json[] = [snapshot];
  for (const machine of machines) {
    if (!isRecord(machine)) continue;
    for (const child of Object.values(isRecord(machine['children']) ? machine['children'] : {})) {
      if (!isRecord(child) || child['snapshot'] === undefined) continue;
      const actor = child as unknown as PersistedActor;
      yield actor;
      machines.push(actor.snapshot);
    }
    for (const item of runningItemsOf(machine)) machines.push(item.snapshot);
  }
}

/** The keys of all open calls, at any depth. */
export function openKeysIn(snapshot: Json): readonly string[] {
  return (Object.keys(portSchemas) as PortName[]).flatMap((port) =>
    callInputsIn(snapshot, port).flatMap(({ key }) => (typeof key === 'string' ? [key] : [])),
  );
}

/** The output of a machine that has ended; undefined before. */
export function outputIn(snapshot: Json | undefined): Json | undefined {
  return fieldIn(snapshot, 'status') === 'done' ? fieldIn(snapshot, 'output') : undefined;
}

/** The snapshot of an actor of a machine; null when there is none. */
export function childIn(snapshot: Json, id: string): Json {
  const children = fieldIn(snapshot, 'children');
  const child = isRecord(children) && Object.hasOwn(children, id) ? (children[id] as Json) : null;
  return fieldIn(child, 'snapshot');
}

function fieldIn(snapshot: Json | undefined, name: string): Json {
  return isRecord(snapshot) ? (snapshot[name] ?? null) : null;
}
