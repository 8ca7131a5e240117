import { codeOf, isRecord, type Json, type Question } from '@dramaturg/compiler';

/** A question of a machine to a person that is not answered yet. */
export interface OpenDecision {
  /** Unique in its instance. The same when the question is asked again. */
  readonly id: string;
  /** The key of the call. Different each time the question is asked. */
  readonly key: string;
  readonly prompt: string;
  /** The ids of the options. */
  readonly options: readonly string[];
  /** Paths of the fields that may be changed. */
  readonly editable?: readonly string[];
  /** Who may decide; anyone when absent. */
  readonly approvers?: { readonly users: readonly string[]; readonly roles: readonly string[] };
  /** Who may not decide, and why: "has requested it". */
  readonly excluded?: readonly { readonly name: string; readonly because: string }[];
  /** A decision has to name its author. */
  readonly isNamed?: boolean;
  /** A decision has to have a comment. */
  readonly isExplained?: boolean;
  /** Items to decide on one by one. */
  readonly batch?: Question['batch'];
  /** The deadline, milliseconds since 1970 UTC. */
  readonly until?: number;
}

/** Removes the data, which may be large. */
export function withoutData({ data: _data, ...decision }: AskedDecision): OpenDecision {
  return decision;
}

/** An open decision with its data. */
export interface AskedDecision extends OpenDecision {
  readonly data: Json;
}

/** Finds the open decisions in the snapshot of a machine: they are actors of the port, at any depth. */
export function openDecisionsIn(snapshot: Json): AskedDecision[] {
  const found: AskedDecision[] = [];
  const pending: Json[] = [snapshot];
  for (const each of pending) {
    if (!isRecord(each)) continue;
    for (const child of Object.values(isRecord(each['children']) ? each['children'] : {})) {
      if (!isRecord(child)) continue;
      const { src, snapshot: inner } = child as {
        readonly src?: unknown;
        readonly snapshot?: Json;
      };
      if (src === 'requestDecision') found.push(...decisionIn(inner ?? null));
      else if (inner !== undefined) pending.push(inner);
    }
    pending.push(...itemsOf(each));
  }
  return found;
}

/** The snapshots of the machines that a supervisor runs for the items of a list. */
function itemsOf({ work }: { readonly work?: unknown }): Json[] {
  const running = isRecord(work) ? work['running'] : undefined;
  if (!Array.isArray(running)) return [];
  return running.flatMap((item: unknown) =>
    isRecord(item) ? [(item['snapshot'] ?? null) as Json] : [],
  );
}

function decisionIn(snapshot: Json): AskedDecision[] {
  if (!isRecord(snapshot) || snapshot['status'] !== 'active' || !isRecord(snapshot['input']))
    return [];
  const {
    key,
    id,
    prompt,
    options,
    data = null,
    ...more
  } = snapshot['input'] as unknown as Question;
  if (typeof key !== 'string') return [];
  const { editable, approvers, excluded, isNamed, isExplained, batch, until } = more;
  return [
    {
      id: decisionId({ key, id }),
      key,
      prompt: typeof prompt === 'string' ? prompt : '',
      options: idsIn(options),
      ...(editable && { editable }),
      ...(approvers && { approvers }),
      ...(excluded && { excluded }),
      ...(isNamed && { isNamed }),
      ...(isExplained && { isExplained }),
      ...(batch && { batch }),
      ...(until !== undefined && { until }),
      data,
    },
  ];
}

/** The id that the machine has given, or one derived from the key. */
export function decisionId({ key, id }: { readonly key: string; readonly id?: unknown }): string {
  return typeof id === 'string' ? id : codeOf(key);
}

function idsIn(options: unknown): string[] {
  if (!Array.isArray(options)) return [];
  return options.flatMap((option: unknown) => {
    const id = isRecord(option) ? option['id'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}
