import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import {
  type Decision,
  type Edits,
  type Question,
  readEdits,
  shortNames,
  stepsOf,
} from '@dramaturg/compiler/machine';
import { compileCondition } from '../../data/choice.ts';
import { isSame } from '../../data/intrinsic/same.ts';
import { compilePath } from '../../data/path/read.ts';
import { compileWrite } from '../../data/path/write.ts';
import { StatesError } from '../../data/states-error.ts';
import type { Dialect } from '../../definition/index.ts';
import { evaluation } from '../../flow/jsonpath-flow.ts';
import type { Run } from '../../flow/run.ts';
import { fillPlaceholders } from '../../flow/value-source.ts';
import { type Approval, approvingOption } from './definition.ts';
import {
  type ApprovalWork,
  type Approved,
  approvedItems,
  batchRecord,
  compilePrompt,
  itemsIn,
  remainingItems,
  type Reminder,
  remindersOf,
  requiredItems,
} from './question.ts';

/** The slice of the program that an Approval owns. */
export interface ApprovalProgram {
  readonly approval: ApprovalFlow;
}

/** The question for a person, and the effect of the answer. Spec: Agent 2 §Approval State, Agent 6 */
interface ApprovalFlow {
  readonly reminders: readonly Reminder[];
  readonly begin: (run: Run, selected: Json) => ApprovalWork;
  /** The parts of the question that depend on the data. */
  readonly ask: (run: Run, selected: Json) => Pick<ApprovalWork, 'prompt' | 'details' | 'items'>;
  /** The run with all edits so far in its input: the next person is asked about the edited data. */
  readonly edited: (run: Run, work: ApprovalWork) => Run;
  /**
   * @param data with all edits so far
   * @param until the deadline, in milliseconds since 1970 UTC
   */
  readonly question: (
    work: ApprovalWork,
    data: Json,
    until?: number,
  ) => Omit<Question, 'key' | 'id'>;
  /** Whether another person has to approve too. */
  readonly needsAnother: (run: Run, work: ApprovalWork, decision: Decision) => boolean;
  /** Adds one of the required approvals. */
  readonly collect: (run: Run, work: ApprovalWork, decision: Decision) => ApprovalWork;
  /** Adds the edits and the data of a decision to the earlier ones. */
  readonly add: (run: Run, work: ApprovalWork, decision: Decision) => ApprovalWork;
  readonly record: (work: ApprovalWork, moment: number) => JsonObject;
  /** The data of the state with the record and the edits. */
  readonly store: (run: Run, record: JsonObject, edits: Edits | undefined) => Json;
  /**
   * The index of the first rule that holds; undefined when none does.
   *
   * @throws StatesError States.NoChoiceMatched when none does, and the state has no other way out
   */
  readonly choose: (run: Run, output: Json, decision: string) => number | undefined;
  /** The text of a reminder. */
  readonly text: (run: Run, selected: Json, message: string) => string;
}

