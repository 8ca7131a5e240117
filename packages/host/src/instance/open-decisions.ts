import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { shortCode, type Question } from '@dramaturg/compiler/machine';
import { callInputsIn } from '../xstate/persisted-snapshot.ts';

/** An open question of a machine to a person. */
export interface OpenDecision {
  /** Unique in its instance. The same when the question is asked again. */
  readonly id: string;
  /** The key of the call. Different each time the question is asked. */
  readonly key: string;
  readonly prompt: string;
  /** The fields of a prompt with several fields. `prompt` has them as text. */
  readonly details?: JsonObject;
  /** The ids of the options. */
  readonly options: readonly string[];
  /** Names that the data of a decision must not have. Without this list, a decision has no data. */
  readonly reserved?: readonly string[];
  /** Paths of the fields that may be changed. */
  readonly editable?: readonly string[];
  /** The people and roles that may decide; anyone when absent. */
  readonly approvers?: { readonly users: readonly string[]; readonly roles: readonly string[] };
  /** People who may not decide, and why: "has requested it". */
  readonly excluded?: readonly { readonly name: string; readonly because: string }[];
  /** When several people have to approve: how many, and the approvals so far; `at` is in ISO 8601. */
  readonly approvals?: Question['approvals'];
  /** Whether a decision has to name its author. */
  readonly isNamed?: boolean;
  /** Whether a decision has to have a comment. */
  readonly isExplained?: boolean;
  /** Items to decide on one by one. */
  readonly batch?: Question['batch'];
  /** The deadline, milliseconds since 1970 UTC. */
  readonly until?: number;
  /** The escalations while nobody decides, with their times. Some may be over. */
  readonly escalations?: Question['escalations'];
}

/** Removes the data, which may be large. */
export function withoutData({ data: _data, ...decision }: AskedDecision): OpenDecision {
  return decision;
}

/** An open decision with its data. */
export interface AskedDecision extends OpenDecision {
  readonly data: Json;
}

/** Finds the open decisions in the snapshot of a machine. */
export function openDecisionsIn(snapshot: Json): AskedDecision[] {
  return callInputsIn(snapshot, 'requestDecision').flatMap(decisionIn);
}

function decisionIn(input: Readonly<Record<string, unknown>>): AskedDecision[] {
  const { key, id, prompt, options, data = null, ...more } = input as unknown as Question;
  if (typeof key !== 'string') return [];
  const {
    details,
    reserved,
    editable,
    approvers,
    excluded,
    approvals,
    isNamed,
    isExplained,
    batch,
    until,
    escalations,
  } = more;
  return [
    {
      id: decisionId({ key, id }),
      key,
      prompt: typeof prompt === 'string' ? prompt : '',
      ...(details && { details }),
      options: idsIn(options),
      ...(reserved && { reserved }),
      ...(editable && { editable }),
      ...(approvers && { approvers }),
      ...(excluded && { excluded }),
      ...(approvals && { approvals }),
      ...(isNamed && { isNamed }),
      ...(isExplained && { isExplained }),
      ...(batch && { batch }),
      ...(until !== undefined && { until }),
      ...(escalations && { escalations }),
      data,
    },
  ];
}

/** The id that the machine has given, or one derived from the key. */
export function decisionId({ key, id }: { readonly key: string; readonly id?: unknown }): string {
  return typeof id === 'string' ? id : shortCode(key);
}

function idsIn(options: unknown): string[] {
  if (!Array.isArray(options)) return [];
  return options.flatMap((option: unknown) => {
    const id = isRecord(option) ? option['id'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}
