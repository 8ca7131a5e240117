import { codeOf, isRecord, type Json, type Question } from '@dramaturg/compiler';

/** A question that a machine has asked a person, and that nobody has decided. */
export interface OpenDecision {
  /** Names it among those of its instance; the same when it is asked again. */
  readonly id: string;
  /** Of the call: another each time it is asked. */
  readonly key: string;
  readonly prompt: string;
  /** The ids of the options. */
  readonly options: readonly string[];
  /** Paths of what may be changed. */
  readonly editable?: readonly string[];
  /** Who may decide; anyone when absent. */
  readonly approvers?: { readonly users: readonly string[]; readonly roles: readonly string[] };
  /** Who may not, and why: "has requested it". */
  readonly excluded?: readonly { readonly name: string; readonly because: string }[];
  /** It has to be said who decides. */
  readonly isNamed?: boolean;
  /** It has to be said why. */
  readonly isExplained?: boolean;
  /** A list to decide on item by item. */
  readonly batch?: Question['batch'];
  /** When it is too late, milliseconds since 1970 UTC. */
  readonly until?: number;
}

/** Without what it is about, which may be large. */
export function withoutData({ data: _data, ...decision }: AskedDecision): OpenDecision {
  return decision;
}

/** A question with what it is about. */
export interface AskedDecision extends OpenDecision {
  readonly data: Json;
}

/** The open decisions in what is stored of a machine: they wait in actors of the port, at any depth. */
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

/** The machines that a supervisor runs for the items of a list. */
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

/** A question that its machine has not named has a name of its key. */
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
