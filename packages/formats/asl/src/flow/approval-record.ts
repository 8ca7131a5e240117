import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { Decision } from '@dramaturg/compiler/machine';
import { compileWrite } from '../data/path/write.ts';
import type { Approval } from '../definition/index.ts';
import type { ApprovalWork, Approved } from './approval-work.ts';
import { approvedItems, batchRecord } from './batch.ts';

export function approvedBy({ by, comment, data }: Decision, moment: number): Approved {
  return {
    approver: by ?? 'user',
    timestamp: new Date(moment).toISOString(),
    ...(comment !== undefined && { comment }),
    ...(data && { data }),
  };
}

/**
 * The record of a decision, with the decision's own data among its fields. Where the record becomes a part of the input,
 * the data keep to the field `data`, so that an approver cannot replace fields of the input. Agent 6 §Result
 */
export function recordOf(
  work: ApprovalWork,
  { isApproved, isMerged, required, moment }: RecordOptions,
): JsonObject {
  const decision = work.decision!;
  const { data } = work;
  const { approver, timestamp, comment } = approvedBy(decision, moment);
  return {
    ...(!isMerged && data),
    approval: decision.decision,
    // Tutorials read the decision under this name.
    ...(!isMerged && { decision: decision.decision }),
    approver,
    timestamp,
    prompt: work.prompt,
    ...(comment !== undefined && { comment }),
    ...(isMerged && data && { data }),
    ...(required > 1 && {
      approvals: isApproved
        ? [...work.approvals, approvedBy(decision, moment)]
        : [...work.approvals],
    }),
    ...(work.items && batchRecord(work.items, isApproved ? approvedItems(work, decision) : [])),
  };
}

interface RecordOptions {
  readonly isApproved: boolean;
  /** The record is added to the input. */
  readonly isMerged: boolean;
  /** How many approvals the policy requires. */
  readonly required: number;
  /** Milliseconds since 1970 UTC. */
  readonly moment: number;
}

/** The data with the record where `ResultPath` says. */
export function storeRecord({ ResultPath: path }: Approval, input: Json, record: JsonObject): Json {
  if (path === null) return input;
  if (path !== undefined) return path === '$' ? record : compileWrite(path)(input, record);
  return isRecord(input) ? { ...withoutRecord(input), ...record } : record;
}

/**
 * Names that the data of a decision must not have; undefined where a decision can have no data, because the input has
 * others under the name of the field for them.
 */
export function reservedNames(
  { ResultPath: path }: Approval,
  input: Json,
): readonly string[] | undefined {
  if (path !== undefined)
    return [...requiredFields, 'decision', ...optionalFields].filter((name) => name !== 'data');
  return isRecord(input) && Object.hasOwn(withoutRecord(input), 'data') ? undefined : [];
}

/** Removes an earlier record, or its comment would look like a part of the new one. */
function withoutRecord(input: JsonObject): JsonObject {
  if (!requiredFields.every((field) => Object.hasOwn(input, field))) return input;
  const others = Object.entries(input).filter(([field]) => !optionalFields.has(field));
  return Object.fromEntries(others);
}

const requiredFields = ['approval', 'approver', 'timestamp', 'prompt'];

const optionalFields: ReadonlySet<string> = new Set([
  'comment',
  'data',
  'approvals',
  'approved',
  'rejected',
  'approvalRate',
]);
