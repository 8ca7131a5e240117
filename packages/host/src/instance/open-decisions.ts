import { isRecord, type Json } from '@dramaturg/compiler';

/** A question that a machine has asked a person, and that nobody has decided. */
export interface OpenDecision {
  /** Names it among several. */
  readonly key: string;
  readonly prompt: string;
  /** The ids of the options. */
  readonly options: readonly string[];
}

/** The open decisions in what is stored of a machine: they wait in actors of the port, at any depth. */
export function openDecisionsIn(snapshot: Json): OpenDecision[] {
  const found: OpenDecision[] = [];
  const pending: Json[] = [snapshot];
  for (const each of pending) {
    const children = isRecord(each) ? each['children'] : undefined;
    if (!isRecord(children)) continue;
    for (const child of Object.values(children)) {
      if (!isRecord(child)) continue;
      const { src, snapshot: inner } = child as {
        readonly src?: unknown;
        readonly snapshot?: Json;
      };
      if (src === 'requestDecision') found.push(...decisionIn(inner ?? null));
      else if (inner !== undefined) pending.push(inner);
    }
  }
  return found;
}

function decisionIn(snapshot: Json): OpenDecision[] {
  if (!isRecord(snapshot) || snapshot['status'] !== 'active' || !isRecord(snapshot['input']))
    return [];
  const { key, prompt, options } = snapshot['input'];
  if (typeof key !== 'string') return [];
  return [{ key, prompt: typeof prompt === 'string' ? prompt : '', options: idsIn(options) }];
}

function idsIn(options: unknown): string[] {
  if (!Array.isArray(options)) return [];
  return options.flatMap((option: unknown) => {
    const id = isRecord(option) ? option['id'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}