export function compileApproval(state: Approval, dialect: Dialect): ApprovalProgram {
  const { Policy: policy, Batch: batch, Editable: editable } = state;
  const required = policy?.RequiredApprovals ?? 1;
  const approves = approvingOption(state);
  const rules = state.Choices.map(({ condition }) => compileCondition(condition!, dialect));
  const prompt = compilePrompt(state, dialect);
  const readItems = batch && compilePath(batch.ItemsPath);
  const reminders = remindersOf(state);
  const ask: ApprovalFlow['ask'] = (run, selected) => ({
    ...prompt(run, selected),
    ...(readItems && { items: itemsIn(readItems(evaluation(run, selected))) }),
  });
  const fields = editable?.Fields ?? [];
  const editsOf = ({ input }: Run, work: ApprovalWork, { edited = {} }: Decision): Edits => {
    const data = withEdits(input, work.edits);
    const read = readEdits({ editable: [...fields], data }, edited);
    return 'edits' in read ? read.edits : {};
  };
  /** Whether the decision edits the data. Earlier approvals were about the data before the edit. */
  const hasEdits = (run: Run, work: ApprovalWork, decision: Decision) => {
    const before = withEdits(run.input, work.edits);
    return !isSame(before, withEdits(before, editsOf(run, work, decision)));
  };
  const add: ApprovalFlow['add'] = (run, work, decision) => ({
    ...work,
    ...(decision.edited !== undefined && {
      edits: { ...work.edits, ...editsOf(run, work, decision) },
    }),
    ...(decision.data && { data: { ...work.data, ...decision.data } }),
  });
  const reserved = (data: Json) => {
    const names = reservedNames(state, data);
    return names && { reserved: [...names] };
  };
  const approval: ApprovalFlow = {
    reminders,
    ask,
    begin: (run, selected) => ({
      ...ask(run, selected),
      askedAt: run.world.now(),
      ...(policy?.ExcludeRequestor && { requestor: requestorOf(run) }),
      timesAsked: 0,
      remindersEmitted: 0,
      approvals: [],
      revisions: 0,
    }),
    question: (work, data, until) => ({
      prompt: work.prompt,
      ...(work.details && { details: work.details }),
      options: state.Options.map((option) => ({ id: option, description: option })),
      data,
      ...reserved(data),
      ...(editable && { editable: [...editable.Fields] }),
      ...deciders(state, work, reminders.slice(0, work.remindersEmitted)),
      ...(policy?.RequireReason && { isExplained: true }),
      ...(batch &&
        work.items && {
          batch: {
            items: remainingItems(work).map((index) => work.items![index]!),
            approves,
            isDivisible: batch.AllowPartial,
            least: requiredItems(batch.MinApproved, work.items.length),
          },
        }),
      ...(until !== undefined && { until }),
      ...escalationsOf(work, reminders.slice(work.remindersEmitted)),
    }),
    needsAnother(run, work, decision) {
      const before = hasEdits(run, work, decision) ? 0 : work.approvals.length;
      return decision.decision === approves && before + 1 < required;
    },
    collect(run, work, decision) {
      const isEdited = hasEdits(run, work, decision);
      const before = isEdited ? [] : work.approvals;
      const remaining = approvedItems(work, decision);
      const isNarrowed = remaining.length < remainingItems(work).length;
      return {
        ...add(run, work, decision),
        timesAsked: work.timesAsked + 1,
        approvals: [...before, approvedBy(decision, run.world.now())],
        ...(isNarrowed && { remaining }),
        revisions: work.revisions + (isEdited || isNarrowed ? 1 : 0),
      };
    },
    add,
    edited: (run, { edits }) => ({ ...run, input: withEdits(run.input, edits) }),
    record(work, moment) {
      const isApproved = work.decision!.decision === approves;
      const isMerged = state.ResultPath === undefined;
      return recordOf(work, { isApproved, isMerged, required, moment });
    },
    store(run, record, edits) {
      const input =
        editable && edits
          ? compileWrite(editable.ResultPath)(run.input, editedContent(edits, fields))
          : run.input;
      return storeRecord(state, input, record);
    },
    choose(run, output, decision) {
      // The specification tests `$.approval`; published workflows test `$.approval.approval` where they store the
      // record under that name. Both mean this decision, whatever an earlier one has left in the data.
      const rule = rules.findIndex((holds) => holds(evaluation(run, output, decision)));
      if (rule >= 0) return rule;
      if (hasOtherWay(state)) return undefined;
      throw new StatesError(
        'States.NoChoiceMatched',
        `No rule of the Approval matches the decision "${decision}", and it has no "Default".`,
      );
    },
    text: (run, selected, message) => fillPlaceholders(message, run, selected),
  };
  return { approval };
}

/** Whether the state can be left when none of its rules holds. */
function hasOtherWay({ Choices: rules, Default: fallback, Next: next, End: end }: Approval) {
  return rules.length === 0 || fallback !== undefined || next !== undefined || end;
}

