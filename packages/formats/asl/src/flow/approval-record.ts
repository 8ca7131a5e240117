import { type Decision, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { compileWrite } from '../data/path/write.ts';
import type { Approval } from '../definition/index.ts';
import type { ApprovalWork, Approved } from './approval-work.ts';
import { approvedItems, batchRecord } from './batch.ts';

export function approvedBy({ by, comment }: Decision, moment: number): Approved {
  return {
    approver: by ?? 'user',
    timestamp: new Date(moment).toISOString(),
    ...(comment !== undefined && { comment }),
  };
}

/** The record of a decision. Agent 6 §Result */
export function recordOf(
  work: ApprovalWork,
  { isApproved, required, moment }: RecordOptions,
): JsonObject {
  const decision = work.decision!;
  const { approver, timestamp, ...comment } = approvedBy(decision, moment);
  return {
    approval: decision.decision,
    approver,
    timestamp,
    prompt: work.prompt,
    ...comment,
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

/** Removes an earlier record, or its comment would look like a part of the new one. */
function withoutRecord(input: JsonObject): JsonObject {
  if (!requiredFields.every((field) => Object.hasOwn(input, field))) return input;
  const others = Object.entries(input).filter(([field]) => !optionalFields.has(field));
  return Object.fromEntries(others);
}

const requiredFields = ['approval', 'approver', 'timestamp', 'prompt'];

const optionalFields: ReadonlySet<string> = new Set([
  'comment',
  'approvals',
  'approved',
  'rejected',
  'approvalRate',
]);