/** The people and roles that may decide, with those that the escalation has added. Agent 6 §Policy */
function deciders(
  { Policy: policy }: Approval,
  { requestor, approvals }: ApprovalWork,
  emitted: readonly Reminder[],
): Pick<Question, 'approvers' | 'approvals' | 'excluded' | 'isNamed'> {
  if (!policy) return {};
  const { Approvers: approvers, RequiredApprovals: required } = policy;
  const more = emitted.flatMap(({ to }) => (to === undefined ? [] : [to]));
  const excluded = [
    ...(requestor === undefined ? [] : [{ name: requestor, because: 'has requested it' }]),
    ...approvals.map(({ approver }) => ({ name: approver, because: 'has approved it already' })),
  ];
  const given = approvals.map(({ approver: by, timestamp: at, comment }) => ({
    by,
    at,
    ...(comment !== undefined && { comment }),
  }));
  const isNamed = approvers !== undefined || requestor !== undefined || required > 1;
  return {
    ...(approvers && {
      approvers: {
        users: [...approvers.users, ...more],
        roles: [...approvers.roles, ...more],
      },
    }),
    ...(excluded.length > 0 && { excluded }),
    ...(required > 1 && { approvals: { required, given } }),
    ...(isNamed && { isNamed }),
  };
}

/** The steps of the escalation that are to come, without those that only inform people. */
function escalationsOf(
  { askedAt }: ApprovalWork,
  next: readonly Reminder[],
): Pick<Question, 'escalations'> {
  const escalations = next
    .filter(({ to, approves }) => to !== undefined || approves)
    .map(({ after, to, approves }) => ({
      at: askedAt + after,
      ...(to !== undefined && { to }),
      ...(approves && { approves }),
    }));
  return escalations.length > 0 ? { escalations } : {};
}

/** The name that the run was started with. Agent 6 §Policy */
function requestorOf(run: Run): string {
  const { Execution: execution } = run.context();
  const requestor = isRecord(execution) ? execution['Requestor'] : undefined;
  if (typeof requestor === 'string' && requestor.trim() !== '') return requestor;
  throw new StatesError(
    'States.ValidationError',
    'The policy excludes the requestor, but the run does not name one. Start it with "context": { "Execution": { "Requestor": "ana" } }, or in the terminal with --by ana.',
  );
}

/** Copies edits into the data. Missing objects are created, so that no accepted edit is lost. Agent 6 §Editable content */
function withEdits(data: Json, edits: Edits = {}): Json {
  return Object.entries(edits).reduce(
    (into: Json, [path, value]) => written(into, stepsOf(path), value),
    data,
  );
}

/**
 * The edits as `Editable.ResultPath` stores them: each field under the last name of its path. A field without a unique last
 * name is nested like the data. Tutorial 8
 */
function editedContent(edits: Edits, fields: readonly string[]): Json {
  const names = shortNames(fields);
  return Object.entries(edits).reduce((into: Json, [path, value]) => {
    const name = names.get(path);
    return written(into, name === undefined ? stepsOf(path) : [name], value);
  }, {} satisfies JsonObject);
}

function written(into: Json, [step, ...rest]: readonly string[], value: Json): Json {
  if (step === undefined) return value;
  const inner = written(innerOf(into, step), rest, value);
  if (Array.isArray(into) && Number(step) in into) return into.with(Number(step), inner) as Json;
  const fields = typeof into === 'object' && into !== null ? Object.entries(into) : [];
  // `fromEntries` also creates a field named `__proto__`.
  return Object.fromEntries([...fields, [step, inner]]);
}

function innerOf(data: Json, step: string): Json {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, step)) return null;
  return (data as Readonly<Record<string, Json>>)[step]!;
}

function approvedBy({ by, comment, data }: Decision, moment: number): Approved {
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
function recordOf(
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
function storeRecord({ ResultPath: path }: Approval, input: Json, record: JsonObject): Json {
  if (path === null) return input;
  if (path !== undefined) return path === '$' ? record : compileWrite(path)(input, record);
  return isRecord(input) ? { ...withoutRecord(input), ...record } : record;
}

/**
 * Names that the data of a decision must not have. Undefined when a decision can have no data, because the input
 * already has a field `data`.
 */
function reservedNames({ ResultPath: path }: Approval, input: Json): readonly string[] | undefined {
  if (path !== undefined)
    return [...requiredFields, 'decision', ...optionalFields].filter((name) => name !== 'data');
  return isRecord(input) && Object.hasOwn(withoutRecord(input), 'data') ? undefined : [];
}

/** Removes an earlier record, so that its comment does not look like a part of the new one. */
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
